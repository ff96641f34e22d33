import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Arch } from '@/lib/domain/boot-images/stream'
import { planeArch } from './plane-arch'
import type { SkewObjects } from './skew-objects'
import { skewRows } from './skew-rows'
import { objects, SETS } from './testing/samples'

const object = (
  kind: string,
  metadata: Partial<KubeObject['metadata']>,
  more: Partial<KubeObject> = {},
): KubeObject => ({
  ...{ apiVersion: 'v1', kind },
  metadata: {
    name: 'cluster',
    uid: kind,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...metadata,
  },
  ...more,
})
const node = (role: string, arch?: string): KubeObject =>
  object('Node', { labels: { [`node-role.kubernetes.io/${role}`]: '', ...(arch && { 'kubernetes.io/arch': arch }) } })
const version = (architecture?: string): KubeObject =>
  object('ClusterVersion', {}, { status: { desired: { ...(architecture && { architecture }) } } })

describe('the architecture of the control plane', () => {
  it.each([
    ['its nodes’', [node('master', 'amd64'), node('worker', 'arm64')], version('Multi'), 'x86_64'],
    ['its nodes’, by the newer role', [node('control-plane', 'arm64'), node('worker', 'amd64')], undefined, 'aarch64'],
    ['its nodes’, whatever else a cluster of one has', [node('master', 's390x'), node('worker', 'amd64')], version(), 's390x'],
    ['any node’s, where there is but one', [node('worker', 'ppc64le')], version(), 'ppc64le'],
    ['not any node’s, where there are several', [node('worker', 'arm64')], version('Multi'), null],
    ['not any node’s, where nobody tells how many there are', [node('worker', 'arm64')], undefined, null],
    ['not known without nodes', [], version(), null],
    ['not known where its nodes have two', [node('master', 'amd64'), node('master', 'arm64')], version('Multi'), null],
    ['not known where a node says none', [node('master')], version(), null],
  ] as const)('%s', (_, nodes, clusterVersion, arch) => expect(planeArch(nodes, clusterVersion)).toBe(arch)) // prettier-ignore
})

const ARM = 'ami-01fdfbdd638f16b5f'
const annotated = (arch: string): KubeObject => {
  const set = structuredClone(SETS['aws.current']!)
  set.metadata.annotations = { 'capacity.cluster-autoscaler.kubernetes.io/labels': `kubernetes.io/arch=${arch}` }
  return set
}
const plane = (id: string): KubeObject => {
  const { providerSpec } = (SETS['aws.current']!.spec!.template as { spec: { providerSpec: { value: JsonObject } } })
    .spec
  const spec = { providerSpec: { value: { ...providerSpec.value, ami: { id } } } }
  const template = { machines_v1beta1_machine_openshift_io: { metadata: {}, spec } }
  return object('ControlPlaneMachineSet', { namespace: 'openshift-machine-api' }, { spec: { replicas: 3, template } })
}
const X86 = 'ami-0fbc8be8796dc1df5'
const world = (arch: 'amd64' | 'arm64' | 's390x', id: string, more: Partial<SkewObjects>) => {
  const rows = skewRows(objects('automatic', [annotated(arch)], { controlPlanes: [plane(id)], ...more }), true)
  return rows.sets.find(({ kind }) => kind === 'ControlPlaneMachineSet')!
}

describe('the image of the control plane, beside a set for other machines', () => {
  it('is not that of the set', () => {
    const row = world('arm64', ARM, { controlPlaneArch: 'x86_64' })
    expect(row).toMatchObject({ arch: 'x86_64', wanted: X86 })
    expect(row.state).not.toBe('current')
    expect(world('arm64', X86, { controlPlaneArch: 'x86_64' })).toMatchObject({ state: 'current', reason: '' })
    expect(world('s390x', X86, { controlPlaneArch: 'x86_64' })).toMatchObject({ state: 'current', reason: '' })
    expect(world('arm64', ARM, { controlPlaneArch: 'aarch64' }).state).toBe('current')
  })

  it('is not guessed, where nothing tells which machines it has', () => {
    for (const id of [ARM, X86]) {
      const row = world('arm64', id, { controlPlaneArch: null })
      expect(row).toMatchObject({ state: 'unknown', outcome: 'not-known', wanted: null, arch: null })
      expect(row.reason).toMatch(/^Which architecture the control plane’s machines have is not known/)
    }
  })

  it('of a set that says no architecture, it is guessed as little', () => {
    const silent = structuredClone(SETS['aws.current']!)
    silent.metadata.annotations = {}
    const { clusterVersion } = objects('automatic')
    const of = (controlPlaneArch: Arch | null, architecture?: string, more: Partial<SkewObjects> = {}) => {
      const desired = { ...(clusterVersion!.status!.desired as JsonObject), ...(architecture && { architecture }) }
      const given = { ...clusterVersion!, status: { ...clusterVersion!.status, desired } }
      return skewRows(objects('automatic', [silent], { controlPlaneArch, clusterVersion: given, ...more }), true)
        .sets[0]!
    }
    expect(of('x86_64')).toMatchObject({ state: 'current', outcome: 'unchanged' })
    expect(of('aarch64')).toMatchObject({ wanted: ARM })
    expect(of(null)).toMatchObject({ state: 'unknown', outcome: 'not-known', wanted: null })
    for (const arch of ['x86_64', null] as const) expect(of(arch, 'Multi')).toMatchObject({ outcome: 'skip' })
    const { reason } = of('x86_64', 'Multi')
    expect(of('x86_64', 'Multi', { machineConfiguration: undefined })).toMatchObject({
      managed: false,
      reason: `${reason} Boot image updates are off for this set.`,
    })
  })
})
