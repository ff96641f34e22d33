import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byHand } from '../boot-images/by-hand'
import { AVAILABILITIES, availabilityOf, canAct } from './availability'
import { distanceFrom, distanceInWords } from './distance'
import { olderThan, skewEvidence, type DatedImage } from './evidence'
import { explainMode } from './explain-mode'
import { contradicted, flagged } from './flagged'
import { floorOf, type Floor } from './floors'
import { NODE_RISKS } from './node-risk'
import { oldestNodeEvidence } from './oldest-node'
import { managingInWords, releaseFacts, releaseNotes } from './releases'
import { riskScore } from './risk'
import { stuckAfter, stuckPass, stuckWords } from './stuck-pass'
import type { Managers, Platform, SkewMode, SkewState } from './types'
import { SKEW_VERDICTS } from './verdict'

const floor = floorOf('4.22.3')!
const ocp = (version: string, sure: DatedImage['sure'] = 'certain'): DatedImage => ({
  ...{ kind: 'OCPVersion', version, sure, because: `names the boot image of ${version}` },
})
const rhcos = (version: string): DatedImage => ({ ...ocp(version), kind: 'RHCOSVersion' })

describe('how far from the floor', () => {
  it.each([
    [{ ocpVersion: '4.12.7' }, -1, '1 OpenShift minor release below the floor'],
    [{ ocpVersion: '4.11.22' }, -2, '2 OpenShift minor releases below the floor'],
    [{ ocpVersion: '3.11.0' }, -14, '14 OpenShift minor releases below the floor'],
    [{ ocpVersion: '4.13.0' }, 0, 'at the floor’s own OpenShift minor release'],
    [{ ocpVersion: '4.13.40' }, 0, 'at the floor’s own OpenShift minor release'],
    [{ ocpVersion: '4.14.1' }, 1, '1 OpenShift minor release above the floor'],
    [{ ocpVersion: '4.23.0' }, 10, '10 OpenShift minor releases above the floor'],
    [{ ocpVersion: '5.0.0' }, 11, '11 OpenShift minor releases above the floor'],
    [{ ocpVersion: '5.1.2' }, 12, '12 OpenShift minor releases above the floor'],
    [{ ocpVersion: '4.14.1', rhcosVersion: '8.6.20230101-0' }, 1, '1 OpenShift minor release above the floor'],
    [{ rhcosVersion: '9.2.20230101-0' }, 0, 'at the floor’s own RHEL minor release'],
    [{ rhcosVersion: '9.6.20251023-0' }, 4, '4 RHEL minor releases above the floor'],
    [{ rhcosVersion: '411.86.202308081056-0' }, -7, '7 RHEL minor releases below the floor'],
    [{ rhcosVersion: '8.10.20240101-0' }, -3, '3 RHEL minor releases below the floor'],
    [{ ocpVersion: '0.0.0' }, null, ''],
    [{ ocpVersion: 'garbage' }, null, ''],
    [{ rhcosVersion: 'garbage' }, null, ''],
    [{}, null, ''],
  ])('%j is %s', (recorded, minors, words) => {
    const distance = distanceFrom(recorded, floor)
    expect(distance?.minors ?? null).toBe(minors)
    expect(distanceInWords(distance)).toBe(words)
  })

  it('agrees in its sign with the comparison of whole versions, and never throws', () => {
    const number = fc.integer({ min: 0, max: 23 })
    fc.assert(
      fc.property(fc.constantFrom(4, 5), number, number, (major, minor, patch) => {
        const minors = distanceFrom({ ocpVersion: `${major}.${minor}.${patch}` }, floor)!.minors
        expect(minors < 0).toBe(major === 4 && minor < 13)
      }),
    )
    fc.assert(
      fc.property(fc.string(), fc.string(), (ocpVersion, rhcosVersion) => {
        distanceInWords(distanceFrom({ ocpVersion, rhcosVersion }, floor))
      }),
    )
  })
})

describe('whether a limit is there at all', () => {
  const input = {
    ...{
      supported: true,
      floor: floor as Floor | null,
      topology: 'HighlyAvailable',
      release: '4.22.3' as string | null,
    },
    state: { mode: 'Manual' as SkewMode | null } as Pick<SkewState, 'mode'> | null,
  }
  it.each([
    ['it is', {}, 'enforced', null],
    [
      '4.19: the field is not there',
      { supported: false, floor: null, release: '4.19.3' },
      'no-field',
      'OpenShift 4.19 does not know',
    ],
    ['4.22 whose schema lacks it all the same', { supported: false }, 'no-field', 'OpenShift 4.22 does not know'],
    [
      '4.21 TechPreview: a field and nobody who acts',
      { floor: null, release: '4.21.14', state: { mode: null } },
      'field-without-operator',
      'The API of OpenShift 4.21 has the fields (TechPreviewNoUpgrade), but no operator',
    ],
    [
      '4.20 DevPreview',
      { floor: null, release: '4.20.1', state: { mode: null } },
      'field-without-operator',
      '(DevPreviewNoUpgrade)',
    ],
    ['status not filled', { state: { mode: null } }, 'not-filled-yet', 'has not said yet'],
    ['no MachineConfiguration', { state: null }, 'no-configuration', 'MachineConfiguration/cluster is missing'],
    [
      'a schema that could not be read, and no status',
      { supported: null, state: { mode: null } },
      'not-read',
      'not known',
    ],
    [
      'the same, where the release tells',
      { supported: null, floor: null, release: '4.21.14' },
      'no-field',
      'OpenShift 4.21 does',
    ],
    ['hosted', { topology: 'External', state: null }, 'hosted', 'hosted elsewhere'],
    ['hosted, and its operator says a mode', { topology: 'External' }, 'enforced', null],
  ] as const)('%s', (_, more, availability, why) => {
    const found = availabilityOf({ ...input, ...more })
    expect(found.availability).toBe(availability)
    if (why === null) expect(found.why).toBeNull()
    else expect(found.why).toContain(why)
  })

  it('offers to act only where an operator acts on it', () => {
    expect(AVAILABILITIES.filter(canAct)).toEqual(['enforced', 'not-filled-yet'])
  })
})

describe('what a release knows', () => {
  it.each([
    ['4.15.2', null, undefined],
    ['4.16.0', 'none', { GCP: 'preview' }],
    ['4.17.9', 'none', { GCP: 'opt-in', AWS: 'preview' }],
    ['4.18.1', 'none', { GCP: 'opt-in', AWS: 'opt-in' }],
    ['4.19.0-rc.2', 'none', { GCP: 'on', AWS: 'on' }],
    ['4.20.3', 'field', { GCP: 'on', AWS: 'on', VSphere: 'preview' }],
    ['4.21.14', 'field', { GCP: 'on', AWS: 'on', VSphere: 'opt-in', Azure: 'opt-in' }],
    ['4.22.3', 'enforced', { AWS: 'on', GCP: 'on', Azure: 'on', VSphere: 'on' }],
    ['5.0.0', 'enforced', { AWS: 'on', GCP: 'on', Azure: 'on', VSphere: 'on' }],
    ['5.7.0', 'enforced', { AWS: 'on', GCP: 'on', Azure: 'on', VSphere: 'on' }],
    ['nonsense', null, undefined],
  ])('%s', (version, limit, sets) => {
    expect(releaseFacts(version)?.limit ?? null).toBe(limit)
    expect(releaseFacts(version)?.machineSets).toEqual(sets)
  })

  it('enforces exactly where a floor is known', () => {
    for (const version of ['4.16.1', '4.19.1', '4.20.1', '4.21.1', '4.22.1', '4.23.1', '5.0.1', '5.1.1', '6.0.0'])
      expect(releaseFacts(version)?.limit === 'enforced').toBe(floorOf(version) !== null)
  })

  it('says it', () => {
    expect(managingInWords('4.18.2', 'AWS')).toBe(
      'OpenShift 4.18 updates the boot images of machine sets on AWS, where that is switched on.',
    )
    expect(managingInWords('4.22.2', 'Azure Stack Hub')).toBe(
      'OpenShift 4.22 does not update the boot images of machine sets on Azure Stack Hub.',
    )
    expect(managingInWords('v4.22.4-rc.1.2+x', 'AWS')).toMatch(/^OpenShift 4\.22 updates /)
    expect(managingInWords(null, 'AWS')).toBeNull()
    expect(managingInWords('4.22.4', '')).toBe(
      'Which platform it is cannot be read: Infrastructure/cluster is missing or does not say it, or Drydock may not read it.',
    )
  })

  const entry = (resource: string) => [{ resource, apiGroup: 'machine.openshift.io', selection: { mode: 'None' } }]
  it.each<[string | null, string, Managers, RegExp | null]>([
    ['4.21.14', 'Azure', undefined, /^Before the update to 4\.22/],
    ['4.21.14', 'VSphere', [], /^Before/],
    ['4.21.14', 'VSphere', entry('controlplanemachinesets'), /^Before/],
    ['4.21.14', 'VSphere', entry('machinesets'), null],
    ['4.21.14', 'AWS', undefined, null],
    ['4.21.14', 'Azure Stack Hub', undefined, null],
    ['4.18.2', 'AWS', entry('machinesets'), /whole operator degraded.*worker-user-data-managed[^.]*\.$/],
    ['4.18.2', 'AWS', undefined, /Before the update to 4\.19/],
    ['4.18.2', 'GCP', [], /whole operator degraded.*worker-user-data-managed[^.]*\.$/],
    ['4.18.2', 'Azure', undefined, null],
    ['4.17.2', 'GCP', undefined, /worker-user-data-managed[^.]*\.$/],
    ['4.22.3', 'Azure', undefined, null],
    [null, 'Azure', undefined, null],
  ])('notes of %s on %s with %j', (version, platform, managers, note) => {
    const told = releaseNotes(version, platform, managers).join(' ')
    if (note) expect(told).toMatch(note)
    else expect(told).toBe('')
  })

  it.each([
    'OpenStack',
    'Nutanix',
    'IBMCloud',
    'PowerVS',
    'BareMetal',
    'None',
    'External',
    'Azure Stack Hub',
    'KubeVirt',
    'AWS',
  ])('has steps by hand for %s', (platform) => expect(byHand(platform)!.steps.length).toBeGreaterThan(1))
  it('has steps for a platform of whatever name, and none where it is not known', () => {
    for (const platform of ['oVirt', 'constructor'])
      expect(byHand(platform)!.steps[0]).toMatch(/^Find the release’s own image for the platform in the ConfigMap /)
    for (const platform of ['', null]) expect(byHand(platform)).toBeUndefined()
  })
})

describe('an acknowledgement and what speaks against it', () => {
  const manual = (version: object): Pick<SkewState, 'mode' | 'spec' | 'recorded'> => ({
    ...{ mode: 'Manual', spec: { mode: 'Manual', manual: version }, recorded: version },
  })
  const items = (dated: DatedImage | null) =>
    skewEvidence({
      ...{ mode: 'None', recorded: {}, acknowledged: false, history: [] },
      sets: [{ name: 'a', replicas: 1, dated }],
    }).items
  it.each([
    ['an older set', manual({ ocpVersion: '4.16.0' }), ocp('4.14.0'), true],
    ['the same', manual({ ocpVersion: '4.16.0' }), ocp('4.16.0'), false],
    ['a newer set', manual({ ocpVersion: '4.16.0' }), ocp('4.22.3'), false],
    ['one that is as old or newer', manual({ ocpVersion: '4.16.0' }), ocp('4.14.0', 'at-least'), false],
    ['nothing dated', manual({ ocpVersion: '4.16.0' }), null, false],
    ['an older RHCOS', manual({ rhcosVersion: '9.6.20251023-0' }), rhcos('9.4.20240101-0'), true],
    ['an RHCOS that carries an older minor', manual({ ocpVersion: '4.19.0' }), rhcos('418.94.202511191518-0'), true],
    ['an RHCOS that carries the same minor', manual({ ocpVersion: '4.18.9' }), rhcos('418.94.202511191518-0'), false],
    ['an image of a release, of an RHCOS of none', manual({ rhcosVersion: '9.2.20230101-0' }), ocp('4.16.0'), false],
    ['an RHCOS that carries none', manual({ ocpVersion: '4.22.0' }), rhcos('9.6.20251023-0'), false],
  ] as const)('%s', (_, state, dated, speaks) => {
    expect(flagged(state, items(dated)) !== null).toBe(speaks)
    const { ocpVersion, rhcosVersion } = state.recorded
    const word = { kind: ocpVersion ? 'OCPVersion' : 'RHCOSVersion', version: (ocpVersion ?? rhcosVersion)! } as const
    expect(contradicted(word, items(dated)) !== null).toBe(speaks)
  })
  it('is asked of what a person said, and of nothing else', () => {
    const sets = items(ocp('4.9.0'))
    const said = manual({ ocpVersion: '4.16.0' })
    expect(flagged(said, sets)).toBe(
      '4.16.0 was acknowledged as the oldest boot image, but a names the boot image of 4.9.0.',
    )
    expect(contradicted({ kind: 'OCPVersion', version: '4.16.0' }, sets)).toBe(
      'By the evidence 4.16.0 is not the oldest boot image in use: a names the boot image of 4.9.0.',
    )
    expect(flagged({ ...said, spec: null }, sets)).toBeNull()
    expect(flagged({ ...said, mode: 'None' }, sets)).toBeNull()
    expect(flagged({ ...said, mode: 'Automatic' }, sets)).toBeNull()
    expect(flagged(null, sets)).toBeNull()
  })
  it('never says of two images that each is older', () => {
    const images = fc.constantFrom(
      ...['4.12.0', '4.18.3', '4.19.0', '5.0.1', 'x'].map((v) => ocp(v)),
      ...['418.94.202511191518-0', '412.86.202301010000-0', '9.6.20251023-0', ''].map(rhcos),
    )
    fc.assert(fc.property(images, images, (a, b) => !(olderThan(a, b) && olderThan(b, a))))
  })
})

describe('the oldest node', () => {
  const history = [
    { state: 'Completed', version: '4.22.3', completionTime: '2026-08-10T09:31:00Z' },
    { state: 'Completed', version: '4.14.8', completionTime: '2024-01-15T08:40:00Z' },
  ]
  const node = (joinedAt: string) => ({ name: 'worker-0', joinedAt, of: 12 })
  it.each([
    ['2025-03-01T00:00:00Z', 'joined on 1 March 2025, while the cluster ran 4.14.8', 'likely'],
    ['2024-01-15T08:10:00Z', 'when the cluster was installed with 4.14.8', 'likely'],
  ])('%s', (joinedAt, words, sure) => {
    const item = oldestNodeEvidence(node(joinedAt), history)!
    expect(item.sentence).toContain(words)
    expect(item.sentence).toContain('the oldest of 12 nodes')
    expect(item.sure).toBe(sure)
  })
  it('claims nothing without a date or a history', () => {
    expect(oldestNodeEvidence(null, history)).toBeNull()
    expect(oldestNodeEvidence(node('soon'), history)).toBeNull()
    expect(oldestNodeEvidence(node('2025-03-01T00:00:00Z'), [])?.sure).toBe('unknown')
  })
})

describe('why this mode', () => {
  const platform = (type: string, more: Partial<Platform> = {}): Platform => ({
    type,
    azureStack: false,
    topology: 'HighlyAvailable',
    ...more,
  })
  const state = (mode: SkewMode | null, more: Partial<SkewState> = {}): SkewState => ({
    ...{ supported: true, spec: null, mode, recorded: {}, managers: undefined, effectiveManagers: undefined },
    ...{ conditions: [], generation: 2, observedGeneration: 2, ...more },
  })
  it.each([
    [state('Automatic'), platform('AWS'), 'updates the boot images of all machine sets'],
    [state('Manual'), platform('OpenStack'), 'does not update boot images on OpenStack'],
    [
      state('Manual', { spec: { mode: 'Manual', manual: { ocpVersion: '4.16.0' } } }),
      platform('AWS'),
      'acknowledged version',
    ],
    [state('None', { spec: { mode: 'None' } }), platform('AWS'), 'switched off'],
    [state('None'), platform('GCP', { topology: 'SingleReplica' }), 'Single-node clusters'],
    [state('None'), platform('BareMetal'), 'On bare metal the release itself'],
    [state('Manual'), platform('BareMetal'), 'does not update boot images on bare metal'],
    [state('None'), platform('BareMetal', { provisioningUrl: true }), 'leads to Manual, and the operator says None'],
    [
      state('Automatic', { spec: { mode: 'None' }, generation: 3 }),
      platform('AWS'),
      'has not taken up the newest configuration, which leads to None',
    ],
    [state('Manual'), platform('AWS'), 'leads to Automatic, and the operator says Manual'],
  ])('%#', (state, platform, words) => {
    expect(explainMode(state, platform, [])).toContain(words)
  })
  it('has no answer where there is no mode', () => {
    expect(explainMode(state(null), platform('AWS'), [])).toBeNull()
    expect(explainMode(null, platform('AWS'), [])).toBeNull()
  })
})

describe('a pass that stands still', () => {
  it('is given time by its size, and says where it is', () => {
    expect(stuckAfter(1)).toBe(180_000)
    expect(stuckAfter(200)).toBe(1_000_000)
    const pass = { total: 35, reconciled: 3, skipped: 0, degraded: 0, controlPlaneDegraded: 0, errors: null }
    const told = stuckPass({ verdict: 'evaluating', sentence: '', blocks: null }, stuckWords(pass, 250_000, []))
    expect(told).toMatchObject({ verdict: 'evaluating', blocks: null })
    expect(told.sentence).toContain('has not moved on for 4 minutes in the middle of a pass, at 3 of 35 machine sets')
  })
  it('names the sets on which the process of the operator ends', () => {
    expect(stuckWords(null, 250_000, [])).toContain(': it may end on one of them again and again.')
    expect(stuckWords(null, 250_000, ['workers-a'])).toContain(': it may end on workers-a again and again.')
    expect(stuckWords(null, 250_000, ['a', 'b', 'c', 'd'])).toContain('on a, b, c or 1 more again and again.')
  })
})

describe('the order of lists', () => {
  it('is by what closes updates, then by what may fail or no longer holds, then by verdict, new machines and the floor', () => {
    const all = SKEW_VERDICTS.flatMap((verdict) =>
      NODE_RISKS.flatMap((nodes) =>
        [true, false].flatMap((flag) => [-60, -1, 0, 4, 80].map((minors) => ({ verdict, nodes, flag, minors }))),
      ),
    )
    const closes = (verdict: string) =>
      ['out-of-skew', 'update-failing'].includes(verdict) ? 'Updates are closed.' : null
    const urgent = ({ verdict, nodes, flag }: (typeof all)[number]): number =>
      closes(verdict) ? 2 : nodes === 'likely' || flag ? 1 : 0
    const score = ({ verdict, nodes, flag, minors }: (typeof all)[number]) =>
      riskScore({ verdict, blocks: closes(verdict) }, nodes, flag, { minors, of: 'OpenShift' })
    const of = (rank: number) => all.filter((one) => urgent(one) === rank).map(score)
    expect(Math.min(...of(2))).toBeGreaterThan(Math.max(...of(1)))
    expect(Math.min(...of(1))).toBeGreaterThan(Math.max(...of(0)))
    for (const rank of [2, 0]) expect(of(rank)).toEqual([...of(rank)].sort((a, b) => b - a))
    // As the list has it for clusters of which nothing was read.
    const unknown = (blocks: string | null) => riskScore({ verdict: 'unknown', blocks }, 'unknown', false, null)
    expect(unknown(null)).toBe(53_000)
    expect(unknown('Updates are closed.')).toBeGreaterThan(Math.max(...of(1)))
  })
})
