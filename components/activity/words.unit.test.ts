import { describe, expect, it } from 'vitest'
import type { AuditKnown } from '@/lib/services/audit/known'
import { actionWords, answerLabel, factsOf, outcomeOf } from './words'

type Event = Parameters<typeof outcomeOf>[0]
const event = (part: object): Event =>
  ({
    action: 'change.approved',
    result: 'ok',
    details: {},
    answer: null,
    actor: { kind: 'user', id: 'a', name: 'Ada' },
    ...part,
  }) as Event
const decision = {
  id: 'd1',
  mode: 'in-place',
  state: 'seen',
  error: null,
  sentAt: null,
  acceptedAt: null,
  change: { state: 'running', newestDecision: 'd1' },
}
const known = (part: object = {}): AuditKnown =>
  ({
    summary: 'v1.34.1 → v1.34.2',
    workloadCluster: 'payments-prod',
    decision: { ...decision, ...part },
    version: null,
  }) as AuditKnown
const at = '2026-11-21T16:00:00.000Z'

it('says of a change that nobody is asked about that somebody’s own pause keeps it', () => {
  const waits = { action: 'change.waits', result: 'ok' }
  expect(actionWords({ ...waits, details: {} })).toBe('saw, waiting for a decision, the update of')
  const kept = 'saw, kept by somebody’s own pause, the update of'
  expect(actionWords({ ...waits, details: { asksNobody: true } })).toBe(kept)
})

describe('what goes by the clock', () => {
  const calendar = { kind: 'system', id: 'system:calendar', name: 'drydock calendar' }
  it.each<[string, object, RegExp]>([
    ['somebody approves', {}, /^approved/],
    ['it goes, or goes on, as it was approved', { actor: calendar, details: { approvedBy: ['Ada (a)'] } }, /as it was/],
    ['nobody is asked', { actor: calendar, details: { approvedBy: [] } }, /asks nobody/],
  ])('%s', (_, part, words) => expect(actionWords(event(part))).toMatch(words))
})

it('says of an API server that can carry no latch that Drydock watches there, and of what failed that it did', () => {
  const installed = event({ action: 'latch.installed', details: { form: 'watch' } })
  expect(actionWords(installed)).toBe('had Drydock watch, and pause what changes, on')
  expect(actionWords({ ...installed, details: { form: 'policy' } })).toBe('installed the latch on')
  const failed = { ...installed, result: 'failed' }
  expect(actionWords(failed)).toBe('tried to have Drydock watch, and pause what changes, on')
  expect(actionWords({ ...failed, action: 'latch.removed' })).toBe('tried to end that Drydock watches and pauses on')
  expect(actionWords({ ...failed, details: { form: 'policy' } })).toBe('installed the latch on')
})

it.each([
  ['waves.begin', 'let the wave rest begin, of the policy'],
  ['waves.begin-ended', 'took back that the wave rest begins, of the policy'],
  ['waves.skip', 'said that the wave rest is not waited for, of the policy'],
  ['waves.word-ended', 'saw somebody’s word about the wave rest end by itself, of the policy'],
  ['waves.skip-ended', 'said that the wave rest is waited for again, of the policy'],
])('%s says which wave', (action, words) =>
  expect(actionWords(event({ action, details: { wave: 'rest' } }))).toBe(words),
)

it('says which step the cluster accepted', () => {
  const stored = event({ action: 'managed.step-stored', details: { step: 1, steps: 2, did: 'Record 4.12.7' } })
  expect(factsOf(stored)).toEqual(['Record 4.12.7'])
})

it('says whose approval expired, and until when it was good', () => {
  const details = { mode: 'replace', approver: 'Ada', expiredAt: '2026-11-20T08:30:12.345Z' }
  const expired = event({ action: 'approval.ran-out', actor: { kind: 'system' }, details })
  expect(actionWords(expired)).toBe('saw the approval of Ada expire, of the change of')
  expect(factsOf(expired)).toEqual(['replacing', 'good until 2026-11-20 08:30 UTC'])
})

describe('the essentials of an event', () => {
  it('are how, what and where', () => {
    const approved = event({ details: { mode: 'replace', summary: 'v1.34.1 → v1.34.2' } })
    expect(factsOf(approved)).toEqual(['replacing', 'v1.34.1 → v1.34.2'])
    expect(factsOf(event({ action: 'decision.accepted' }), known())).toEqual([
      'in place',
      'v1.34.1 → v1.34.2',
      'payments-prod',
    ])
    expect(factsOf(event({ action: 'change.rejected', details: { mode: 'reject', summary: 's' } }))).toEqual(['s'])
  })
  it('are the version of a boot image', () => {
    expect(
      factsOf(event({ action: 'skew.acknowledged', details: { version: '4.16.0', versionKind: 'OCPVersion' } })),
    ).toEqual(['4.16.0'])
    expect(
      factsOf(event({ action: 'skew.accepted', details: { attempt: 1 } }), {
        ...known(),
        summary: null,
        workloadCluster: null,
        decision: null,
        version: '4.16.0',
      }),
    ).toEqual(['4.16.0'])
  })
  it('are none where nothing is known', () => expect(factsOf(event({ action: 'audit.exported' }))).toEqual([]))
})

describe('what became of an approval', () => {
  const outcome = (part: object) => outcomeOf(event({}), known(part))
  it.each([
    ['accepted', { state: 'accepted', sentAt: at, acceptedAt: at }, 'done', undefined],
    ['on its way', { state: 'recorded' }, 'recorded', /not accepted by the cluster yet/],
    ['not accepted', { state: 'failed', error: 'No.' }, 'not accepted', /No\./],
    [
      'superseded before it was sent',
      { state: 'voided', change: { state: 'superseded', newestDecision: 'd1', ended: 'newer' } },
      'not sent',
      /^not sent: a newer change took its place$/,
    ],
    [
      'changed back before it was sent',
      { state: 'voided', change: { state: 'reverted', newestDecision: 'd1' } },
      'not sent',
      /^not sent: the group was changed back$/,
    ],
    [
      'refused, and decided anew later',
      { state: 'voided', error: 'The API server refused it.', change: { state: 'waiting', newestDecision: 'd2' } },
      'no effect',
      /^it took no effect: The API server refused it\.$/,
    ],
    [
      'decided anew',
      { state: 'voided', change: { state: 'waiting', newestDecision: 'd2' } },
      'not sent',
      /decided anew/,
    ],
    [
      'sent, its answer lost',
      { state: 'voided', sentAt: at, change: { state: 'superseded', newestDecision: 'd1', ended: 'newer' } },
      'void',
      /not known whether/,
    ],
    [
      'accepted, and stopped later',
      { state: 'voided', sentAt: at, acceptedAt: at },
      'void since',
      /accepted then, void since/,
    ],
    [
      'accepted, and held again until its time comes, with all its approvals',
      {
        ...{ state: 'voided', sentAt: at, acceptedAt: at, heldAgain: true },
        change: { state: 'waiting', newestDecision: 'd1', dueMode: 'in-place' },
      },
      'held again',
      /^accepted then, held again after it had been let go; what it was approved with stands$/,
    ],
    [
      'accepted, and held by somebody, who let it go on',
      {
        ...{ state: 'voided', sentAt: at, acceptedAt: at, heldAgain: true },
        change: { state: 'running', newestDecision: 'd2', dueMode: null },
      },
      'held again',
      /^accepted then, held again after it had been let go$/,
    ],
  ])('%s', (_, part, word, line) => {
    expect(outcome(part).word).toBe(word)
    if (line) expect(outcome(part).line).toMatch(line)
    else expect(outcome(part).line).toBeUndefined()
  })
  it('is none of success where it could not be let go', () =>
    expect(outcomeOf(event({ action: 'change.not-due' }))).toEqual({ tone: 'bad', word: 'not let go' }))
  it('is what was recorded where the change is no longer known', () => expect(outcomeOf(event({})).word).toBe('done'))
})

describe('what became of a decision on OpenShift', () => {
  const fate = { state: 'failed', error: 'No.', steps: 1, stored: 0, unsure: false, takesBack: false }
  const outcome = (part: object, action = 'pool.resumed') =>
    outcomeOf(event({ action }), { ...known(), decision: null, openShift: { ...fate, ...part } } as AuditKnown)
  it.each<[string, object, string, RegExp | undefined]>([
    ['accepted', { state: 'accepted', error: null }, 'done', undefined],
    ['seen', { state: 'seen', error: null }, 'done', undefined],
    ['on its way', { state: 'applying', error: null }, 'recorded', /^not accepted by the cluster yet$/],
    ['sent again, after no answer', { state: 'recorded', error: null, unsure: true }, 'recorded', /not known whether/],
    ['one step stored', { state: 'waiting', error: null, steps: 2, stored: 1 }, 'under way', /took 1 of its 2 steps/],
    ['being taken back', { state: 'applying', stored: 1, takesBack: true }, 'under way', /is being taken back$/],
    ['refused', {}, 'not accepted', /^not accepted: No\.$/],
    ['refused in the middle', { steps: 2, stored: 1 }, 'in part', /^the cluster took 1 of its 2 steps: No\.$/],
    ['not answered', { unsure: true }, 'not known', /^it is not known whether the cluster took it: No\.$/],
    ['refused, and decided anew', { state: 'superseded' }, 'no effect', /^it took no effect: No\.$/],
    ['not answered, and decided anew', { state: 'superseded', unsure: true }, 'void', /^decided anew since, and it is/],
    ['refused in the middle, and decided anew', { state: 'superseded', steps: 2, stored: 1 }, 'in part', /anew since/],
    ['taken back', { state: 'cancelled', error: 'Cancelled: of its 2 …' }, 'cancelled', /^Cancelled: of its 2/],
    ['written over', { state: 'overtaken', error: 'Bo changed it.' }, 'written over', /since: Bo changed it\.$/],
  ])('%s', (_, part, word, line) => {
    expect(outcome(part).word).toBe(word)
    if (line) expect(outcome(part).line).toMatch(line)
    else expect(outcome(part).line).toBeUndefined()
  })
  it.each(['skew.acknowledged', 'skew.returned', 'managed.set', 'pool.paused', 'admin-gate.withdrawn'])(
    '%s',
    (action) => expect(outcome({}, action).word).toBe('not accepted'),
  )
  it('stands on the decision, and not on what came after it', () =>
    expect(outcome({}, 'pool.retried').word).toBe('done'))
})

describe('what became of one approval of several', () => {
  const gave = event({ action: 'approval.given' })
  const outcome = (fate: string, change: object = { state: 'waiting', ended: null }) =>
    outcomeOf(gave, { ...known(), fell: { fate, change } } as AuditKnown)
  it('is nothing where it stands, or something went by it', () =>
    expect(outcomeOf(gave, { ...known(), fell: null }).word).toBe('done'))
  it.each<[string, string, object | undefined, string, RegExp]>([
    ['expired', 'expired', undefined, 'expired', /^expired since, before anything went by it$/],
    ['taken back', 'withdrawn', undefined, 'taken back', /taken back since/],
    ['rejected', 'rejected', undefined, 'over', /the change was rejected/],
    ['a newer change', 'fell', { state: 'superseded', ended: 'newer' }, 'fell away', /a newer change took its place/],
    ['its group is gone', 'fell', { state: 'superseded', ended: 'deleted' }, 'fell away', /its group was deleted/],
    ['changed back', 'fell', { state: 'reverted', ended: null }, 'fell away', /changed back/],
    ['its decision is void', 'fell', undefined, 'fell away', /the decision that it was a part of is void/],
  ])('%s', (_, fate, change, word, line) => {
    expect(outcome(fate, change)).toMatchObject({ tone: 'plain', word })
    expect(outcome(fate, change).line).toMatch(line)
  })
})

describe('a refusal', () => {
  const conflict =
    'Operation cannot be fulfilled on machinedeployments "x": the object has been modified; please apply your changes'
  const planner = { kind: 'system', id: 'planner', name: 'drydock planner' }
  it('of the planner’s own write that somebody overtook is no alarm', () => {
    const again = event({ action: 'change.reverted', result: 'refused', actor: planner, answer: conflict })
    expect(outcomeOf(again)).toMatchObject({ tone: 'plain', line: 'asked again: it had been changed meanwhile' })
    expect(actionWords(again)).toContain('tried to release')
  })
  it('of anything else, or of a person’s decision, is', () => {
    expect(outcomeOf(event({ action: 'change.reverted', result: 'refused', actor: planner, answer: 'no' })).tone).toBe(
      'bad',
    )
    expect(outcomeOf(event({ action: 'decision.failed', result: 'refused', answer: conflict })).tone).toBe('bad')
  })
  it('is the cluster’s only where the cluster was asked', () => {
    expect(actionWords({ action: 'decision.failed', result: 'refused' })).toBe('the cluster refused the decision on')
    expect(actionWords({ action: 'decision.failed', result: 'failed' })).toBe('could not apply the decision on')
  })
})

it('puts the API server’s name only on what it said', () => {
  const label = (action: string, result = 'ok', details: Record<string, unknown> = { attempt: 1 }) =>
    answerLabel({ action, result, details })
  expect(label('decision.accepted')).toBe('The API server answered')
  expect(label('decision.failed', 'refused')).toBe('The API server answered')
  expect(label('decision.failed', 'failed')).not.toContain('API server')
  for (const action of ['skew.seen', 'skew.overtaken']) expect(label(action)).not.toContain('API server')
  expect(label('decision.accepted', 'ok', {})).not.toContain('API server')
})

it('names the machine sets that were chosen, and the gate that was acknowledged', () => {
  const facts = (action: string, details: object) => factsOf(event({ action, details }))
  expect(facts('managed.set', { sets: 'All' })).toEqual(['all machine sets'])
  expect(facts('managed.set', { sets: 'None', controlPlanes: 'All' })).toEqual([
    'no machine set',
    'the control plane’s set, too',
  ])
  expect(facts('managed.set', { sets: 'All', controlPlanes: 'None' })).toEqual([
    'all machine sets',
    'not the control plane’s set',
  ])
  const selector = {
    matchLabels: { zone: 'a' },
    matchExpressions: [
      { key: 'team', operator: 'In', values: ['x', 'y'] },
      { key: 'gpu', operator: 'DoesNotExist' },
    ],
  }
  expect(facts('managed.set', { sets: 'Partial', selector })).toEqual([
    'machine sets with zone=a, team In x, y and gpu DoesNotExist',
  ])
  for (const action of ['admin-gate.acknowledged', 'admin-gate.withdrawn'])
    expect(facts(action, { gate: 'ack-4.22-x', text: 'A text.' })).toEqual(['ack-4.22-x'])
})

it('says what is governed in the words of the sheet', () => {
  const chosen = event({ action: 'latch.install', details: { governs: 'object-label' } })
  expect(factsOf(chosen)).toContain('governs labelled groups')
})
