import { describe, expect, it } from 'vitest'
import { MOVED } from '@/lib/providers/cluster-api'
import { UNASKED } from '@/lib/domain/latch/unasked'
import type { SaidOfChange } from './said-of-change'
import type { WaveWordSaid } from './said-of-waves'
import { timelineOf } from './timeline'

type Row = Parameters<typeof timelineOf>[0]
type Approval = Row['approvals'][number]

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute))
const approval = (more: Partial<Approval> = {}): Approval => ({
  ...{ mode: 'in-place', actorId: 'ada', actorName: 'Ada', reason: null, at: at(1), endedAt: null, endedWhy: null },
  ...{ expiresAt: null, begun: false, decisionId: null, oneByOne: false },
  ...more,
})
const decision = (more: object = {}) =>
  ({
    ...{ id: 'd', mode: 'in-place', actorId: 'ada', actorName: 'Ada', reason: null, state: 'voided', policy: null },
    ...{ recordedAt: at(1), acceptedAt: null, seenAt: null, voidedAt: null, awaitsTime: false },
    ...more,
  }) as unknown as Row['decisions'][number]
const rowOf = (more: Partial<Row>) =>
  ({
    ...{ summary: 's', author: null, heldBy: 'latch', startedAt: null, detectedAt: at(0), finishedAt: null },
    ...{ outlook: {}, state: 'waiting', decisions: [], approvals: [], gateCalls: [], progress: [], stepWaitsAt: null },
    ...more,
  }) as unknown as Row
const texts = (more: Partial<Row>, said: SaidOfChange[] = []) =>
  timelineOf(rowOf(more), null, said).map(({ text }) => text)

it('who approved last is said once, also when the approval was freed by a pause', () => {
  const policy = { approvals: [{ actorId: 'ada', actorName: 'Ada', reason: null, at: at(1).toISOString() }] }
  const decisions = [decision({ policy, awaitsTime: true })]
  expect(texts({ approvals: [approval()], decisions })).toEqual(['wanted: s', 'Ada approved in place'])
  const other = approval({ actorId: 'bo', actorName: 'Bo' })
  expect(texts({ approvals: [other], decisions })).toContain('Bo approved in place')
})

it('who wants it one machine at a time is told with that, also where it was the last approval', () => {
  const oneByOne = approval({ oneByOne: true })
  expect(texts({ approvals: [oneByOne] })).toContain('Ada approved in place, one machine at a time')
  const decisions = [decision({ id: 'd' })]
  expect(texts({ approvals: [{ ...oneByOne, decisionId: 'd' }], decisions })).toEqual([
    'wanted: s',
    'Ada approved in place, one machine at a time',
  ])
})

it('that its hold grew old is told as people were told', () => {
  const old = (what: SaidOfChange['what'], minute: number): SaidOfChange => ({
    ...{ what, at: at(minute), by: 'holds', reason: 's: the group has stood still for 1 day', policy: null, was: null },
    forGood: false,
  })
  expect(texts({}, [old('reminded', 1), old('before-everybody', 2), old('dangerous', 3)])).toEqual([
    'wanted: s',
    'People were reminded of its hold. s: the group has stood still for 1 day',
    'Its hold was put before everybody. s: the group has stood still for 1 day',
    'Its hold was called dangerous. s: the group has stood still for 1 day',
  ])
})

it('that worker groups may grow while it is held is told, and that somebody took that back', () => {
  const none = { reason: null, policy: null, was: null, forGood: false }
  const said = [
    { what: 'workers-grow' as const, at: at(1), by: 'Ada', ...none },
    { what: 'workers-held' as const, at: at(2), by: 'Bo', ...none },
  ]
  expect(texts({}, said).slice(1)).toEqual([
    'Ada let worker groups get machines while it is held',
    'Bo took back that worker groups get machines while it is held',
  ])
})

it('of what was stored before it was seen, when it was wanted is not known', () => {
  expect(texts({ firstSeen: true })).toEqual(['first seen: s'])
  expect(texts({ firstSeen: true, author: 'kubectl' })).toEqual(['first seen: s, written by kubectl'])
  expect(texts({ author: 'kubectl' })).toEqual(['s, written by kubectl'])
})

it('what could not be sent in its time is told once for each reason', () => {
  const policy = { byCalendar: true, approvals: [] }
  const tried = (minute: number, error: string) =>
    decision({ policy, awaitsTime: true, error, recordedAt: at(minute), voidedAt: at(minute), sentAt: null })
  const decisions = [tried(1, 'Busy.'), tried(2, 'Busy.'), tried(4, 'Away.'), decision({ policy, recordedAt: at(6) })]
  const told = timelineOf(rowOf({ decisions }), null, []).slice(1)
  expect(told).toMatchObject([
    { text: 'Its time had come. Busy.', at: at(1).toISOString(), count: 2, until: at(2).toISOString() },
    { text: 'Its time had come. Away.' },
    { text: 'Nothing of its policies kept it any more: it was let go in place as approved.' },
  ])
  expect(told[1]).not.toHaveProperty('count')
})

describe('that an approval expired', () => {
  const EXPIRED = 'The approval of Ada expired'
  const went = [decision({ acceptedAt: at(2), state: 'seen' })]
  it.each<[string, Partial<Approval>, boolean]>([
    ['is said', { expiresAt: at(5) }, true],
    ['is said, also once it was given anew', { expiresAt: at(5), endedAt: at(9), endedWhy: 'anew' }, true],
    ['not where it was taken back before', { expiresAt: at(5), endedAt: at(3), endedWhy: 'withdrawn' }, false],
    ['not before it does', { expiresAt: new Date(Date.now() + 60_000) }, false],
    ['not of what went', { expiresAt: at(5), decisionId: 'd' }, false],
    ['not of what went, and was held again', { expiresAt: at(5), begun: true }, false],
    ['not where it does not', {}, false],
  ])('%s', (_, more, is) => expect(texts({ approvals: [approval(more)], decisions: went }).includes(EXPIRED)).toBe(is))
})

it('what was held again, and whether anything had begun by then', () => {
  const said: SaidOfChange[] = [
    { what: 'held', at: at(3), by: 'Drydock', reason: 'paused by Bo', policy: null, was: null, forGood: false },
  ]
  const decisions = [decision({ acceptedAt: at(2), voidedAt: at(3), awaitsTime: true })]
  const machine = {
    machineName: 'm',
    state: 'waiting',
    startedAt: null,
    illAt: null,
  } as unknown as Row['progress'][number]
  const moved = { ...machine, state: 'done', startedAt: at(2), finishedAt: at(2) }
  expect(texts({ decisions, progress: [machine] }, said)).toContain('Held, paused by Bo. No machine had begun.')
  const words = 'Held, paused by Bo. Machines that had begun were finished, the rest waited.'
  expect(texts({ decisions, progress: [moved] }, said)).toContain(words)
  const goesOn = 'Held, paused by Bo. 1 machine that had begun went on.'
  expect(texts({ decisions, progress: [{ ...moved, state: 'updating', finishedAt: null }] }, said)).toContain(goesOn)
  const out = { ...moved, state: 'updating', finishedAt: null, message: MOVED }
  expect(texts({ decisions, progress: [out] }, said)).toContain(
    'Held, paused by Bo. 1 machine that was chosen stays out of service until it goes on, the rest waits.',
  )
  expect(texts({ decisions, progress: [out, { ...moved, state: 'updating', finishedAt: null }] }, said)).toContain(
    'Held, paused by Bo. 1 machine that had begun went on, 1 stays out of service until it goes on.',
  )
  const failed = { ...moved, state: 'failed' }
  expect(texts({ decisions, progress: [failed, machine] }, said)).toContain(
    'Held, paused by Bo. The machine that had begun failed; the rest waited.',
  )
  expect(texts({ decisions, progress: [moved, failed] }, said)).toContain(
    'Held, paused by Bo. Of 2 machines that had begun, 1 failed, and the other was finished.',
  )
  const coming = { ...moved, state: 'created', finishedAt: null, readyAt: null }
  expect(texts({ decisions, progress: [moved, failed, coming] }, said)).toContain(
    'Held, paused by Bo. Of 3 machines that had begun, 1 failed, and the others were finished, but for a new one that was not Ready by then.',
  )
  expect(texts({ decisions, progress: [failed, coming] }, said)).toContain(
    'Held, paused by Bo. Of 2 machines that had begun, 1 failed, and 1 was new and not Ready by then.',
  )
  expect(texts({ decisions, progress: [{ ...moved, state: 'updating', finishedAt: null }, failed] }, said)).toContain(
    'Held, paused by Bo. 1 machine that had begun went on, 1 failed.',
  )
  // Held before the last of them was through: there was no rest.
  const later = { ...moved, finishedAt: at(9) }
  const end = 'Held, paused by Bo. 1 machine that had begun went on'
  expect(texts({ decisions, progress: [later] }, said)).toContain(`${end}.`)
  expect(texts({ decisions, progress: [later, machine] }, said)).toContain(`${end}, the rest waited.`)
  // Held once more, after it had gone on, and before anything more began.
  const again = decision({ ...{ id: 'e', recordedAt: at(5), acceptedAt: at(6), voidedAt: at(7) }, awaitsTime: true })
  const told = texts({ decisions: [...decisions, again], progress: [moved] }, said)
  expect(told).toContain(words)
  expect(told).toContain('Held. No more machines had begun.')
})

it('what nobody had approved, and was held, says so', () => {
  const of = { by: 'Drydock', policy: null, was: null, forGood: false }
  const said: SaidOfChange[] = [
    { ...of, what: 'paused', by: 'Oda', at: at(3), reason: 'nobody asked' },
    { ...of, what: 'held', at: at(4), reason: 'paused by Oda (nobody asked)' },
  ]
  expect(texts({}, said)).toEqual(expect.arrayContaining(['Held, paused by Oda (nobody asked).']))
  expect(texts({ firstSeen: true }, said)[0]).toMatch(/^first seen: /)
})

it('what was paused after it was stored says so, and how late', () => {
  const of = { by: 'Drydock', policy: null, reason: null, forGood: false, what: 'held-late' as const, at: at(4) }
  const written = new Date(at(4).getTime() - 1400).toISOString()
  const words = 'Drydock paused its group, after that was stored'
  expect(texts({}, [{ ...of, was: written }])).toContain(`${words}: within 2 s of its being written.`)
  expect(texts({}, [{ ...of, was: null }])).toContain(`${words}.`)
})

it('what stopped by itself says why once, and then that it was held for that', () => {
  const why = '1 machine failed (m: not Ready in time)'
  const of = { by: 'Drydock', was: null, forGood: false }
  const said: SaidOfChange[] = [
    { ...of, what: 'stopped', at: at(3), policy: 'p', reason: why },
    { ...of, what: 'held', at: at(4), policy: null, reason: `stopped by the policy p: ${why}` },
  ]
  const decisions = [decision({ ...{ acceptedAt: at(2), voidedAt: at(4) }, awaitsTime: true })]
  const told = texts({ decisions }, said)
  expect(told).toContain(`It stopped by itself, by the policy p: ${why}`)
  expect(told).toContain('Held, for it had stopped by itself. No machine had begun.')
})

it('what was stopped because nobody is asked any more says so, with what had begun', () => {
  const { off } = UNASKED
  const said: SaidOfChange[] = [
    { what: 'held', at: at(3), by: 'Drydock', reason: off, policy: null, was: null, forGood: false },
  ]
  const decisions = [decision({ acceptedAt: at(2), voidedAt: at(3) })]
  const machine = { machineName: 'm', state: 'updating', startedAt: at(2), illAt: null }
  const entries = timelineOf(rowOf({ decisions, progress: [machine as Row['progress'][number]] }), null, said)
  expect(entries.find(({ tone }) => tone === 'bad')?.text).toBe(
    `Stopped, ${off}. 1 machine that had begun was left as it was.`,
  )
  // Whatever else ended it is said where that is.
  expect(texts({ decisions }, [{ ...said[0]!, reason: 'what let it go was void by then' }]).join()).not.toMatch(
    /Stopped|Held/,
  )
})

it('what is done without machines that were remediated is no plain success', () => {
  const outcome = { updatedInPlace: 1, created: 4, deleted: 4, failed: 0, remediated: 4 }
  const last = (more: object) => timelineOf(rowOf({ state: 'done', finishedAt: at(9), ...more }), null, []).at(-1)
  expect(last({ outcome })).toMatchObject({ text: 'Done, but for 4 deleted by remediation.', tone: 'plain' })
  expect(last({ outcome: { ...outcome, remediated: undefined } })).toMatchObject({ text: 'Done.', tone: 'good' })
})

it('who rolled it back is said, and why', () => {
  const said: SaidOfChange[] = [
    { what: 'rolled-back', at: at(3), by: 'Bo', reason: 'boot loops', policy: null, was: null, forGood: false },
  ]
  expect(texts({ state: 'reverted', finishedAt: at(4) }, said)).toEqual([
    'wanted: s',
    'Bo had its group written back to what it was before: boot loops',
    'Changed back.',
  ])
})

it('what people said of its waves is told, of its own wave what made it go', () => {
  const word = (more: Partial<WaveWordSaid>): WaveWordSaid => ({
    ...{ what: 'begin', wave: 'rest', by: 'Bo', reason: null, at: at(2) },
    ...more,
  })
  const words = [
    word({ reason: 'canary fine' }),
    word({ what: 'begin-ended', at: at(3) }),
    word({ what: 'skip', wave: 'canary', at: at(4) }),
    word({ what: 'stop', wave: null, reason: 'bad image', at: at(5) }),
    word({ what: 'stop-ended', wave: null, at: at(6) }),
    word({
      what: 'word-ended',
      by: 'Drydock',
      reason: 'Written otherwise.',
      ended: { said: 'skip', by: 'Bo' },
      at: at(7),
    }),
    word({ what: 'word-ended', by: 'Drydock', ended: { said: 'begin', by: 'Cy' }, at: at(8) }),
  ]
  const told = timelineOf(rowOf({}), null, [], words).map(({ text }) => text)
  expect(told.slice(1)).toEqual([
    'Bo let the wave rest begin: canary fine',
    'Bo took back that the wave rest begins',
    'Bo had the waves not wait for canary',
    'Bo stopped its waves: bad image',
    'Bo let its waves go on',
    'What Bo said counts no more, that the wave rest is not waited for: Written otherwise.',
    'What Cy said counts no more, that the wave rest begins',
  ])
})

it('what its gate answered again and again is told where it began, and until when', () => {
  const call = { hook: 'CanUpdateMachine', machine: 'm', answer: 'held', message: 'waits', count: 4, firstAt: at(1), lastAt: at(7) } // prettier-ignore
  const [, entry] = timelineOf(rowOf({ gateCalls: [call] }), null, [])
  expect(entry).toMatchObject({ at: at(1).toISOString(), until: at(7).toISOString(), count: 4 })
})

it('what was said twice in a row is told once', () => {
  const said = (minute: number): SaidOfChange => ({
    ...{ what: 'let-go', at: at(minute), by: 'Drydock', reason: 'Its registration is gone.' },
    ...{ policy: null, was: null, forGood: false },
  })
  expect(timelineOf(rowOf({}), null, [said(3), said(3)]).slice(1)).toMatchObject([
    { text: 'Its registration is gone.' },
  ])
  const [, entry, ...more] = timelineOf(rowOf({}), null, [said(3), said(3), said(5)])
  expect(entry).toMatchObject({ at: at(3).toISOString(), count: 2, until: at(5).toISOString() })
  expect(more).toEqual([])
})

it('what its machine set was scaled to while it was held is told', () => {
  const said: SaidOfChange[] = [
    { what: 'scaled', at: at(3), by: 'Drydock', reason: '8 → 10 machines in machine set a', policy: null, was: null, forGood: false },
  ] // prettier-ignore
  expect(texts({}, said)).toContain('Scaled while it was held: 8 → 10 machines in machine set a')
})

describe('what was let go later', () => {
  const policy = { approvals: [], byCalendar: true }
  const later = (overrideAt: Date | null, endedAt: Date | null = null) => {
    const none = { policy: null, was: null, forGood: false }
    const said: SaidOfChange[] = [
      ...(overrideAt ? [{ what: 'override' as const, at: overrideAt, by: 'Cy', reason: 'CVE', ...none }] : []),
      ...(endedAt ? [{ what: 'override-ended' as const, at: endedAt, by: 'Bo', reason: null, ...none }] : []),
    ]
    return texts({ decisions: [decision({ policy, recordedAt: at(5) })] }, said)
  }
  it('because somebody let it go outside its times, is not said to have had its time', () => {
    expect(later(at(4))).toContain('It was let go in place as approved: Cy let it go outside its times.')
    expect(later(at(4)).join()).not.toContain('Nothing of its policies')
    // Also once it is held to them again.
    const ended = later(at(4), at(7))
    expect(ended).toContain('It was let go in place as approved: Cy let it go outside its times.')
    expect(ended).toContain('Cy had it not wait for its windows, freezes and waves: CVE')
    expect(ended).toContain('Bo had it held to its windows, freezes and waves again')
    expect(later(null)).toContain('Nothing of its policies kept it any more: it was let go in place as approved.')
    expect(later(at(6))).toContain('Nothing of its policies kept it any more: it was let go in place as approved.')
  })
  it('because the upgrade reached its group, says that', () => {
    const hook = { by: 'Drydock', reason: null, policy: null, was: null, forGood: false }
    const said: SaidOfChange[] = [{ what: 'at-hook', at: at(0), ...hook }]
    const first = decision({ policy, recordedAt: at(5), acceptedAt: at(5) })
    const reached = 'The upgrade had reached its group: it was let go in place as approved.'
    expect(texts({ decisions: [first] }, said)).toEqual(['wanted: s', reached, 'The API server accepted it.'])
    const again = decision({ ...{ id: 'e', policy, recordedAt: at(9) } })
    expect(texts({ decisions: [first, again] }, said)).toContain(
      'Nothing of its policies kept it any more: it was let go in place as approved.',
    )
  })
  const approved = { byCalendar: true, approvals: [{ ...{ actorId: 'ada', actorName: 'Ada', reason: null }, at: at(1).toISOString() }] } // prettier-ignore
  const stepped = { reason: null, policy: null, was: null, forGood: false }
  it('because somebody let the next machine go, or all others, names that person', () => {
    const decisions = [
      decision({ acceptedAt: at(2) }),
      decision({ ...{ id: 'e', policy: approved, recordedAt: at(5), acceptedAt: at(5) } }),
      decision({ ...{ id: 'f', policy: approved, recordedAt: at(8), acceptedAt: at(8) } }),
    ]
    const said: SaidOfChange[] = [
      { what: 'next-machine', at: at(5), by: 'Ada', ...stepped },
      { what: 'all-machines', at: at(8), by: 'Ben', ...stepped },
    ]
    const told = texts({ decisions }, said)
    expect(told).toContain('Ada let the next machine go')
    expect(told).toContain('It went on in place, as approved: Ada had let the next machine go.')
    expect(told).toContain('Ben let all others go')
    expect(told).toContain('It went on in place, as approved: Ben had let all others go.')
    expect(told.join()).not.toContain('Nothing of its policies')
  })
  it('because somebody let its wave begin, or had it not wait for another, names that person', () => {
    const decisions = [decision({ policy, recordedAt: at(5) })]
    const wave: WaveWordSaid = { what: 'begin', wave: 'rest', by: 'Bo', reason: null, at: at(5) }
    const told = (more: Partial<WaveWordSaid>) =>
      timelineOf(rowOf({ decisions }), null, [], [{ ...wave, ...more }]).map(({ text }) => text)
    expect(told({})).toContain('It was let go in place as approved: Bo let the wave rest begin.')
    expect(told({ what: 'skip', wave: 'canary' })).toContain(
      'It was let go in place as approved: Bo had the waves not wait for canary.',
    )
    // Said long before, something else held it since.
    expect(told({ at: at(2) })).toContain(
      'Nothing of its policies kept it any more: it was let go in place as approved.',
    )
    expect(told({ what: 'stop' })).toContain(
      'Nothing of its policies kept it any more: it was let go in place as approved.',
    )
  })
})
