import { expect, test } from 'vitest'
import type { JsonObject } from '../json'
import { filledConfig, workerConfig } from './kubeadm'

const joined = (bootstrapToken: JsonObject, more: JsonObject = {}): JsonObject => ({
  joinConfiguration: { discovery: { bootstrapToken }, nodeRegistration: {}, ...more },
})

const file = (kubeConfig: JsonObject): JsonObject => ({
  joinConfiguration: { discovery: { file: { kubeConfigPath: '/k', kubeConfig } } },
})
const exec = (more: JsonObject): JsonObject => ({ exec: { command: 'a', ...more } })

test.each<[string, JsonObject, JsonObject, boolean]>([
  [
    'what the bootstrap provider fills in',
    joined({ token: 'a', caCertHashes: ['b'], apiServerEndpoint: 'c:6443' }),
    { joinConfiguration: {} },
    true,
  ],
  ['how it may join', joined({ token: 'a', unsafeSkipCAVerification: true }), { joinConfiguration: {} }, false],
  [
    'defaults of older versions',
    { format: 'cloud-config', ...joined({}, { nodeRegistration: { imagePullPolicy: 'IfNotPresent' } }) },
    {},
    true,
  ],
  [
    'what it fills in of a file to join by',
    file({ cluster: { server: 'https://c:6443', certificateAuthorityData: 'Q0E=' }, user: exec({}) }),
    file({ user: exec({}) }),
    true,
  ],
  [
    'a default of older versions in that file',
    file({ user: exec({ apiVersion: 'client.authentication.k8s.io/v1' }) }),
    file({ user: exec({}) }),
    true,
  ],
  ['another user', file({ user: exec({ command: 'b' }) }), file({ user: exec({}) }), false],
  ['another format', { format: 'ignition' }, {}, false],
  ['what is empty', { files: [], ntp: {} }, {}, true],
  ['no taints', joined({}, { nodeRegistration: { taints: [] } }), {}, false],
  ['a command more', { preKubeadmCommands: ['a'] }, {}, false],
])('a worker’s config, %s: the same as without: %s', (_, a, b, same) => {
  expect(workerConfig(a) === workerConfig(b)).toBe(same)
})

test('of a template, where its machines join and whom they trust is told apart, where it stands there', () => {
  const told = (endpoint: string) =>
    filledConfig(joined({ apiServerEndpoint: endpoint, unsafeSkipCAVerification: true }))
  expect(told('c:6443')).not.toBe(told('bad:6443'))
  const cluster = { server: 'https://c:6443' }
  expect(filledConfig(file({ cluster }))).toContain('https://c:6443')
  expect([filledConfig({}), filledConfig(joined({})), filledConfig(file({ user: exec({}) }))]).toEqual([
    null,
    null,
    null,
  ])
})
