import { expect, test } from 'vitest'
import { KubeError, type KubeClient } from '../types'
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
const client = (schemas: object) =>
  ({
    get: () => Promise.reject(new KubeError(403, { kind: 'Status', code: 403 }, 'GET')),
    raw: () => Promise.resolve({ components: { schemas } }),
  }) as unknown as KubeClient

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
  expect(await discoverConfiguration(client(others))).toMatchObject({ skew: false, managed: null })
})
