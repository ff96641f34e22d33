import { describe, expect, it } from 'vitest'
import type { ManagedSchema } from '@/lib/domain/boot-images/managed/managing'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { skewRows, type SkewRows } from './skew-rows'
import { objects, SCENARIOS, SETS } from './testing/samples'

const rowsOf = (scenario: string, supported = true): SkewRows => skewRows(objects(scenario), supported)

describe('each scenario’s verdict', () => {
  it.each([
    ['absent', 'evaluating', null, null, 'The cluster has not said yet how it limits the age of boot images.'],
    [
      'automatic',
      'ok',
      'Automatic',
      9,
      'In range. Recorded automatically: 4.22.3, the floor is 4.13.0. Boot images keep nothing closed.',
    ],
    [
      'automatic-skipped',
      'ok',
      'Automatic',
      1,
      'In range. Recorded automatically: 4.14.8, the floor is 4.13.0. Boot images keep nothing closed.',
    ],
    [
      'automatic-out-of-skew',
      'out-of-skew',
      'Automatic',
      -2,
      'Boot image 4.11.22 is below the floor 4.13.0. Updates are closed.',
    ],
    [
      'automatic-degraded',
      'update-failing',
      'Automatic',
      9,
      'Boot images could not be updated for 1 machine set. Updates are closed until that is repaired and another pass has come through.',
    ],
    [
      'automatic-progressing',
      'evaluating',
      'Automatic',
      9,
      'The operator is going through the machine sets; the record is compared once it is done.',
    ],
    [
      'manual-in-range',
      'ok',
      'Manual',
      4,
      'In range. Acknowledged: RHCOS 9.6.20251023-0 (RHEL 9.6), the floor is RHEL 9.2. Boot images keep nothing closed.',
    ],
    [
      'manual-default-install-version',
      'ok',
      'Manual',
      3,
      'In range. Recorded by the operator: 4.16.4, the floor is 4.13.0. Boot images keep nothing closed.',
    ],
    [
      'manual-out-of-skew',
      'out-of-skew',
      'Manual',
      -7,
      'Boot image RHCOS 411.86.202308081056-0 (RHEL 8.6) is below the floor RHEL 9.2. Updates are closed.',
    ],
    [
      'manual-out-of-skew-ocp',
      'out-of-skew',
      'Manual',
      -1,
      'Boot image 4.12.0 is below the floor 4.13.0. Updates are closed.',
    ],
    [
      'manual-out-of-skew-hidden-by-degraded-pool',
      'out-of-skew',
      'Manual',
      -7,
      'Boot image RHCOS 411.86.202308081056-0 (RHEL 8.6) is below the floor RHEL 9.2. Updates are closed.',
    ],
    [
      'manual-pending',
      'ok',
      'Automatic',
      9,
      'In range. Recorded automatically: 4.22.3, the floor is 4.13.0. Boot images keep nothing closed.',
    ],
    [
      'none',
      'not-enforced',
      'None',
      null,
      'Enforcement is off: nobody checks the age of the boot image. Boot images keep nothing closed.',
    ],
  ])('%s', (scenario, verdict, mode, minors, sentence) => {
    const rows = rowsOf(scenario)
    expect(rows.judgement).toMatchObject({ verdict, sentence })
    expect(rows.state?.mode ?? null).toBe(mode)
    expect(rows.distance?.minors ?? null).toBe(minors)
    expect(rows.judgement.blocks !== null).toBe(['out-of-skew', 'update-failing'].includes(verdict))
    expect(rows.modeWhy).not.toBeNull()
  })

  it('closes updates exactly where the cluster’s own operator does', () => {
    for (const [name, { clusterOperator }] of Object.entries(SCENARIOS)) {
      const conditions = clusterOperator.status?.conditions as { type: string; status: string }[]
      const closed = conditions.some((c) => c.type === 'Upgradeable' && c.status === 'False')
      const rows = rowsOf(name, name !== 'release-4.21')
      expect([name, rows.judgement.blocks !== null]).toEqual([name, closed])
      // ClusterVersion says the same, and on 4.21 has a reason of its own.
      expect([name, rows.updateOpen]).toEqual([name, !closed && name !== 'release-4.21'])
    }
  })

  it.each([
    ['False', false],
    ['Unknown', null],
    ['True', true],
  ])('ClusterVersion says of updates: %s', (status, open) => {
    const clusterVersion = structuredClone(SCENARIOS.automatic!.clusterVersion)
    ;(clusterVersion.status as JsonObject).conditions = [{ type: 'Upgradeable', status, reason: 'x', message: 'x' }]
    expect(skewRows(objects('automatic', [], { clusterVersion }), true).updateOpen).toBe(open)
  })

  it('4.21 has no limit: without the field, and with a field that nobody acts on', () => {
    const without = rowsOf('release-4.21', false)
    expect(without).toMatchObject({
      availability: 'no-field',
      judgement: { verdict: 'unsupported-release', blocks: null },
    })
    const preview = rowsOf('release-4.21', true)
    expect(preview).toMatchObject({ availability: 'field-without-operator', distance: null })
    expect(preview.judgement.sentence).toContain('no operator of that release acts on them')
  })

  it('where its status says the mode, its schema has it, whatever could be read of that', () => {
    for (const found of [false, null])
      expect(skewRows(objects('manual-out-of-skew-ocp'), found)).toEqual(rowsOf('manual-out-of-skew-ocp'))
  })

  it('where neither its schema nor its status tells, that is what it says', () => {
    const rows = skewRows(objects('absent'), null)
    expect(rows).toMatchObject({ availability: 'not-read', judgement: { verdict: 'unknown', blocks: null } })
    expect(rows.judgement.sentence).not.toContain('does not know')
    expect(skewRows(objects('release-4.21'), null)).toMatchObject({ availability: 'no-field' })
  })

  it('what was acknowledged and is not taken up yet is no evidence', () => {
    const { evidence, modeWhy } = rowsOf('manual-pending')
    expect(evidence.items[0]?.sentence).toContain('it records its own release')
    expect(modeWhy).toContain('has not taken up the newest configuration, which leads to Manual')
  })

  it('a record of passes that pass over every set tells nothing of an image', () => {
    const other = structuredClone(SETS['aws.current']!)
    other.metadata.labels = { 'machineconfiguration.openshift.io/osstream': 'rhel-10' }
    const { evidence } = skewRows(objects('automatic', [other]), true)
    expect(evidence.items[0]).toMatchObject({ source: 'recorded', sure: 'unknown' })
    expect(skewRows(objects('automatic', [SETS['aws.current']!]), true).evidence.items[0]!.sure).toBe('certain')
  })

  it('says which machine sets are managed, and that it was not told yet', () => {
    const modes = Object.keys(SCENARIOS).map((name) => [name, rowsOf(name).managedMode])
    expect(Object.fromEntries(modes)).toMatchObject({
      ...{ automatic: 'all', 'manual-in-range': 'none', none: 'not-managed', absent: 'not-told' },
    })
  })

  it('where neither the release nor what is served is known, that is what it says', () => {
    const of = (schema?: ManagedSchema) => {
      const { managedMode, managed } = skewRows(objects('absent', [], { clusterVersion: undefined }), true, schema)
      return [managedMode, managed.words]
    }
    expect(of()).toEqual(['not-told', 'not told: the version of the cluster is not known'])
    expect(of({ spec: true, status: true, none: true })).toEqual(['not-told', 'not told'])
  })

  it('without a MachineConfiguration nothing is claimed', () => {
    const rows = skewRows(objects('automatic', [], { machineConfiguration: undefined }), true)
    expect(rows).toMatchObject({ availability: 'no-configuration', judgement: { verdict: 'unknown', blocks: null } })
  })

  it('with no object at all nothing throws', () => {
    const none = { machineConfiguration: undefined, configMap: undefined, clusterVersion: undefined }
    const rows = skewRows(
      { ...none, infrastructure: undefined, operator: undefined, machineSets: [], controlPlanes: [] },
      true,
    )
    expect(rows).toMatchObject({ judgement: { verdict: 'unknown' }, updateOpen: null, platform: null, version: null })
  })

  it('the oldest node is evidence', () => {
    const oldestNode = { name: 'oar-0', joinedAt: '2025-01-01T00:00:00Z', of: 6 }
    const { evidence } = skewRows(objects('none', [], { oldestNode }), true)
    expect(evidence.items.at(-1)).toMatchObject({ source: 'oldest-node', sure: 'likely' })
  })

  it('bare metal is judged by the address that it starts from', () => {
    const infrastructure = structuredClone(SCENARIOS.none!.infrastructure)
    ;(infrastructure.status!.platformStatus as JsonObject).type = 'BareMetal'
    const { spec: _, ...bare } = SCENARIOS['manual-default-install-version']!.machineConfiguration
    const of = (provisioning: KubeObject | null | undefined) =>
      skewRows(
        objects('manual-default-install-version', [], {
          infrastructure,
          provisioning,
          machineConfiguration: { ...bare, spec: {} } as KubeObject,
        }),
        true,
      )
    const legacy = {
      metadata: { name: 'provisioning-configuration' },
      spec: { provisioningOSDownloadURL: 'http://x/rhcos.qcow2.gz' },
    }
    expect(of(legacy as unknown as KubeObject)).toMatchObject({
      modeWhy: expect.stringContaining('does not update boot images on bare metal') as string,
    })
    expect([legacy as unknown as KubeObject, undefined, null].map((one) => of(one).nodeRisk.level)).toEqual([
      ...['unknown', 'unknown', 'no'],
    ])
    expect(of(null).modeWhy).toContain('leads to None, and the operator says Manual')
    expect(of(undefined).modeWhy).toContain('does not update boot images on bare metal')
  })

  it('an acknowledgement on bare metal is supported by the image that is part of the release', () => {
    const infrastructure = structuredClone(SCENARIOS.none!.infrastructure)
    ;(infrastructure.status!.platformStatus as JsonObject).type = 'BareMetal'
    const set = structuredClone(SETS['aws.current']!)
    set.metadata = { ...set.metadata, name: 'hall-2' }
    ;(set.spec!.template as { spec: { providerSpec: JsonObject } }).spec.providerSpec = { value: { hostSelector: {} } }
    const of = (provisioning: KubeObject | null | undefined) =>
      skewRows(objects('manual-out-of-skew-ocp', [set], { infrastructure, provisioning }), true)
    const { nodeRisk, evidence, flaggedWhy, confidence } = of(null)
    expect(nodeRisk.level).toBe('no')
    expect(confidence).toEqual({
      level: 'likely',
      why: 'hall-2 starts machines from an image that is part of the release, 4.22.3.',
    })
    expect(evidence.best).toMatchObject({ versionKind: 'OCPVersion', version: '4.22.3', sure: 'likely' })
    expect(flaggedWhy).toBeNull()
    // Who cannot read the address does not know it.
    expect(of(undefined)).toMatchObject({ nodeRisk: { level: 'unknown' }, confidence: { level: 'unknown' } })
  })

  it('on bare metal a set that names an image of its own starts from that, and nothing tells how old it is', () => {
    const infrastructure = structuredClone(SCENARIOS.none!.infrastructure)
    ;(infrastructure.status!.platformStatus as JsonObject).type = 'BareMetal'
    const url = 'https://images.example.test/rhcos.qcow2'
    const set = (name: string, value: JsonObject, kind = 'MachineSet') => {
      const made = structuredClone(SETS['aws.current']!)
      made.kind = kind
      made.metadata = { ...made.metadata, name, uid: `00000000-0000-4000-8000-00000000000${name.length}` }
      const spec = { providerSpec: { value } }
      ;(made.spec as JsonObject).template =
        kind === 'MachineSet' ? { spec } : { machines_v1beta1_machine_openshift_io: { spec } }
      return made
    }
    const own = { image: { url, checksum: `${url}.md5sum` } }
    const of = (...sets: KubeObject[]) =>
      skewRows(
        {
          ...objects(
            'manual-out-of-skew-ocp',
            sets.filter(({ kind }) => kind === 'MachineSet'),
            { infrastructure, provisioning: null },
          ),
          controlPlanes: sets.filter(({ kind }) => kind !== 'MachineSet'),
        },
        true,
      )
    const plane = set('cluster', { hostSelector: {} }, 'ControlPlaneMachineSet')
    const one = of(set('a', own), plane)
    expect(one.nodeRisk).toEqual({
      level: 'unknown',
      sentence: 'Nothing in the cluster tells how old the image of a is: whether a new machine joins is not known.',
    })
    expect(one.evidence.best?.version).not.toBe('4.22.3')
    expect(one.sets).toMatchObject([
      {
        current: url,
        dated: null,
        reason: expect.stringMatching(/names an image of its own.*nothing.*how old/) as string,
      },
      // The control plane's is part of the release, wherever it is spoken of.
      {
        current: null,
        dated: '4.22.3',
        datedSure: 'likely',
        reason: expect.stringContaining('part of the release') as string,
      },
    ])
    const mixed = of(set('a', own), set('bb', { hostSelector: {} }))
    expect(mixed.nodeRisk.sentence).toContain('the image of a is')
    expect(mixed.sets.map(({ dated }) => dated)).toEqual([null, '4.22.3'])
    // A deployment of its own method has no use for the address.
    const installed = of(set('a', { ...own, customDeploy: { method: 'install_coreos' } }))
    expect(installed).toMatchObject({ nodeRisk: { level: 'no' }, sets: [{ current: null, dated: '4.22.3' }] })
  })
})

describe('modes and records on each platform’s sample', () => {
  const status = (scenario: string, enforcement: JsonObject | null, conditions: JsonObject[]): KubeObject => {
    const base = structuredClone(SCENARIOS[scenario]!.machineConfiguration)
    const generation = base.metadata.generation ?? 1
    base.status = {
      observedGeneration: generation,
      conditions,
      ...(enforcement && { bootImageSkewEnforcementStatus: enforcement }),
    }
    return base
  }
  const settled = [
    { type: 'BootImageUpdateProgressing', status: 'False', message: '' },
    { type: 'BootImageUpdateDegraded', status: 'False', message: '' },
  ]
  const manual = (version: JsonObject) => ({ mode: 'Manual', manual: version })
  const automatic = (ocpVersion: string) => ({ mode: 'Automatic', automatic: { ocpVersion } })
  const rows: [string, JsonObject | null, JsonObject[], string][] = [
    ['no mode', null, settled, 'evaluating'],
    ['None', { mode: 'None' }, settled, 'not-enforced'],
    ['Manual OCP below', manual({ mode: 'OCPVersion', ocpVersion: '4.12.99' }), settled, 'out-of-skew'],
    ['Manual OCP at the floor', manual({ mode: 'OCPVersion', ocpVersion: '4.13.0' }), settled, 'ok'],
    ['Manual RHCOS below', manual({ mode: 'RHCOSVersion', rhcosVersion: '9.1.20251023-0' }), settled, 'out-of-skew'],
    [
      'Manual RHCOS below, older form',
      manual({ mode: 'RHCOSVersion', rhcosVersion: '48.84.202208021106-0' }),
      settled,
      'out-of-skew',
    ],
    ['Manual RHCOS at the floor', manual({ mode: 'RHCOSVersion', rhcosVersion: '9.2.20251023-0' }), settled, 'ok'],
    ['both: OCP decides', manual({ ocpVersion: '4.16.0', rhcosVersion: '8.6.20230101-0' }), settled, 'ok'],
    ['unknown installation', manual({ mode: 'OCPVersion', ocpVersion: '0.0.0' }), settled, 'out-of-skew'],
    ['Manual with nothing', manual({}), settled, 'not-enforced'],
    ['Manual, not readable', manual({ ocpVersion: '04.012.09' }), settled, 'not-enforced'],
    ['Automatic in range', automatic('4.22.3'), settled, 'ok'],
    ['Automatic below', automatic('4.12.7'), settled, 'out-of-skew'],
    [
      'Automatic below, in a pass',
      automatic('4.12.7'),
      [{ ...settled[0]!, status: 'True' }, settled[1]!],
      'evaluating',
    ],
    ['Automatic below, progress not known', automatic('4.12.7'), [], 'evaluating'],
    ['Automatic, failing', automatic('4.22.3'), [settled[0]!, { ...settled[1]!, status: 'True' }], 'update-failing'],
    [
      'Manual below, failing all the same',
      manual({ ocpVersion: '4.12.7' }),
      [settled[0]!, { ...settled[1]!, status: 'True' }],
      'out-of-skew',
    ],
  ]
  const scenarios = ['automatic', 'automatic-degraded', 'automatic-progressing', 'manual-in-range', 'none']
  it.each(
    rows.flatMap(([what, enforcement, conditions, verdict]) =>
      scenarios.map((s) => [what, s, enforcement, conditions, verdict] as const),
    ),
  )('%s on the sample %s', (_, scenario, enforcement, conditions, verdict) => {
    const machineConfiguration = status(scenario, enforcement, conditions)
    // What the sample's ClusterOperator says is of its own record, and so is what its ClusterVersion repeats of it.
    const clusterVersion = structuredClone(objects(scenario, []).clusterVersion!)
    Object.assign(clusterVersion.status as object, { conditions: [] })
    const changed = { machineConfiguration, clusterVersion, operator: undefined }
    const { judgement } = skewRows(objects(scenario, [], changed), true)
    expect(judgement.verdict).toBe(verdict)
  })
})
