import { describe, expect, it } from 'vitest'
import { MASK } from '../changes/telling'
import { explain, type ExplainWith } from './explain'
import { nextMinor, updateKind } from './next-update'
import { asCommand } from './patches'
import type { Blocker } from './types'

const context: ExplainWith = {
  next: '4.23',
  overrides: [],
  managers: undefined,
  bootImage: { versionKind: 'OCPVersion', version: '4.16.0', why: 'a names it. b could not be dated: check it first.' },
  bootImages: '/boot-images?cluster=tidal',
}
const blocker = (more: Partial<Blocker>): Blocker => ({
  ...{ source: 'operator', item: 'etcd', reason: 'Why', message: 'No.', since: null, said: 'both' },
  ...more,
})
const patches = (more: Partial<Blocker>, with_: Partial<ExplainWith> = {}) =>
  explain(blocker(more), { ...context, ...with_ }).remedies.flatMap((r) => r.patch ?? [])

describe('the exact patch for a reason', () => {
  it.each([
    [
      { item: 'machine-config', reason: 'ClusterBootImageSkewError', message: 'below the minimum' },
      'machineconfigurations.operator.openshift.io/cluster',
      {
        spec: {
          bootImageSkewEnforcement: {
            mode: 'Manual',
            manual: { mode: 'OCPVersion', ocpVersion: '4.16.0', rhcosVersion: null },
          },
        },
      },
    ],
    [
      { item: 'kube-apiserver', reason: 'UnsupportedConfigOverrides_UnsupportedConfigOverridesSet' },
      'kubeapiservers.operator.openshift.io/cluster',
      { spec: { unsupportedConfigOverrides: null } },
    ],
    [
      { item: 'cloud-credential', reason: 'MissingUpgradeableAnnotation' },
      'cloudcredentials.operator.openshift.io/cluster',
      { metadata: { annotations: { 'cloudcredential.openshift.io/upgradeable-to': '4.23' } } },
    ],
  ])('%#', (more, object, body) => expect(patches(more)).toEqual([expect.objectContaining({ object, body })]))

  it('with what the evidence does not tell', () => {
    const { remedies } = explain(
      blocker({ item: 'machine-config', reason: 'ClusterBootImageSkewError', message: 'below the minimum' }),
      context,
    )
    expect(remedies.at(-1)?.sentence).toContain(
      'The evidence speaks for 4.16.0. a names it. b could not be dated: check it first.',
    )
  })

  it('keeps the overrides that take nothing away, and every manager but that of machine sets', () => {
    const one = { kind: 'Deployment', group: 'apps', namespace: 'x', name: 'a', unmanaged: true }
    const kept = { ...one, name: 'b', unmanaged: false }
    const of = (overrides: (typeof one)[]) => patches({ source: 'overrides', item: '' }, { overrides })[0]!.body
    expect(of([one, kept])).toEqual({ spec: { overrides: [kept] } })
    expect(of([one])).toEqual({ spec: { overrides: null } })

    const plane = { resource: 'controlplanemachinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } }
    const sets = { resource: 'machinesets', apiGroup: 'machine.openshift.io' }
    const item = 'ack-4.21-boot-image-opt-out-in-4.22'
    const gate = patches({ source: 'gate', item, reason: 'AdminAckRequired' }, { managers: [plane] })
    expect(gate.flatMap((p) => p.body.spec ?? [])).toEqual(
      ['All', 'None'].map((mode) => ({
        managedBootImages: { machineManagers: [{ ...sets, selection: { mode } }, plane] },
      })),
    )
  })

  it('opts out by the empty list where the API knows no mode None', () => {
    const gate = { source: 'gate', item: 'ack-4.18-boot-image-opt-out-in-4.19', reason: 'AdminAckRequired' } as const
    expect(patches(gate, {}).flatMap(({ body }) => (body.spec ? JSON.stringify(body.spec) : []))).toEqual([
      expect.stringContaining('"mode":"All"'),
      '{"managedBootImages":{"machineManagers":[]}}',
    ])
    // Before the raw patches, where each set's end is shown; and beside the one what it does to their secrets.
    const { remedies } = explain(blocker(gate), context)
    expect(remedies.findIndex(({ link }) => link?.href === '/boot-images?cluster=tidal#managed')).toBe(
      remedies.findIndex(({ patch }) => patch?.body.spec) - 1,
    )
    expect(remedies.filter(({ sentence }) => sentence.includes('worker-user-data-managed'))).toHaveLength(1)
  })

  it('acknowledges a gate, but none of whose text a part is not shown, nor one that is no longer in the way', () => {
    const gate = { source: 'gate', item: 'ack-4.22-x', reason: 'AdminAckRequired' } as const
    const of = (more: Partial<Blocker>) => explain(blocker({ ...gate, ...more }), context).remedies
    const [remedy] = of({})
    expect(remedy).toMatchObject({ acknowledges: true, patch: { body: { data: { 'ack-4.22-x': 'true' } } } })
    expect(asCommand(remedy!.patch!)).toBe(
      `oc patch configmaps/admin-acks -n openshift-config --type=merge -p '{"data":{"ack-4.22-x":"true"}}'`,
    )
    expect(of({ message: `Set token=${MASK} first.` })).toEqual([])
    expect(of({ said: 'no-longer' })).toEqual([])
    expect(of({ message: 'admin-gates configmap gate ack-4.22-x must contain a non-empty value.' })).not.toEqual(
      expect.arrayContaining([expect.objectContaining({ acknowledges: true })]),
    )
  })

  it('is a command that a shell reads as it stands', () => {
    const body = { data: { a: "it's" } }
    const patch = { object: 'configmaps/admin-acks', namespace: 'openshift-config', path: '/x', body }
    expect(asCommand(patch)).toBe(
      `oc patch configmaps/admin-acks -n openshift-config --type=merge -p '{"data":{"a":"it'\\''s"}}'`,
    )
  })
})

describe('a reason in words', () => {
  it.each([
    [{ item: 'machine-config', reason: 'DegradedPool' }, /pool of machines is degraded/],
    [{ item: 'machine-config', reason: 'InterruptedBuild' }, /build/],
    [{ item: 'config-operator', reason: 'FeatureGates_RestrictedFeatureGates_TechPreviewNoUpgrade' }, /feature set/],
    [{ item: 'kube-apiserver', reason: 'KubeletMinorVersion_KubeletMinorVersionUnsupportedNextUpgrade' }, /kubelet/],
    [{ item: 'kube-apiserver', reason: 'KubeletVersionUnsupportedNextUpgrade' }, /kubelet/],
    [{ item: 'operator-lifecycle-manager', reason: 'IncompatibleOperatorsInstalled' }, /Installed operators/],
    [{ item: 'olm', reason: 'InstalledOLMOperators_IncompatibleOperatorsInstalled' }, /Installed operators/],
    [{ item: 'ingress', reason: 'IngressControllersNotUpgradeable' }, /ingress controller/],
    [{ item: 'cloud-credential', reason: 'MissingRootCredential' }, /root credentials/],
    // Not of the operator that the reason is known of.
    [{ item: 'etcd', reason: 'DegradedPool' }, /The operator etcd says/],
    [
      { item: 'machine-config', reason: 'ClusterBootImageSkewError', message: 'due to boot image update failures: x' },
      /could not update/,
    ],
    [
      { item: 'machine-config', reason: 'ClusterBootImageSkewError', message: 'below the minimum' },
      /older than this release accepts/,
    ],
    [{ source: 'gate', item: 'ack-4.22-x', reason: 'AdminAckRequired' }, /An administrator/],
    [{ source: 'gate', item: 'ack-4.21-boot-image-opt-out-in-4.22', reason: 'AdminAck-x' }, /Azure and vSphere/],
    [
      { source: 'gate', item: 'bad', reason: 'x', message: 'admin-gates configmap gate name bad has invalid format' },
      /cannot be|not one/,
    ],
    [{ source: 'gates', item: 'admin-acks' }, /missing/],
    [{ source: 'deletion', item: '' }, /deleting/],
    [{ source: 'updating', item: '' }, /under way/],
    [{ source: 'other', item: '' }, /nothing that Drydock reads/],
    [{ said: 'no-longer' }, /no longer in the way/],
  ] as const)('%#', (more, words) => expect(explain(blocker(more), context).sentence).toMatch(words))
})

it('calls nothing repaired at which the operator still fails', () => {
  const said = blocker({
    ...{ item: 'machine-config', reason: 'ClusterBootImageSkewError', said: 'no-longer' },
    message: 'Upgrades have been disabled due to Boot image update failures: boot image controller is degraded: x',
  })
  const passFailed = 'error syncing MAPI MachineSet a: failed to fetch arch'
  expect(explain(said, { ...context, passFailed })).toMatchObject({
    sentence: expect.stringMatching(
      /no longer in the way\..*not repaired: boot images could not be updated for 1 machine set\. .* is Degraded from the end of such a pass until another begins/,
    ) as unknown,
    remedies: [{ link: { href: '/boot-images?cluster=tidal' } }],
  })
  expect(explain(said, context).sentence).not.toContain('repaired')
  expect(explain(blocker({ said: 'no-longer' }), { ...context, passFailed }).sentence).not.toContain('repaired')
})

it.each([
  ['4.22.4', '4.22.6', 'patch'],
  ['4.22.4', '4.23.1', 'minor'],
  ['4.23.4', '5.0.1', 'minor'],
  ['4.22.4', '4.21.9', 'other'],
  ['4.22.4', 'nightly', 'other'],
] as const)('from %s to %s is %s', (from, to, kind) => expect(updateKind(from, to)).toBe(kind))

it.each([
  ['4.22.4', '4.23'],
  ['4.23.0', '5.0'],
  ['5.0.1', '5.1'],
  ['nightly', null],
  [null, null],
] as const)('after %s comes %s', (version, next) => expect(nextMinor(version)).toBe(next))
