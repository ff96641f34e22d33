import { describe, expect, it } from 'vitest'
import { platformWords } from '@/lib/domain/skew/platform-words'
import type { JsonObject } from '@/lib/domain/json'
import { whatFollows } from '@/lib/domain/skew/follows'
import type { KubeObject } from '@/lib/kubernetes/types'
import { skewRows } from './skew-rows'
import { CONFIG_MAP, objects, SCENARIOS, SETS } from './testing/samples'

const WORLDS = {
  aws: 'automatic',
  azure: 'automatic-degraded',
  gcp: 'automatic-progressing',
  vsphere: 'manual-in-range',
} as const

describe('each platform’s machine sets', () => {
  const of = (name: string) => {
    const platform = name.split('.')[0] as keyof typeof WORLDS
    const rows = skewRows(objects(WORLDS[platform], [SETS[name]!]), true)
    return rows.sets[0]!
  }
  it.each([
    ['aws.current', 'current', 'unchanged', '4.22.3'],
    ['aws.current-arm64', 'current', 'unchanged', '4.22.3'],
    // An id tells no more: only EC2 knows whose image it is.
    ['aws.outdated', 'unknown', 'undecided', null],
    ['aws.custom', 'unknown', 'undecided', null],
    ['aws.marketplace', 'unknown', 'undecided', null],
    ['aws.custom-ami-by-filter', 'custom', 'skip', null],
    // Before 4.23 it recognises none of the Marketplace, which alone could be updated there.
    ['aws.custom-region-not-in-stream', 'unknown', 'skip', null],
    ['aws.excluded-owner', 'excluded', 'skip', null],
    ['aws.excluded-stream', 'excluded', 'ignore', null],
    ['aws.excluded-windows', 'excluded', 'ignore', null],
    ['aws.error-arch', 'unknown', 'error', null],
    ['aws.outdated-with-errorMessage', 'unknown', 'undecided', null],
    ['azure.current', 'current', 'unchanged', '4.22.3'],
    ['azure.outdated', 'outdated', 'update', null],
    ['azure.outdated-gen1', 'outdated', 'update', '4.14.0'],
    ['azure.custom', 'unknown', 'error', null],
    ['azure.marketplace-current', 'current', 'unchanged', '4.22.3'],
    ['azure.excluded-owner', 'excluded', 'skip', null],
    ['azure.excluded-security', 'excluded', 'ignore', null],
    ['gcp.current', 'current', 'unchanged', '4.22.3'],
    ['gcp.current-arm64', 'current', 'unchanged', '4.22.3'],
    ['gcp.outdated', 'outdated', 'update', 'RHCOS 418.94.202511191518-0'],
    ['gcp.custom', 'custom', 'skip', null],
    ['gcp.marketplace', 'custom', 'skip', null],
    ['gcp.excluded-owner', 'excluded', 'skip', 'RHCOS 411.85.202203181601-0'],
    ['vsphere.managed-name', 'unknown', 'undecided', null],
    ['vsphere.managed-name-2', 'unknown', 'undecided', null],
    ['vsphere.custom', 'unknown', 'undecided', null],
    ['vsphere.error-failure-domain', 'unknown', 'error', null],
    ['vsphere.excluded-owner', 'excluded', 'skip', null],
  ])('%s', (name, state, outcome, dated) => {
    const row = of(name)
    expect(row).toMatchObject({ state, outcome, dated })
    expect(row.reason !== '' || row.state === 'current').toBe(true)
  })

  it.each([
    ['4.22.3', 'skip'],
    ['4.22.99', 'skip'],
    ['4.23.0', 'undecided'],
    ['5.0.9', 'undecided'],
  ])('in a region that the release has no image for: %s', (version, outcome) => {
    const clusterVersion = structuredClone(SCENARIOS[WORLDS.aws]!.clusterVersion)
    ;(clusterVersion.status as JsonObject).history = [{ state: 'Completed', version }]
    const rows = skewRows(objects(WORLDS.aws, [SETS['aws.custom-region-not-in-stream']!], { clusterVersion }), true)
    expect(rows.sets[0]).toMatchObject({ state: 'unknown', outcome })
    expect(rows.evidence.sets.skipped).toHaveLength(outcome === 'skip' ? 1 : 0)
  })

  it('is called a marketplace image where the name says so', () => {
    const marketplace = Object.keys(SETS).filter((name) => of(name).marketplace)
    expect(marketplace).toEqual(['azure.marketplace-current', 'azure.marketplace-outdated-emea', 'gcp.marketplace'])
  })

  it('has the words of why its machines are not made', () => {
    expect(of('aws.outdated-with-errorMessage').error).toBe('sample: machine template of this set was refused')
  })

  it('on Azure Stack Hub is left alone by the operator, and shown all the same', () => {
    const infrastructure = structuredClone(SCENARIOS['automatic-degraded']!.infrastructure)
    const status = infrastructure.status!.platformStatus as { azure?: JsonObject }
    status.azure = { ...status.azure, cloudName: 'AzureStackCloud' }
    const machineConfiguration = structuredClone(SCENARIOS['automatic-degraded']!.machineConfiguration)
    const sets = [SETS['azure.outdated']!]
    // Left over from a configuration before: its pass takes it for Azure.
    expect(skewRows(objects('automatic-degraded', sets, { infrastructure }), true).sets[0]?.outcome).toBe('update')
    delete (machineConfiguration.status as JsonObject).managedBootImagesStatus
    const rows = skewRows(objects('automatic-degraded', sets, { infrastructure, machineConfiguration }), true)
    expect(rows.platform).toBe('Azure Stack Hub')
    expect(rows.sets[0]).toMatchObject({ state: 'unknown', outcome: 'ignore', wanted: null })
    expect(rows.sets[0]?.current).toContain('/galleries/')
    expect(rows.sets[0]?.reason).toContain('on Azure Stack Hub: update them by hand')
  })
})

describe('a set that the operator failed on', () => {
  const CAUSE = 'error grabbing user data secret referenced in machineset: secrets "legacy-user-data" not found'
  const failing = (platform: keyof typeof WORLDS, names: string[], status = 'True', mode = 'All') => {
    const sets = names.map((name) => SETS[name]!)
    const machineConfiguration = structuredClone(SCENARIOS[WORLDS[platform]]!.machineConfiguration)
    const errors = sets.map(
      ({ metadata: { name } }) =>
        `error syncing MAPI MachineSet ${name}: failed to reconcile machineset ${name}, err: ${CAUSE}`,
    )
    const message = `${sets.length} Degraded MAPI MachineSets | 0 Degraded ControlPlaneMachineSets | 0 Degraded CAPI MachineSets | 0 Degraded CAPI MachineDeployments | Error(s): ${errors.length > 1 ? `[${errors.join(', ')}]` : errors[0]!}`
    machineConfiguration.status = {
      ...machineConfiguration.status,
      conditions: [{ type: 'BootImageUpdateDegraded', status, message }],
      managedBootImagesStatus: {
        machineManagers: [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode } }],
      },
    } as JsonObject
    return skewRows(objects(WORLDS[platform], sets, { machineConfiguration }), true).sets
  }

  it('is one that it fails on, in its words, whatever was foretold of it', () => {
    const [outdated] = failing('gcp', ['gcp.outdated'])
    expect(outdated).toMatchObject({ state: 'outdated', outcome: 'error' })
    expect(outdated?.reason).toMatch(`failed on it in its last pass: ${CAUSE}.`)
    // On vSphere nothing but the operator could tell.
    expect(failing('vsphere', ['vsphere.managed-name'])[0]).toMatchObject({ state: 'unknown', outcome: 'error' })
    // On AWS it asks the cloud before it compares.
    const both = failing('aws', ['aws.current', 'aws.outdated'])
    expect(both.map(({ state, outcome }) => [state, outcome])).toEqual([
      ['current', 'error'],
      ['unknown', 'error'],
    ])
    expect(both[0]?.reason).toBe(`The operator failed on it in its last pass: ${CAUSE}.`)
  })

  it('is not so while another pass is under way, nor where it is not managed', () => {
    expect(failing('gcp', ['gcp.outdated'], 'False')[0]).toMatchObject({ outcome: 'update' })
    expect(failing('gcp', ['gcp.outdated'], 'True', 'None')[0]).toMatchObject({ outcome: 'update' })
  })

  it('keeps the words of Drydock where that foretold it', () => {
    expect(failing('aws', ['aws.error-arch'])[0]?.reason).not.toContain(CAUSE)
  })
})

describe('the controller’s questions, in their order, on every platform', () => {
  const BASE = {
    aws: 'aws.current',
    azure: 'azure.outdated',
    gcp: 'gcp.outdated',
    vsphere: 'vsphere.managed-name',
  } as const
  const ARCH = 'capacity.cluster-autoscaler.kubernetes.io/labels'
  const platforms = Object.keys(BASE) as (keyof typeof BASE)[]
  const changes: [string, (set: KubeObject, version: KubeObject) => void, string, string][] = [
    [
      'an owner',
      (s) => (s.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'MachinePool', name: 'p', uid: 'u' }]),
      'excluded',
      'skip',
    ],
    [
      'another OS stream',
      (s) => (s.metadata.labels = { 'machineconfiguration.openshift.io/osstream': 'rhel-10' }),
      'excluded',
      'ignore',
    ],
    [
      'an empty OS stream',
      (s) => (s.metadata.labels = { 'machineconfiguration.openshift.io/osstream': '' }),
      'excluded',
      'ignore',
    ],
    [
      'Windows',
      (s) => ((s.spec!.template as JsonObject).metadata = { labels: { 'machine.openshift.io/os-id': 'Windows' } }),
      'excluded',
      'ignore',
    ],
    [
      'no architecture among several',
      (s, v) => ((s.metadata.annotations = {}), ((v.status!.desired as JsonObject).architecture = 'Multi')),
      'unknown',
      'skip',
    ],
    [
      'an architecture that there is not',
      (s) => (s.metadata.annotations = { [ARCH]: 'kubernetes.io/arch=sparc' }),
      'unknown',
      'error',
    ],
    ['an annotation without an architecture', (s) => (s.metadata.annotations = { [ARCH]: '' }), 'unknown', 'error'],
  ]
  it.each(
    changes.flatMap(([what, change, state, outcome]) =>
      platforms.map((platform) => [what, platform, change, state, outcome] as const),
    ),
  )('%s on %s', (_, platform, change, state, outcome) => {
    const world = WORLDS[platform]
    const set = structuredClone(SETS[BASE[platform]]!)
    const clusterVersion = structuredClone(SCENARIOS[world]!.clusterVersion)
    change(set, clusterVersion)
    expect(skewRows(objects(world, [set], { clusterVersion }), true).sets[0]).toMatchObject({ state, outcome })
  })

  it.each(platforms)('without the ConfigMap nothing is called current or outdated on %s', (platform) => {
    const rows = skewRows(objects(WORLDS[platform], [SETS[BASE[platform]]!], { configMap: undefined }), true)
    expect(rows.sets[0]).toMatchObject({ state: 'unknown', outcome: 'error' })
    expect(rows.sets[0]?.reason).toContain('coreos-bootimages is missing')
  })

  it.each(['OpenStack', 'Nutanix', 'IBMCloud', 'PowerVS', 'None', 'External', 'oVirt'])(
    '%s is named as one that the operator leaves alone',
    (type) => {
      const infrastructure = structuredClone(SCENARIOS.automatic!.infrastructure)
      ;(infrastructure.status!.platformStatus as JsonObject).type = type
      const row = skewRows(objects('automatic', [SETS['aws.outdated']!], { infrastructure }), true).sets[0]
      expect(row).toMatchObject({ state: 'unknown', outcome: 'ignore' })
      expect(row?.reason).toContain(`on ${platformWords(type)}: update them by hand`)
    },
  )
})

describe('sets that the operator leaves alone', () => {
  const OLD = { publisher: 'azureopenshift', offer: 'aro4', resourceID: '', sku: '412-v2', version: '412.86.20230101' }
  const OF_RELEASE = { ...OLD, sku: '420-v2', version: '9.6.20251015' }
  type Change = (set: KubeObject, spec: JsonObject) => void
  const secure: Change = (_, spec) => (spec.securityProfile = { settings: { securityType: 'TrustedLaunch' } })
  const other: Change = (set) => (set.metadata.labels = { 'machineconfiguration.openshift.io/osstream': 'rhel-10' })
  const windows: Change = (set) =>
    ((set.spec!.template as JsonObject).metadata = { labels: { 'machine.openshift.io/os-id': 'Windows' } })
  const beside = (image: JsonObject, ...changes: Change[]) => {
    const set = structuredClone(SETS['azure.current']!)
    set.metadata = { ...set.metadata, name: 'left-alone', uid: 'left-alone' }
    const spec = (set.spec!.template as { spec: { providerSpec: { value: JsonObject } } }).spec.providerSpec.value
    spec.image = image
    for (const change of changes) change(set, spec)
    return skewRows(objects('automatic-degraded', [SETS['azure.current']!, set]), true)
  }

  it.each<[string, Change]>([
    ['machines of a security type', secure],
    ['another OS stream', other],
  ])('are evidence like all others: %s', (_, change) => {
    const rows = beside(OLD, change)
    expect(rows.nodeRisk).toMatchObject({ level: 'likely' })
    expect(rows.nodeRisk.sentence).toContain('left-alone starts machines from an image below 4.13.0')
    expect(rows.confidence).toMatchObject({ level: 'against' })
    expect(rows.evidence.best).toMatchObject({ version: '4.12.0' })
  })

  it('are so, whatever the age of their image', () => {
    const { nodeRisk, evidence } = beside(OF_RELEASE, secure)
    expect(nodeRisk).toMatchObject({ level: 'no', sentence: expect.stringContaining('Every machine set') as string })
    expect(evidence.items.map(({ sentence }) => sentence)).toContain('left-alone names the boot image of 4.22.3.')
  })

  it.each<[string, Change[]]>([
    ['', [windows]],
    [', of whatever stream', [windows, other]],
  ])('but for Windows machines, of which it is not said that they start from the release’s%s', (_, changes) => {
    const { nodeRisk, evidence } = beside(OLD, ...changes)
    expect(JSON.stringify(evidence.items)).not.toContain('left-alone')
    expect(nodeRisk).toEqual({
      level: 'no',
      sentence:
        'Every machine set but left-alone starts machines from the image of this release. Windows machines do not start from RHCOS.',
    })
  })
})

describe('an image that is newer than the release’s', () => {
  it('is neither called older, nor the oldest in use', () => {
    const newer = structuredClone(SETS['gcp.current']!)
    newer.metadata = { ...newer.metadata, name: 'a-newer', uid: 'a-newer' }
    const { value } = (newer.spec!.template as { spec: { providerSpec: { value: { disks: { image: string }[] } } } })
      .spec.providerSpec
    value.disks[0]!.image = 'projects/rhcos-cloud/global/images/rhcos-9-9-20270101-0-gcp-x86-64'
    const rows = skewRows(objects('automatic-progressing', [newer, SETS['gcp.current']!]), true)
    expect(rows.sets[0]).toMatchObject({ state: 'outdated', dated: 'RHCOS 9.9.20270101-0' })
    expect(rows.nodeRisk.sentence).toBe(
      'a-newer starts from another image than that of this release, but from none below 4.13.0.',
    )
    expect(rows.evidence.best).toMatchObject({ versionKind: 'OCPVersion', version: '4.22.3' })
    expect(rows.evidence.best?.why).not.toContain('a-newer')
  })
})

describe('an image for other machines', () => {
  it('is told as that, and no machine starts from it', () => {
    const arm = structuredClone(SETS['gcp.current']!)
    arm.metadata = { ...arm.metadata, name: 'a-arm', uid: 'a-arm' }
    const { value } = (arm.spec!.template as { spec: { providerSpec: { value: { disks: { image: string }[] } } } }).spec
      .providerSpec
    value.disks[0]!.image = value.disks[0]!.image.replace('gcp-x86-64', 'gcp-aarch64')
    const rows = skewRows(objects('automatic-progressing', [arm, SETS['gcp.current']!]), true)
    expect(rows.sets[0]!.reason).toBe(
      'The release’s image for aarch64, and its machines are x86_64: none can start from it.',
    )
    expect(rows.sets[1]!.reason).toBe('')
    expect(rows.nodeRisk).toEqual({
      level: 'likely',
      sentence: 'a-arm starts machines from an image for aarch64, which they are not: no new one can start.',
    })
  })
})

describe('what stands in the place of a release', () => {
  const configMap = structuredClone(CONFIG_MAP) as KubeObject & { data: Record<string, string> }
  configMap.data.releaseVersion = '0.0.1-snapshot'
  const rows = skewRows(objects('automatic', [SETS['aws.current']!], { configMap }), true)

  it('dates no image', () => {
    expect(rows.sets[0]).toMatchObject({ state: 'current', dated: null })
    expect(rows.nodeRisk).toMatchObject({ level: 'no' })
    expect(rows.evidence.best?.version).not.toBe('0.0.1')
    expect(rows.evidence.streamVersion).toBeNull()
  })

  it('is recorded all the same, and that closes updates', () => {
    const { evidence, state, floor, version } = rows
    const follows = whatFollows({ action: 'automatic' }, { ...evidence, state: state!, floor, release: version })
    expect(follows).toMatchObject({ recorded: { ocpVersion: '0.0.1' }, judgement: { verdict: 'out-of-skew' } })
  })
})

describe('an image is no newer than the first machine made from it', () => {
  const HISTORY = [
    { state: 'Completed', version: '4.22.3', completionTime: '2026-10-01T00:00:00Z' },
    { state: 'Completed', version: '4.16.0', completionTime: '2024-09-20T00:00:00Z' },
    { state: 'Completed', version: '4.12.7', completionTime: '2023-05-20T00:00:00Z' },
  ]
  const IMAGE = {
    'f:spec': {
      'f:template': { 'f:spec': { 'f:providerSpec': { 'f:value': { 'f:ami': { 'f:id': {} }, 'f:template': {} } } } },
    },
  }
  const dated = (made: string | null, scenario: 'aws' | 'vsphere' = 'aws', other = false) => {
    const set = structuredClone(SETS[scenario === 'aws' ? 'aws.outdated' : 'vsphere.managed-name']!)
    set.metadata.managedFields = [
      { manager: 'machine-config-controller', time: '2024-11-03T00:00:00Z', fieldsV1: IMAGE },
    ]
    const like = structuredClone(set)
    like.metadata = { ...like.metadata, name: 'like', uid: 'like', managedFields: [] }
    const base = objects(WORLDS[scenario], other ? [set, like] : [set])
    const { clusterVersion } = base
    const value = (
      set.spec!.template as { spec: { providerSpec: { value: { ami?: { id: string }; template?: string } } } }
    ).spec.providerSpec.value
    const oldestMachines = new Map(made ? [[value.ami?.id ?? value.template ?? '', Date.parse(made)]] : [])
    const world = {
      ...base,
      clusterVersion: { ...clusterVersion!, status: { ...clusterVersion!.status, history: HISTORY } },
      oldestMachines,
    }
    return skewRows(world, true).sets.map((row) => row.dated)
  }
  it.each<[string, string | null, string]>([
    ['nothing made from it', null, '4.16.0'],
    ['made later', '2025-01-01T00:00:00Z', '4.16.0'],
    ['made before', '2023-08-01T00:00:00Z', '4.12.7'],
    ['made while the cluster was installed', '2023-05-19T00:00:00Z', '4.12.7'],
  ])('%s', (_, made, version) => {
    expect(dated(made)).toEqual([version])
  })

  it('nothing tells it on vSphere, where a template is replaced under its own name', () => {
    expect(dated('2023-08-01T00:00:00Z', 'vsphere')).toEqual([null])
  })

  it('what one set tells of it holds for another that has it', () => {
    expect(dated('2023-08-01T00:00:00Z', 'aws', true)).toEqual(['4.12.7', '4.12.7'])
  })

  it('what a set told of it before it got another one holds for those that still have it', () => {
    const set = structuredClone(SETS['aws.outdated']!)
    set.metadata.managedFields = []
    const world = objects(WORLDS.aws, [set])
    const [row] = skewRows(world, true).sets
    expect(row).toMatchObject({ dated: null })
    const told = { kind: 'OCPVersion', version: '4.16.0', sure: 'likely', because: 'w had it' } as const
    const with16 = skewRows({ ...world, former: new Map([[row!.current!, told]]) }, true)
    expect(with16.sets[0]).toMatchObject({ dated: '4.16.0', datedSure: 'likely' })
    expect(JSON.stringify(with16.evidence.items)).toContain('4.16.0')
  })
})
