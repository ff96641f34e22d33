import { expect, test } from 'vitest'
import { KubeError, KubeUnreachable, type KubeClient } from '../types'
import { discoverConfiguration } from './providers'

const kindOf = (kind: string, ...values: string[]) => ({
  [`io.openshift.operator.v1.${kind}`]: {
    properties: {
      managementState: {},
      ...Object.fromEntries(values.map((name) => [name, { enum: ['All', 'None', 'controlplanemachinesets'] }])),
    },
    'x-kubernetes-group-version-kind': [{ group: 'operator.openshift.io', kind, version: 'v1' }],
  },
})
const refused = (code: number) => new KubeError(code, { kind: 'Status', code }, 'GET')
const answering = (raw: () => Promise<unknown>) =>
  ({ get: () => Promise.reject(refused(403)), raw }) as unknown as KubeClient
const client = (schemas: object) => answering(() => Promise.resolve({ components: { schemas } }))
const unread = { skew: null, controlPlanes: null, managed: null }

test('without the CRD, what other kinds of the group have is not taken for MachineConfiguration’s', async () => {
  const fields = ['managedBootImages', 'managedBootImagesStatus', 'bootImageSkewEnforcement']
  const others = kindOf('Console', ...fields)
  const known = { skew: true, controlPlanes: true, managed: { spec: true, status: true, none: true } }
  expect(await discoverConfiguration(client({ ...others, ...kindOf('MachineConfiguration', ...fields) }))).toEqual(
    known,
  )
  expect(await discoverConfiguration(client({ ...others, ...kindOf('MachineConfiguration') }))).toEqual({
    ...{ skew: false, controlPlanes: false, managed: { spec: false, status: false, none: false } },
  })
  expect(await discoverConfiguration(client(others))).toEqual(unread)
})

test.each([
  ['no answer', new KubeUnreachable('timed out', 'GET')],
  ['a server in trouble', refused(503)],
  ['no right to it', refused(403)],
  ['no such document', refused(404)],
])('%s is no word that boot image skew is not known', async (_, error) => {
  expect(await discoverConfiguration(answering(() => Promise.reject(error)))).toEqual(unread)
})
