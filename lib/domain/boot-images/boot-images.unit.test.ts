import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json'
import { degradedMessage, passCounts, progressingMessage } from './counts'
import { enrolled, matches } from './enrol'
import { halfPass, noStats } from './pass'
import { bootImageState } from './state'
import { parseStreamMap } from './stream'
import type { ImageContext, ImageSet } from './types'

const azureImage = (sku: string) => ({ publisher: 'azureopenshift', offer: 'aro4', sku, version: '9.6.20260101' })
const arch = (more: JsonObject = {}): JsonObject => ({
  artifacts: {
    aws: { release: '9.8.20260714-0', formats: {} },
    vmware: { release: '9.8.20260714-0', formats: { ova: { disk: {} } } },
  },
  images: {
    aws: { regions: { 'us-east-1': { release: '9.8.20260714-0', image: 'ami-new' } } },
    gcp: { release: '9.8.20260714-0', project: 'rhcos-cloud', name: 'rhcos-9-8-20260714-0-gcp-x86-64' },
  },
  'rhel-coreos-extensions': {
    marketplace: {
      azure: {
        'no-purchase-plan': { hyperVGen1: azureImage('aro_420'), hyperVGen2: azureImage('420-v2') },
        'ocp-emea': {
          hyperVGen2: { publisher: 'redhat-limited', offer: 'rh-ocp-worker', sku: 'rh-ocp-worker', version: '4.18.1' },
        },
      },
    },
  },
  ...more,
})
const streamOf = (architectures: JsonObject) => JSON.stringify({ stream: 'rhel-9.8', metadata: {}, architectures })
const data = { releaseVersion: '4.22.4', stream: streamOf({ x86_64: arch(), s390x: { artifacts: {}, images: {} } }) }

const context = (platform: string, more: Partial<ImageContext> = {}): ImageContext => ({
  platform,
  infrastructureName: 'demo',
  multiArch: false,
  controlPlaneArch: 'x86_64',
  stream: parseStreamMap(data),
  failureDomains: [{ name: 'a', server: 'vc', datacenter: 'DC0', datastore: 'ds', resourcePool: '/pool', vmGroup: '' }],
  ...more,
})

const SPECS: Record<string, JsonObject> = {
  AWS: { ami: { id: 'ami-new' }, placement: { region: 'us-east-1' } },
  GCP: { disks: [{ boot: true, image: 'projects/rhcos-cloud/global/images/rhcos-9-8-20260714-0-gcp-x86-64' }] },
  Azure: { image: { ...azureImage('420-v2'), resourceID: '', type: 'MarketplaceNoPlan' } },
  VSphere: {
    template: 'tmpl',
    workspace: { server: 'vc', datacenter: 'DC0', datastore: 'ds', resourcePool: '/pool/' },
  },
}

const set = (spec: JsonObject | null, more: Partial<ImageSet> = {}): ImageSet => ({
  kind: 'MachineSet',
  name: 'worker-a',
  replicas: 2,
  labels: {},
  templateLabels: {},
  annotations: {},
  owners: [],
  providerSpec: spec && { userDataSecret: { name: 'worker-user-data' }, ...spec },
  ...more,
})
const ARCH = 'capacity.cluster-autoscaler.kubernetes.io/labels'
const image = (value: JsonObject): JsonObject => ({ image: value })

describe('questions asked on every platform, in their order', () => {
  const owned = { owners: [{ kind: 'MachinePool', name: 'p' }] }
  const windows = { templateLabels: { 'machine.openshift.io/os-id': 'Windows' } }
  const stream = (value: string) => ({ labels: { 'machineconfiguration.openshift.io/osstream': value } })
  it.each([
    ['an owner', owned, 'excluded', 'skip'],
    ['an owner before Windows', { ...owned, ...windows }, 'excluded', 'skip'],
    ['another stream', stream('rhel-10'), 'excluded', 'ignore'],
    ['an empty stream', stream(''), 'excluded', 'ignore'],
    [
      'a stream before a bad architecture',
      { ...stream('rhel-10'), annotations: { [ARCH]: 'kubernetes.io/arch=mips' } },
      'excluded',
      'ignore',
    ],
    ['Windows', windows, 'excluded', 'ignore'],
    [
      'windows in small letters, which is Linux',
      { templateLabels: { 'machine.openshift.io/os-id': 'windows' } },
      'current',
      'unchanged',
    ],
    ['an unknown architecture', { annotations: { [ARCH]: 'kubernetes.io/arch=x86_64' } }, 'unknown', 'error'],
    ['an annotation without architecture', { annotations: { [ARCH]: '' } }, 'unknown', 'error'],
    [
      'the first of two architectures',
      { annotations: { [ARCH]: 'a=b, kubernetes.io/arch=amd64,kubernetes.io/arch=s390x' } },
      'current',
      'unchanged',
    ],
  ] as [string, Partial<ImageSet>, string, string][])('%s', (_, more, state, outcome) => {
    for (const platform of ['AWS', 'GCP', 'Azure'])
      expect(bootImageState(set(SPECS[platform]!, more), context(platform))).toMatchObject({ state, outcome })
  })

  it('skips a set that does not say its architecture where there are several', () => {
    const multi = { multiArch: true }
    // What is to be done stands beside what follows.
    const reason = expect.stringMatching(
      /so the operator leaves its image as it is: annotate it with capacity/,
    ) as string
    const found = bootImageState(set(SPECS.GCP!), context('GCP', multi))
    expect(found).toMatchObject({ state: 'unknown', outcome: 'skip', reason })
    const said = { annotations: { [ARCH]: 'kubernetes.io/arch=amd64' } }
    expect(bootImageState(set(SPECS.GCP!, said), context('GCP', multi)).state).toBe('current')
  })

  it.each(['BareMetal', 'OpenStack', 'Nutanix', 'None', 'PowerVS'])(
    'of such a set on %s it says as much as of any other there: saying an architecture changes nothing',
    (platform) => {
      const { reason } = bootImageState(set({}), context(platform, { limited: true }))
      const found = bootImageState(set({}), context(platform, { limited: true, multiArch: true }))
      expect(found).toMatchObject({ state: 'unknown', outcome: 'skip', cause: 'platform', reason })
    },
  )

  it.each(['OpenStack', 'Nutanix', 'None', ''])('leaves %s alone, and says what to do', (platform) => {
    const found = bootImageState(set({}), context(platform))
    expect(found).toMatchObject({ state: 'unknown', outcome: 'ignore' })
    expect(found.reason).toMatch(/: update them by hand\.$/)
    const limited = bootImageState(set({}), context(platform, { limited: true }))
    expect(limited.reason).toMatch(/: update them by hand and acknowledge the version\.$/)
  })

  it('says on bare metal that the release itself has the image', () => {
    const found = bootImageState(set({}), context('BareMetal'))
    expect(found).toMatchObject({ state: 'unknown', outcome: 'ignore' })
    expect(found.reason).toContain('an image that is part of the release')
  })

  it.each([
    ['missing', undefined],
    ['without a stream', {}],
    ['of broken JSON', { stream: '{' }],
    ['of another shape', { stream: '[1]' }],
  ])('says so where the ConfigMap is %s', (_, broken) => {
    const found = bootImageState(set(SPECS.AWS!), context('AWS', { stream: parseStreamMap(broken) }))
    expect(found).toMatchObject({ state: 'unknown', outcome: 'error', current: 'ami-new' })
    expect(found.reason).toContain('coreos-bootimages')
  })
})

describe('each platform’s own image', () => {
  const old = (more: JsonObject = {}) => ({
    ...azureImage('420-v2'),
    version: '9.4.1',
    resourceID: '',
    type: 'MarketplaceNoPlan',
    ...more,
  })
  it.each([
    ['AWS', { ami: { id: 'ami-old' }, placement: { region: 'us-east-1' } }, 'unknown', 'undecided'],
    ['AWS', { ami: { filters: [] }, placement: { region: 'us-east-1' } }, 'custom', 'skip'],
    ['AWS', { placement: { region: 'us-east-1' } }, 'custom', 'skip'],
    ['AWS', { ami: { id: 'ami-new' }, placement: { region: 'mars-1' } }, 'unknown', 'undecided'],
    [
      'GCP',
      { disks: [{ boot: true, image: 'projects/rhcos-cloud/global/images/rhcos-418-94-202511191518-0-gcp-x86-64' }] },
      'outdated',
      'update',
    ],
    ['GCP', { disks: [{ boot: true, image: 'projects/corp/global/images/x' }] }, 'custom', 'skip'],
    [
      'GCP',
      { disks: [{ boot: true, image: 'https://www.googleapis.com/compute/v1/projects/rhcos-cloud/global/images/x' }] },
      'custom',
      'skip',
    ],
    ['GCP', { disks: [{ image: 'projects/corp/global/images/x' }] }, 'unknown', 'unchanged'],
    [
      'GCP',
      { disks: [SPECS.GCP!.disks, { boot: true, image: 'projects/corp/global/images/x' }].flat() },
      'custom',
      'skip',
    ],
    ['Azure', image(old()), 'outdated', 'update'],
    ['Azure', image({ ...azureImage('420-v2'), resourceID: '' }), 'outdated', 'update'],
    ['Azure', image({ resourceID: '/galleries/x/images/demo-gen2/versions/1' }), 'outdated', 'update'],
    ['Azure', image({ publisher: 'corp', offer: 'o', sku: 's', version: '1' }), 'unknown', 'error'],
    [
      'Azure',
      image({ publisher: 'redhat-limited', offer: 'rh-ocp-worker', sku: 'rh-ocp-worker', version: '1' }),
      'outdated',
      'update',
    ],
    [
      'Azure',
      image({ publisher: 'redhat-limited', offer: 'rh-ocp-worker', sku: 'x-gen1', version: '1' }),
      'unknown',
      'error',
    ],
    ['Azure', image({ publisher: 'redhat', offer: 'rh-ocp-worker', sku: 'x', version: '1' }), 'unknown', 'error'],
    [
      'Azure',
      { ...image(old()), securityProfile: { settings: { securityType: 'TrustedLaunch' } } },
      'excluded',
      'ignore',
    ],
    ['VSphere', SPECS.VSphere!, 'unknown', 'undecided'],
    ['VSphere', { ...SPECS.VSphere!, workspace: { server: 'other' } }, 'unknown', 'error'],
    ['VSphere', { template: 'x' }, 'unknown', 'crash'],
  ] as [string, JsonObject, string, string][])('%s %j: %s, %s', (platform, spec, state, outcome) => {
    expect(bootImageState(set(spec), context(platform))).toMatchObject({ state, outcome })
  })

  it('writes the generation that the set has', () => {
    const gen = (value: JsonObject) =>
      (bootImageState(set(image(value)), context('Azure')).patch?.image as JsonObject).sku
    expect(gen({ resourceID: '/x/demo-gen2/1' })).toBe('420-v2')
    expect(gen({ resourceID: '/x/demo/1' })).toBe('aro_420')
    expect(gen(old({ sku: 'aro_410' }))).toBe('aro_420')
    expect(gen(old({ sku: 'aro_410', type: '' }))).toBe('420-v2')
  })

  it('knows that the release may lack what is needed', () => {
    const without = (more: JsonObject) => ({ stream: parseStreamMap({ stream: streamOf({ x86_64: arch(more) }) }) })
    expect(bootImageState(set(SPECS.GCP!), context('GCP', without({ images: {} }))).outcome).toBe('crash')
    expect(bootImageState(set(SPECS.AWS!), context('AWS', without({ images: {} }))).outcome).toBe('undecided')
    expect(bootImageState(set(SPECS.Azure!), context('Azure', without({ 'rhel-coreos-extensions': {} }))).outcome).toBe(
      'skip',
    )
    expect(
      bootImageState(set(SPECS.Azure!), context('Azure', without({ 'rhel-coreos-extensions': null }))).outcome,
    ).toBe('crash')
    expect(bootImageState(set(SPECS.VSphere!), context('VSphere', without({ artifacts: {} }))).outcome).toBe('error')
  })

  it('looks at the user data only when an image is due', () => {
    const stale = { disks: [{ boot: true, image: 'projects/rhcos-cloud/global/images/rhcos-a' }] }
    const outcome = (spec: JsonObject, userData: string | undefined) =>
      bootImageState(set(spec), context('GCP', { data: () => (userData === undefined ? undefined : { userData }) }))
        .outcome
    expect(outcome(SPECS.GCP!, undefined)).toBe('unchanged')
    expect(outcome(stale, undefined)).toBe('error')
    expect(outcome(stale, '{"ignition":{"version":"3.2.0"}}')).toBe('update')
    expect(outcome(stale, '{"ignition":{"version":"2.2.0"}}')).toBe('update')
    expect(outcome(stale, '{"ignition":{"version":"4.0.0"}}')).toBe('error')
    expect(outcome(stale, '[]')).toBe('crash')
    expect(outcome({ ...stale, userDataSecret: null }, '{}')).toBe('crash')
  })

  it('fails at the secret alone, which is what the operator then says', () => {
    const stale = set({ disks: [{ boot: true, image: 'projects/rhcos-cloud/global/images/rhcos-a' }] })
    const pass = halfPass('sets', noStats(), [stale], (s) =>
      bootImageState(s, context('GCP', { data: () => undefined })),
    )
    const said = [...pass].flatMap((step) =>
      step.kind === 'condition' && step.status === 'True' ? [step.message] : [],
    )
    expect(said.at(-1)).toMatch(/machineset worker-a, err: Its user-data secret worker-user-data does not exist\.$/)
  })

  it('passes over a control plane set without a word where it is not its business', () => {
    const plane = { kind: 'ControlPlaneMachineSet' as const }
    expect(
      bootImageState(set({ disks: [{ boot: true, image: 'projects/corp/x' }] }, plane), context('GCP')).outcome,
    ).toBe('ignore')
    expect(bootImageState(set(SPECS.VSphere!, plane), context('VSphere')).outcome).toBe('ignore')
    expect(
      bootImageState(
        set({ disks: [{ boot: true, image: 'projects/rhcos-cloud/global/images/a' }] }, plane),
        context('GCP'),
      ).outcome,
    ).toBe('update')
  })

  it('never throws and always says why, whatever stands in a set', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('AWS', 'GCP', 'Azure', 'VSphere', 'Other'),
        fc.jsonValue(),
        fc.jsonValue(),
        (platform, a, b) => {
          const spec = { ami: a, image: a, disks: b, workspace: b, placement: a, template: b } as JsonObject
          const found = bootImageState(set(spec), context(platform))
          expect(found.state === 'current' || found.reason.length > 0).toBe(true)
        },
      ),
    )
  })
})

describe('which sets are managed', () => {
  const managers = (mode: string, partial?: object) => [
    {
      resource: 'machinesets',
      apiGroup: 'machine.openshift.io',
      selection: { mode, ...(partial && { partial: partial as never }) },
    },
  ]
  it('by mode and by the labels of the object', () => {
    const one = { kind: 'MachineSet' as const, labels: { a: '1' } }
    expect(enrolled(undefined, one)).toBe(false)
    expect(enrolled(managers('All'), one)).toBe(true)
    expect(enrolled(managers('None'), one)).toBe(false)
    expect(enrolled(managers('All'), { ...one, kind: 'ControlPlaneMachineSet' })).toBe(false)
    expect(enrolled(managers('Partial', { machineResourceSelector: { matchLabels: { a: '1' } } }), one)).toBe(true)
    expect(enrolled(managers('Partial', { machineResourceSelector: {} }), one)).toBe(true)
    expect(enrolled(managers('Partial', { machineResourceSelector: { matchLabels: { a: '2' } } }), one)).toBe(false)
  })
  it.each([
    [{ key: 'a', operator: 'In', values: ['1'] }, true],
    [{ key: 'b', operator: 'NotIn', values: ['1'] }, true],
    [{ key: 'a', operator: 'NotIn', values: ['1'] }, false],
    [{ key: 'a', operator: 'Exists' }, true],
    [{ key: 'a', operator: 'DoesNotExist' }, false],
    [{ key: 'a', operator: 'Bogus' }, 'invalid'],
  ])('%j', (expression, answer) => {
    expect(matches({ matchExpressions: [expression] }, { a: '1' })).toBe(answer)
  })
})

describe('what the controller says about its pass', () => {
  it('is read back as it was written', () => {
    const number = fc.nat({ max: 60 })
    fc.assert(
      fc.property(
        number,
        number,
        number,
        number,
        number,
        fc.option(fc.constant('error syncing | x')),
        (reconciled, skipped, degraded, controlPlaneDegraded, more, errors) => {
          const counts = {
            total: reconciled + skipped + more,
            reconciled,
            skipped,
            degraded,
            controlPlaneDegraded,
            errors,
          }
          const read = passCounts([
            { type: 'BootImageUpdateProgressing', status: 'False', message: progressingMessage(counts) },
            { type: 'BootImageUpdateDegraded', status: 'False', message: degradedMessage(counts) },
          ])
          expect(read).toEqual(counts)
        },
      ),
    )
    expect(passCounts([])).toBeNull()
    const message = progressingMessage({
      total: 2,
      reconciled: 0,
      skipped: 0,
      degraded: 0,
      controlPlaneDegraded: 0,
      errors: null,
    })
    const begun = [{ type: 'BootImageUpdateProgressing', status: 'True', message }]
    expect(passCounts(begun)).toMatchObject({ reconciled: 0, total: 2, underWay: true })
    const later = { type: 'BootImageUpdateDegraded', status: 'True', lastTransitionTime: '2026-11-30T05:00:00Z' }
    const ended = [{ ...begun[0]!, lastTransitionTime: '2026-11-30T04:00:00Z' }, later]
    expect(passCounts(ended)?.at).toBe(later.lastTransitionTime)
  })
})
