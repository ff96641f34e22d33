import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { releaseAt, skewEvidence, standsToRelease, type ImageEvidence } from './evidence'
import { floorOf } from './floors'
import { whatFollows, type FollowsInput } from './follows'
import { skewPatch, stanzaShows, type SkewRequest } from './patch'
import { settle, SETTLE_MS, type Settling } from './settle'
import type { SkewState } from './types'
import type { Judgement } from './verdict'

const floor = floorOf('4.22.4')!

describe('the patch', () => {
  it('names the siblings as null', () => {
    expect(skewPatch({ action: 'acknowledge', versionKind: 'OCPVersion', version: '4.16.0' })).toEqual({
      spec: {
        bootImageSkewEnforcement: {
          mode: 'Manual',
          manual: { mode: 'OCPVersion', ocpVersion: '4.16.0', rhcosVersion: null },
        },
      },
    })
    expect(skewPatch({ action: 'opt-out' }).spec).toEqual({
      bootImageSkewEnforcement: { mode: 'None', manual: null },
    })
    expect(skewPatch({ action: 'automatic' }).spec).toEqual({ bootImageSkewEnforcement: null })
  })

  it('keeps the other entries where all machine sets are managed with it', () => {
    const current = [
      {
        resource: 'machinesets',
        apiGroup: 'machine.openshift.io',
        selection: { mode: 'Partial', partial: { machineResourceSelector: {} } },
      },
      { resource: 'controlplanemachinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } },
    ]
    const { spec } = skewPatch({ action: 'automatic', manageAll: { current } })
    expect(spec).toMatchObject({
      managedBootImages: { machineManagers: [{ resource: 'machinesets', selection: { mode: 'All' } }, current[1]] },
    })
  })

  it('shows in what is stored exactly when it was taken, from every state', () => {
    const version = fc.constantFrom('4.16.0', '4.12.7')
    const request = fc.oneof(
      version.map((v): SkewRequest => ({ action: 'acknowledge', versionKind: 'OCPVersion', version: v })),
      fc.constant<SkewRequest>({ action: 'acknowledge', versionKind: 'RHCOSVersion', version: '9.6.20251023-0' }),
      fc.constant<SkewRequest>({ action: 'opt-out' }),
      fc.constant<SkewRequest>({ action: 'automatic' }),
    )
    const stored = (r: SkewRequest, before: unknown): unknown => merge(before, skewPatch(r).spec)
    fc.assert(
      fc.property(request, request, request, (first, second, other) => {
        const spec = stored(second, stored(first, {})) as { bootImageSkewEnforcement?: unknown }
        expect(stanzaShows(spec.bootImageSkewEnforcement, second)).toBe(true)
        expect(stanzaShows(spec.bootImageSkewEnforcement, other)).toBe(JSON.stringify(other) === JSON.stringify(second))
      }),
    )
  })
})

/** RFC 7386. */
function merge(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch
  const out: Record<string, unknown> = target !== null && typeof target === 'object' ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key]
    else out[key] = merge(out[key], value)
  }
  return out
}

const dated = (name: string, version: string, sure: 'certain' | 'likely' = 'certain'): ImageEvidence => ({
  name,
  replicas: 3,
  dated: { kind: 'OCPVersion', version, sure, because: `names the boot image of ${version}` },
})
const undated = (name: string): ImageEvidence => ({ name, replicas: 3, dated: null })
const HISTORY = [
  { state: 'Completed', version: '4.22.4', completionTime: '2026-11-01T00:00:00Z' },
  { state: 'Completed', version: '4.16.0', completionTime: '2024-09-01T00:00:00Z' },
  { state: 'Completed', version: '4.12.7', completionTime: '2023-05-01T00:00:00Z' },
]

describe('the evidence', () => {
  const best = (sets: ImageEvidence[], history = HISTORY) =>
    skewEvidence({ mode: 'Manual', recorded: { ocpVersion: '4.12.7' }, acknowledged: false, history, sets }).best

  it('prefills the oldest image that can be dated', () => {
    expect(best([dated('a', '4.22.4'), dated('b', '4.16.0', 'likely')])).toMatchObject({
      version: '4.16.0',
      sure: 'likely',
    })
    expect(best([dated('a', '4.22.4'), dated('b', '4.22.4')])).toMatchObject({ version: '4.22.4', sure: 'certain' })
  })

  it('says which sets could not be dated, and is less sure', () => {
    expect(best([dated('a', '4.22.4'), undated('gpu')])).toMatchObject({
      version: '4.22.4',
      sure: 'likely',
      why: expect.stringContaining('gpu could not be dated') as string,
    })
  })

  it('falls back to the version of the installation', () => {
    expect(best([undated('a')])).toMatchObject({ version: '4.12.7', sure: 'at-least' })
    expect(best([], [])).toBeNull()
  })

  it('puts RHCOS versions of the older form in order with releases', () => {
    const rhcos: ImageEvidence = {
      name: 'old',
      replicas: 1,
      dated: { kind: 'RHCOSVersion', version: '414.92.202401010000-0', sure: 'certain', because: 'names it' },
    }
    expect(best([dated('a', '4.16.0'), rhcos])).toMatchObject({ versionKind: 'RHCOSVersion' })
    expect(best([dated('a', '4.13.0'), rhcos])).toMatchObject({ versionKind: 'OCPVersion', version: '4.13.0' })
  })

  it('knows by the release’s own image where an RHCOS version of the later form lies', () => {
    const rhcos = (version: string, stands: 'older' | 'same' | 'newer'): ImageEvidence => ({
      ...{ name: version, replicas: 1 },
      dated: {
        ...{ kind: 'RHCOSVersion', version, sure: 'certain', because: 'names it' },
        ofRelease: { stands, release: '4.22.4' },
      },
    })
    const [older, same, newer] = [
      rhcos('9.6.20251023-0', 'older'),
      rhcos('9.8.20260714-0', 'same'),
      rhcos('9.9.20270101-0', 'newer'),
    ]
    const named = dated('z', '4.22.4')
    expect(best([newer, named])).toMatchObject({ versionKind: 'OCPVersion', version: '4.22.4' })
    expect(best([same, named])).toMatchObject({ versionKind: 'OCPVersion', version: '4.22.4' })
    expect(best([named, older])).toMatchObject({ version: '9.6.20251023-0' })
    expect(best([newer, same])).toMatchObject({ version: '9.8.20260714-0' })
    expect(best([newer])).toMatchObject({ version: '9.9.20270101-0' })
  })

  it('tells how an RHCOS version stands to those that a release has', () => {
    const all = ['9.6.20251015-0', '9.8.20260714-0']
    expect(
      [
        '9.6.20251001-0',
        '9.6.20251015-0',
        '9.6.20251101-0',
        '9.8.20260714-0',
        '9.8.20260714-1',
        '9.10.20260101-0',
        '418.94.202511191518-0',
        'x',
      ].map(
        // prettier-ignore
        (version) => standsToRelease(version, all),
      ),
    ).toEqual(['older', 'same', undefined, 'same', 'newer', 'newer', 'older', undefined])
    expect(standsToRelease('9.6.20251001-0', [])).toBeUndefined()
  })

  it('knows which release ran when', () => {
    expect(releaseAt(HISTORY, Date.parse('2025-01-01T00:00:00Z'))).toBe('4.16.0')
    expect(releaseAt(HISTORY, Date.parse('2020-01-01T00:00:00Z'))).toBeUndefined()
  })
})

describe('what follows', () => {
  const state: SkewState = {
    supported: true,
    spec: null,
    mode: 'Manual',
    recorded: { ocpVersion: '4.12.7' },
    managers: [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'Partial' } }],
    effectiveManagers: undefined,
    conditions: [],
    generation: 1,
    observedGeneration: 1,
  }
  const input = (sets: Partial<FollowsInput['sets']> = {}): FollowsInput => ({
    state,
    platform: { type: 'AWS', azureStack: false, topology: 'HighlyAvailable' },
    history: HISTORY,
    floor,
    release: '4.22.4',
    streamVersion: '4.22.4',
    sets: { skipped: [], failing: [], undecided: [], outdated: [], ...sets },
  })
  const manageAll = { current: state.managers }

  it('opens updates after an acknowledgement above the floor, and not below', () => {
    const after = (version: string) =>
      whatFollows({ action: 'acknowledge', versionKind: 'OCPVersion', version }, input()).judgement.verdict
    expect(after('4.16.0')).toBe('ok')
    expect(after('4.12.9')).toBe('out-of-skew')
    const said = { action: 'acknowledge', versionKind: 'OCPVersion', version: '4.16.0' } as const
    expect(whatFollows(said, input()).sentences[0]).toContain('Acknowledged: 4.16.0')
    expect(whatFollows({ action: 'opt-out' }, input()).judgement.verdict).toBe('not-enforced')
  })

  it.each([
    [{ type: 'AWS', topology: 'HighlyAvailable' }, /^The alert MCC.*fires/],
    [{ type: 'BareMetal', topology: 'HighlyAvailable' }, /^No alert/],
    [{ type: 'AWS', topology: 'SingleReplica' }, /^No alert/],
  ])('says whether an alert tells of the opt-out: %j', (where, words) => {
    const platform = { ...input().platform, ...where }
    expect(whatFollows({ action: 'opt-out' }, { ...input(), platform }).sentences.at(-1)).toMatch(words)
  })

  it('does not promise Automatic where not all sets are managed', () => {
    const follows = whatFollows({ action: 'automatic' }, input())
    expect(follows).toMatchObject({
      mode: 'Manual',
      recorded: { ocpVersion: '4.12.7' },
      judgement: { verdict: 'out-of-skew' },
    })
    expect(follows.sentences.join(' ')).toContain('have all machine sets managed in the same patch')
  })

  it('says that an acknowledgement on bare metal begins what was not enforced, and offers no managed sets there', () => {
    const platform = { type: 'BareMetal', azureStack: false, topology: 'HighlyAvailable' }
    const ack = { action: 'acknowledge', versionKind: 'OCPVersion', version: '4.16.0' } as const
    const said = (mode: 'None' | 'Manual', request: Parameters<typeof whatFollows>[0], more: object = {}) =>
      whatFollows(request, { ...input(), state: { ...state, mode }, platform: { ...platform, ...more } }).sentences
    expect(said('None', ack).join(' ')).toContain('Enforcement begins with it')
    expect(said('None', { ...ack, version: '4.12.0' }).join(' ')).toMatch(
      /Updates are closed\. Enforcement begins with it, and this version is below the floor already\./,
    )
    expect(said('Manual', ack).join(' ')).not.toContain('Enforcement begins')
    const back = said('Manual', { action: 'automatic' }, { provisioningUrl: true }).join(' ')
    expect(back).toContain('arrives at Manual')
    expect(back).not.toContain('have all machine sets managed')
  })

  it('tells what the first pass makes of the record', () => {
    const after = (sets: Partial<FollowsInput['sets']>) => whatFollows({ action: 'automatic', manageAll }, input(sets))
    expect(after({ outdated: ['a'] })).toMatchObject({
      mode: 'Automatic',
      recorded: { ocpVersion: '4.22.4' },
      judgement: { verdict: 'ok' },
    })
    expect(after({ skipped: ['gpu'] })).toMatchObject({
      recorded: { ocpVersion: '4.12.7' },
      judgement: { verdict: 'out-of-skew' },
    })
    expect(after({ failing: ['x'] }).judgement.verdict).toBe('update-failing')
    expect(after({ undecided: ['b'] }).sentences.join(' ')).toContain('If one of b has an image of your own')
  })

  it('gives no best case as a fact where the operator has to ask a cloud', () => {
    const said = (type: string, sets: Partial<FollowsInput['sets']>, release = '5.1.0') =>
      whatFollows(
        { action: 'automatic', manageAll },
        { ...input(sets), release, platform: { ...input().platform, type } },
      )
    const aws = said('AWS', { undecided: ['b'] })
    expect(aws.sentences.join(' ')).toContain('gets no answer')
    expect(aws.sentences.at(-1)).toMatch(/^Where no set fails or is skipped: In range/)
    expect(aws.judgement.sentence).toMatch(/^Where no set fails or is skipped: In range/)
    // EC2 is asked about current ones as well.
    expect(said('AWS', {}).sentences.at(-1)).toMatch(/^Where no set fails: In range/)
    expect(said('GCP', {}).sentences.at(-1)).toMatch(/^In range/)
    for (const release of ['4.23.0', '5.0.9'])
      expect(said('AWS', {}, release).sentences.at(-1)).toMatch(/^Where no set fails: In range/)
    // Before 4.23 nobody is asked: it has a list.
    for (const release of ['4.20.6', '4.22.4']) {
      expect(said('AWS', { undecided: ['b'] }, release).sentences.join(' ')).not.toMatch(/EC2|fails where/i)
      expect(said('AWS', { undecided: ['b'] }, release).sentences.at(-1)).toMatch(/^Where no set is skipped: In range/)
      expect(said('AWS', {}, release).sentences.at(-1)).toMatch(/^In range/)
      expect(said('VSphere', {}, release).sentences.join(' ')).toContain('vCenter does not let it in')
    }
  })

  it('knows no image of one’s own on vSphere: a template is replaced under its name', () => {
    const { sentences } = whatFollows(
      { action: 'automatic', manageAll },
      { ...input({ undecided: ['fd1'] }), platform: { ...input().platform, type: 'VSphere' } },
    )
    const all = sentences.join(' ')
    expect(all).toContain('under its own name, also one of your own')
    expect(all).toContain('says no version')
    expect(all).not.toMatch(/skipped|writes the release’s boot image/)
  })
})

describe('waiting out the flicker', () => {
  const bad: Judgement = { verdict: 'out-of-skew', sentence: 'closed', blocks: 'x' }
  const ok: Judgement = { verdict: 'ok', sentence: 'open', blocks: null }
  const working: Judgement = { verdict: 'evaluating', sentence: 'wait', blocks: null }

  /** Plays judgements at times, with the timer that the worker sets. */
  function play(events: [number, Judgement][], until: number, mode: 'Automatic' | 'Manual' = 'Automatic'): string[] {
    let settling: Settling | null = null
    const told: string[] = []
    let due: number | null = null
    const run = (judgement: Judgement, now: number, signature: string) => {
      const settled = settle(settling, judgement, mode, signature, now)
      settling = settled.next
      due = settled.again === null ? null : now + settled.again
      if (told.at(-1) !== settled.judgement.verdict) told.push(settled.judgement.verdict)
    }
    events.forEach(([at, judgement], i) => {
      run(judgement, at, String(i))
      const next = events[i + 1]?.[0] ?? until
      if (due !== null && due < next) run(judgement, due, String(i))
    })
    return told
  }

  it('keeps no alarm of another mode', () => {
    const alarm = { signature: 'Manual 4.12.0', since: 0, told: bad }
    expect(settle({ ...alarm, mode: 'Manual' }, working, 'Automatic', 'Automatic 4.22.0', 9).judgement).toEqual(working)
    expect(settle({ ...alarm, mode: 'Automatic' }, working, 'Automatic', 'Automatic 4.12.0', 9).judgement).toEqual(bad)
  })

  it('tells nothing of the second or two around a first pass', () => {
    expect(
      play(
        [
          [0, working],
          [5000, bad],
          [5100, working],
          [6700, bad],
          [7500, ok],
        ],
        60_000,
      ),
    ).toEqual(['evaluating', 'ok'])
  })

  it('tells an alarm that stays', () => {
    expect(
      play(
        [
          [0, ok],
          [1000, bad],
        ],
        60_000,
      ),
    ).toEqual(['ok', 'evaluating', 'out-of-skew'])
    expect(
      play(
        [
          [0, ok],
          [1000, bad],
        ],
        1000 + SETTLE_MS,
      ),
    ).toEqual(['ok', 'evaluating'])
  })

  it('keeps an alarm through further passes', () => {
    expect(
      play(
        [
          [0, bad],
          [10_000, working],
          [12_000, bad],
          [30_000, ok],
        ],
        60_000,
      ),
    ).toEqual(['evaluating', 'out-of-skew', 'ok'])
  })

  it('takes an alarm back once what takes its place has stood as long', () => {
    const failing: Judgement = { verdict: 'update-failing', sentence: 'failed', blocks: 'x' }
    const after = (next: Judgement, ms: number) =>
      play(
        [
          [0, bad],
          [10_000, next],
        ],
        10_000 + ms,
      )
    for (const next of [ok, failing]) {
      expect(after(next, SETTLE_MS)).toEqual(['evaluating', 'out-of-skew'])
      expect(after(next, SETTLE_MS + 1)).toEqual(['evaluating', 'out-of-skew', next.verdict])
    }
  })

  it('tells at once what a person acknowledged', () => {
    expect(
      play(
        [
          [0, ok],
          [10, bad],
          [20, ok],
        ],
        100,
        'Manual',
      ),
    ).toEqual(['ok', 'out-of-skew', 'ok'])
  })
})
