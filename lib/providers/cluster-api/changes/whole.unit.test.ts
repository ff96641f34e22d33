import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ObjectSource } from './types'
import { wholeWanted } from './whole'

const ref = (kind: string) => ({ apiGroup: 'x', kind, name: kind })
const group = (kind: string, spec: object) =>
  ({ apiVersion: 'x/v1', kind, metadata: { name: 'g', namespace: 'ns' }, spec }) as unknown as KubeObject
const workers = (bootstrap: string) =>
  group('MachineDeployment', {
    template: { spec: { infrastructureRef: ref('Infra'), bootstrap: { configRef: ref(bootstrap) } } },
  })
const plane = group('KubeadmControlPlane', { machineTemplate: { spec: { infrastructureRef: ref('Infra') } } })
const source = (unread: string) =>
  ({
    template: ({ kind }: { kind: string }) =>
      kind === unread
        ? Promise.reject(new Error('no'))
        : Promise.resolve({ apiVersion: 'x/v1', kind, metadata: {}, spec: { template: { spec: { of: kind } } } }),
  }) as unknown as ObjectSource

const KUBEADM = 'KubeadmConfigTemplate'
const INFRA = { infrastructure: { of: 'Infra' } }
const CONFIG = { apiVersion: 'x/v1', spec: { of: KUBEADM } }
test('labels and annotations that machines get from their templates count', async () => {
  const metadata = { annotations: { a: 'b' } }
  const read = ({ kind }: { kind: string }) =>
    Promise.resolve({ apiVersion: 'x/v1', kind, metadata: {}, spec: { template: { metadata, spec: { of: kind } } } })
  const of = async (kind: string) => (await wholeWanted(workers(kind), { template: read } as never)).whole
  expect(await of(KUBEADM)).toEqual({
    config: { ...CONFIG, metadata },
    templates: { ...INFRA, infrastructureMetadata: metadata },
  })
  expect(await of('Other')).toEqual({
    templates: {
      ...{ ...INFRA, infrastructureMetadata: metadata },
      ...{ bootstrap: { of: 'Other' }, bootstrapMetadata: metadata },
    },
  })
})

test.each([
  ['workers', workers(KUBEADM), '', { config: CONFIG, templates: INFRA }, ['config', 'templates']],
  ['workers without their infrastructure', workers(KUBEADM), 'Infra', { config: CONFIG }, ['config']],
  ['workers without their config', workers(KUBEADM), KUBEADM, { templates: INFRA }, ['templates']],
  ['workers without another bootstrap', workers('Other'), 'Other', { templates: INFRA }, []],
  ['a control plane', plane, '', { templates: INFRA }, ['templates']],
  ['a control plane without its infrastructure', plane, 'Infra', {}, []],
])('what the next machines are made by, as far as it can be read: %s', async (_, of, unread, whole, read) => {
  expect(await wholeWanted(of, source(unread))).toEqual({ whole, read })
})
