import { expect, test } from 'vitest'
import type { JsonObject } from '../json'
import { workerConfig } from './kubeadm'

const joined = (bootstrapToken: JsonObject, more: JsonObject = {}): JsonObject => ({
  joinConfiguration: { discovery: { bootstrapToken }, nodeRegistration: {}, ...more },
})

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
  ['another format', { format: 'ignition' }, {}, false],
  ['what is empty', { files: [], ntp: {} }, {}, true],
  ['no taints', joined({}, { nodeRegistration: { taints: [] } }), {}, false],
  ['a command more', { preKubeadmCommands: ['a'] }, {}, false],
])('a worker’s config, %s: the same as without: %s', (_, a, b, same) => {
  expect(workerConfig(a) === workerConfig(b)).toBe(same)
})
