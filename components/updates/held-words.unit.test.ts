import { expect, it } from 'vitest'
import { BACK, PENDING_BEFORE, SEEN_STORED, UNPAUSED } from '@/lib/domain/latch/names'
import { begunStuck, goesOn, heldWords, movedUnapproved, pausedAt, pauseGoesWords } from './held-words'

type Held = Parameters<typeof heldWords>[0]
const change = (part: object): Held =>
  ({
    state: 'waiting',
    heldBy: 'latch',
    groupKind: 'MachineDeployment',
    decision: null,
    decisions: [],
    outcome: null,
    letGoOutside: false,
    letGoBefore: null,
    machinesList: [],
    firstSeen: false,
    held: null,
    ended: null,
    heldWords: 'Waiting for approval in Drydock: to version v1.34.1',
    ...part,
  }) as unknown as Held
const at = '2026-11-21T16:00:00.000Z'
const approved = { mode: 'in-place', state: 'seen', acceptedAt: at, seenAt: at }

it.each([
  ['waits', {}, /The API server itself paused the group/],
  [
    'waits, and is approved since',
    { heldWords: 'Approved in Drydock: to version v1.34.1; not now: frozen by the policy p' },
    /The API server itself paused the group/,
  ],
  [
    'came to a group that was held already, and is not governed any more',
    { governance: { governed: false }, detectedAt: '2026-11-21T18:00:00Z', held: { since: at } },
    /^The group was held already when this change came\. While/,
  ],
  [
    'came when the group was governed still',
    { governance: { governed: false }, detectedAt: at, held: { since: at } },
    /The API server itself paused the group/,
  ],
  [
    'came to a hold that the latch wrote anew',
    { governance: { governed: true }, detectedAt: '2026-11-21T18:00:00Z', held: { since: at } },
    /The API server itself paused the group/,
  ],
  ['was taken back here', { heldWords: `${BACK}ms-1` }, /^Drydock paused the group in the write that took it back\./],
  [
    'waits where the latch was removed since',
    { governance: { latchForm: 'none' } },
    /; nothing guards that: no latch is installed there, and anybody who may edit the group can let it go\.$/,
  ],
  [
    'is of a pool, and waits there',
    { groupKind: 'MachineConfigPool', governance: { latchForm: 'none' } },
    /anybody who may edit the pool can let it go\.$/,
  ],
  [
    'is of a pool that may have been paused before it came, for another one',
    { groupKind: 'MachineConfigPool' },
    /^The API server itself held the configuration in the write that brought it: no node has begun it\. While it is held/,
  ],
  ['waits at the gate', { heldBy: 'gate' }, /The update gate answers/],
  ['waits at somebody’s pause', { heldBy: 'person' }, /Somebody paused the group/],
  [
    'waits at somebody’s pause of a pool that nobody governs',
    { heldBy: 'person', groupKind: 'MachineConfigPool', governance: { governed: false } },
    /^Somebody paused the pool, and it is not governed here: it moves as soon as that pause is taken away\.$/,
  ],
  [
    'waits at somebody’s pause, where the gate may ask yet',
    { heldBy: 'person', governance: { governed: false, gateState: 'registered' } },
    /taken away, whatever is decided here\.$/,
  ],
  [
    'was rejected',
    { state: 'rejected', heldWords: 'rejected by Ada: not tonight' },
    /^The group is paused on the API server\. While/,
  ],
  [
    'was stopped',
    {
      heldWords: 'Stopped by Drydock: its registration is gone, and without it the rest would be replaced',
      decisions: [{ mode: 'in-place', state: 'voided', acceptedAt: '2026-11-21T16:00:00.000Z' }],
    },
    /^Drydock stopped it after it had been let go: its registration is gone, .* replaced\. While it is held/,
  ],
  ['was pending before the latch', { heldWords: PENDING_BEFORE }, /^Drydock put the group on hold when it found it/],
  [
    'was paused after it was stored',
    { heldWords: SEEN_STORED },
    /^Drydock paused the group when it saw the change, after/,
  ],
  ['is held beside somebody’s own pause', { heldWords: null }, /^The group is paused on the API server\. While/],
  [
    'is approved, not yet accepted',
    { state: 'approved', decision: { mode: 'replace', acceptedAt: null } },
    /and held until/,
  ],
  [
    'was sent, and not answered',
    { state: 'approved', decision: { mode: 'replace', acceptedAt: null, unanswered: 3 } },
    /^It is approved, and that was sent .* tries it again\.$/,
  ],
  ['is approved and accepted', { state: 'approved', decision: approved }, /let it go: the cluster has accepted/],
  ['runs as it was approved', { state: 'running', decision: approved }, /^The approval let it go\.$/],
  ['is done as it was approved', { state: 'done', decision: approved }, /^The approval let it go\.$/],
  [
    'runs as it was approved before a disconnect',
    { state: 'running', heldBy: 'none', letGoBefore: { name: 'Ada', mode: 'in-place', stood: true } },
    /^Ada approved it in place before its cluster was disconnected, and that let it go\.$/,
  ],
  [
    'runs, edited since it was approved before a disconnect',
    { state: 'running', heldBy: 'none', letGoBefore: { name: 'Ada', mode: 'replace', stood: true, edited: true } },
    /^Ada approved it replacing before its cluster was disconnected, and the configuration of its machines was edited since\.$/,
  ],
  [
    'was let go before a disconnect, and paused',
    {
      heldWords: 'Stopped by Drydock: not now: paused by Oda',
      letGoBefore: { name: 'Ada', mode: 'replace', stood: true },
    },
    /^Drydock holds it again after it had been let go: paused by Oda\. While/,
  ],
  [
    'was held by Drydock when its cluster was connected',
    { heldWords: 'Stopped by Drydock: not now: paused by Oda', firstSeen: true },
    /^Drydock held it already when it first saw it here: .*paused by Oda\. While/,
  ],
  ['was never held', { state: 'done', heldBy: 'none' }, /began without having been held/],
  [
    'was rejected, and freed by hand',
    { state: 'running', heldBy: 'none', letGoOutside: true, decision: { ...approved, mode: 'reject' } },
    /taken away outside Drydock/,
  ],
  [
    'was stopped, and freed by hand',
    { state: 'running', heldBy: 'none', letGoOutside: true, decision: { ...approved, state: 'voided' } },
    /taken away outside Drydock/,
  ],
  ['ended undecided', { state: 'done' }, /No decision made here/],
  ['was superseded', { state: 'superseded', ended: 'newer' }, /A newer change took its place/],
  ['ended with its group', { state: 'superseded', ended: 'deleted' }, /its group was deleted/],
  ['ended with its cluster', { state: 'superseded', ended: 'disconnected' }, /its cluster was disconnected/],
  ['was reverted', { state: 'reverted' }, /changed back/],
])('a change that %s', (_, part, words) => expect(heldWords(change(part))).toMatch(words))

it('what its hold was taken away of outside, and is paused here, Drydock never let go: what moved, nobody had approved', () => {
  const words = 'Stopped by Drydock: not now: Ada has paused it: “too early”.'
  const outcome = { updatedInPlace: 0, created: 1, deleted: 2, failed: 0 }
  const paused = change({ heldWords: words, letGoOutside: true, outcome })
  expect(heldWords(paused)).toMatch(
    /^Its hold was taken away outside Drydock, and it went without an approval: 1 created, 2 deleted\. Drydock holds it again: Ada has paused it: “too early”\. While/,
  )
  expect(movedUnapproved(paused)).toBe(
    'It was not approved when it moved, for its hold was taken away outside Drydock: 1 created, 2 deleted.',
  )
  expect(heldWords({ ...paused, outcome: null })).toContain('and it went without an approval. Drydock holds it again')
  expect(movedUnapproved({ ...paused, outcome: null })).toBeNull()
  // Resumed since.
  expect(heldWords({ ...paused, heldWords: UNPAUSED })).toContain(
    'Drydock holds it again: it waits for approval. While',
  )
  // Let go here before that: of what moved nobody knows when.
  const decisions = [{ ...approved, state: 'voided' }] as Held['decisions']
  expect(heldWords({ ...paused, decisions })).toMatch(/^Drydock holds it again after it had been let go/)
  expect(movedUnapproved({ ...paused, decisions })).toBeNull()
  // Nothing had held it when it began.
  const never = { ...paused, letGoOutside: false }
  expect(heldWords(never)).toMatch(
    /^It began without having been held, and went without an approval: 1 created, 2 deleted\. Drydock holds it: Ada/,
  )
  expect(movedUnapproved(never)).toContain('for nothing held it then: 1 created')
  // Seen under way, and held here since: it was not held already when it was first seen.
  expect(heldWords({ ...never, firstSeen: true, beganUnheld: true })).toMatch(/^It began without having been held/)
  // Its cluster was disconnected, and connected again.
  expect(heldWords({ ...never, movedBy: 'Ada' })).toMatch(
    /^Ada disconnected its cluster, and it went without an approval: 1 created, 2 deleted\. Drydock holds it again: Ada/,
  )
  // What goes is not gone.
  const going = { name: 'w-1', state: 'deleting', progress: { state: 'deleting', finishedAt: null } }
  const hangs = { ...never, machinesList: [going] as never as Held['machinesList'] }
  expect(movedUnapproved(hangs)).toBe(
    'It was not approved when it moved, for nothing held it then: 1 created, 1 deleted, 1 being deleted.',
  )
  expect(movedUnapproved({ ...never, heldWords: SEEN_STORED })).toBeNull()
  expect(movedUnapproved({ ...paused, state: 'running' })).toBeNull()
})

it('what moved although nobody had approved it is named when it is over, too', () => {
  const of = (name: string, progress: object) => ({ name, state: 'ready', progress: { startedAt: at, ...progress } })
  const made = ['a', 'b'].map((name) => of(name, { state: 'created', finishedAt: at }))
  const others = of('c', { state: 'deleted', byOthers: true })
  const over = (more: object) =>
    change({
      ...{ state: 'superseded', heldBy: 'none', heldWords: null, beganUnheld: true },
      ...{ machinesList: [...made, others, of('d', { state: 'done', startedAt: null })] },
      ...{ outcome: { updatedInPlace: 0, created: 2, deleted: 0, failed: 0 }, ...more },
    })
  const words = 'It was not approved when it moved, for nothing held it then: 2 created (a, b).'
  expect(movedUnapproved(over({}))).toBe(words)
  expect(movedUnapproved(over({ letGoOutside: true }))).toContain(
    'for its hold was taken away outside Drydock: 2 created',
  )
  for (const more of [{ beganUnheld: false }, { decisions: [approved] }, { outcome: null, machinesList: [] }])
    expect(movedUnapproved(over(more))).toBeNull()
})

it('why it stopped by itself is said above, and not once more', () => {
  const why = '1 machine failed (w-1: not Ready in time)'
  const decisions = [{ ...approved, state: 'voided' }] as Held['decisions']
  const words = `Stopped by Drydock: not now: stopped by the policy p: ${why}`
  const stopped = { policy: 'p', why, at: '2026-11-21T16:00:00.000Z' }
  expect(heldWords(change({ heldWords: words, decisions, stopped }))).toMatch(
    /^Drydock holds it again after it had been let go: it stopped by itself\. While/,
  )
  expect(heldWords(change({ heldWords: words, decisions }))).toContain(`stopped by the policy p: ${why}. While`)
})

it('says that nothing holds it only where that is so', () => {
  for (const state of ['superseded', 'reverted', 'done', 'running', 'stuck', 'approved'])
    expect(heldWords(change({ state }))).not.toMatch(/nothing holds/i)
})

const [ANNOTATION, SPEC] = ['cluster.x-k8s.io/paused', 'spec.paused']
it.each([
  [{ annotation: true, spec: false, guarded: false }, true, [ANNOTATION], /^\. That is enough: it goes on then\.$/],
  [{ annotation: false, spec: true, guarded: false }, true, [SPEC], /^\. That is enough: it goes on then\.$/],
  [{ annotation: true, spec: true, guarded: true }, false, [ANNOTATION, SPEC], /^, once Drydock’s own hold is gone/],
  // The latch keeps the annotations only.
  [{ annotation: false, spec: true, guarded: true }, false, [SPEC], /^\.$/],
  [null, true, [], /^it\. That is enough/],
  [null, false, [], /^it\.$/],
] as const)('of somebody’s own pause only what is set is to be removed: %j, %s', (own, goesOn, names, words) => {
  expect(pausedAt(own)).toEqual(names)
  expect(pauseGoesWords(own, goesOn)).toMatch(words)
})

it.each([
  ['was approved', {}, true],
  ['began without anybody', { decision: null }, false],
  ['was rejected, and freed by hand', { decision: { ...approved, mode: 'reject' } }, false],
  ['was freed by hand after its decision was void', { decision: { ...approved, state: 'voided' } }, false],
  [
    'is not known to be taken by the cluster',
    { state: 'approved', decision: { ...approved, state: 'applying' } },
    false,
  ],
  ['somebody paused here as well', { paused: { by: 'Bo', reason: null, at } }, false],
  ['stopped by itself', { stopped: { policy: 'p', why: 'x', at } }, false],
  ['waits for its next machine', { step: { done: 1, of: 3, since: at } }, false],
  ['waits', { state: 'waiting' }, false],
])('what %s goes on without that pause: %#', (_, more, goes) => {
  const running = { state: 'running', decision: approved, paused: null, stopped: null, step: null }
  expect(goesOn({ ...running, ...more } as unknown as Parameters<typeof goesOn>[0])).toBe(goes)
})

it('names the new machine that is on its way beside what moved unapproved', () => {
  const outcome = { updatedInPlace: 0, created: 0, deleted: 1, failed: 0 }
  const made = { state: 'provisioning', progress: { state: 'created', finishedAt: null } }
  const machinesList = [made, { ...made, progress: { state: 'created', finishedAt: at } }, { ...made, state: null }]
  const freed = change({ letGoOutside: true, outcome, machinesList })
  expect(movedUnapproved(freed)).toBe(
    'It was not approved when it moved, for its hold was taken away outside Drydock: 1 deleted, 1 being created.',
  )
})

it('of a pool that was resumed since, what had begun when it was paused first is told apart, or not counted', () => {
  const seen = (detected: string, again: string | null, ...starts: string[]) => {
    const day = (time: string) => `2026-11-26T${time}.000Z`
    const machinesList = starts.map((time) => ({ name: time, progress: { startedAt: day(time) } }))
    return heldWords(
      change({
        ...{ groupKind: 'MachineConfigPool', heldWords: SEEN_STORED, machinesList },
        ...{ detectedAt: day(detected), heldAgainAt: again && day(again) },
      }),
    )
  }
  const four = ['11:11:01', '11:11:01', '11:11:18', '11:11:18']
  expect(seen('11:11:00', null, '11:11:01', '11:11:01')).toContain('stored: 2 nodes had begun by then, and')
  expect(seen('11:11:00', null)).toContain('up to maxUnavailable nodes may have begun, and')
  expect(seen('11:11:00', '11:11:17', ...four)).toContain(
    'paused it again after somebody had taken that away: 4 nodes have begun by now, 2 of them before that, and go through',
  )
  expect(seen('11:11:00', '11:11:17', '11:11:18')).toContain('a node has begun by now, none of them before that')
  expect(seen('11:11:00', '11:11:17')).toContain('up to maxUnavailable nodes may have begun each time')
  // By which of the two is not known.
  for (const told of [seen('11:11:00', '11:11:03', ...four), seen('11:11:00', '11:11:19', ...four)])
    expect(told).toContain('4 nodes have begun by now, and go through to the end')
})

const pool = (part: object): Held => change({ groupKind: 'MachineConfigPool', ...part })
const node = (name: string, startedAt: string | null) => ({ name, progress: { startedAt } })

it('of a pool that somebody resumed it does not say that it was paused only after what had begun', () => {
  const detectedAt = '2026-11-28T11:00:00.000Z'
  const late = [node('n1', '2026-11-28T11:05:00.000Z')]
  const paused = { heldWords: SEEN_STORED, detectedAt }
  const told = (more: object) => movedUnapproved(pool({ ...paused, ...more }))
  expect(told({ machinesList: late })).toContain(': n1. The pool was paused only after that; what has begun')
  const heldAgainAt = '2026-11-28T11:05:02.000Z'
  expect(told({ machinesList: late, heldAgainAt })).toBe(
    'It was not approved when a node began to take it up: n1. Drydock had paused the pool before that, somebody took that away, and it is paused again; what has begun goes through to the end.',
  )
  const both = [...late, node('n2', '2026-11-28T11:00:01.000Z')]
  expect(told({ machinesList: both, heldAgainAt })).toContain(
    'Drydock paused the pool, somebody took that away meanwhile, and it is paused again; what',
  )
})

it.each([
  [{ ended: 'newer', outcome: { begun: 2 } }, /^It was not approved when 2 nodes .*: a, b\. What had begun goes /],
  [{ ended: 'newer', outcome: {} }, /: a, b\. What had begun went through to the end, although a newer change /],
  [{ ended: 'newer', outcome: { failed: 1 } }, /: a, b\.$/],
  [{ ended: 'disconnected', outcome: { begun: 2 } }, /: a, b\.$/],
  [
    { state: 'done', decisions: [approved] },
    /^No approval of it was in force when 2 nodes began to take it up: a, b\.$/,
  ],
])('of a pool, what had begun unapproved is told when the change is over as well: %j', (more, words) => {
  const over = { state: 'superseded', begunUnapproved: ['a', 'b'], ...more }
  expect(movedUnapproved(pool(over))).toMatch(words)
  expect(movedUnapproved(pool({ ...over, begunUnapproved: [] }))).toBeNull()
})

it('of a pool that was never paused, what moved unapproved is named when it is over as well', () => {
  const machinesList = [node('a', at), node('b', at), node('c', null)] as never as Held['machinesList']
  const outcome = { updatedInPlace: 2, created: 0, deleted: 0, failed: 0 }
  const over = pool({ state: 'done', heldBy: 'none', heldWords: null, beganUnheld: true, machinesList, outcome })
  const words = 'It was not approved when it moved, for nothing held it then: 2 updated in place (a, b).'
  expect(movedUnapproved(over)).toBe(words)
  expect(movedUnapproved({ ...over, letGoOutside: true })).toContain('for its hold was taken away outside Drydock: 2')
  expect(movedUnapproved({ ...over, beganUnheld: false })).toBeNull()
  expect(movedUnapproved({ ...over, decisions: [approved] as Held['decisions'] })).toBeNull()
})

it('what was approved, and not let go yet, is not said to be approved by nobody', () => {
  const [all, some] = [{ approvedThen: 'all' }, { approvedThen: 'some' }]
  const waits = { heldWords: SEEN_STORED, machinesList: [node('n1', at)] }
  expect(movedUnapproved(pool({ ...waits, ...all }))).toMatch(
    /^It was approved, and not let go yet, when a node began to take it up: n1\. The pool was paused only after that/,
  )
  expect(movedUnapproved(pool({ ...waits, ...some }))).toMatch(/^It was not let go when a node began/)
  const over = { state: 'superseded', begunUnapproved: ['a'], ...all }
  expect(movedUnapproved(pool(over))).toMatch(/^It was approved, and not let go yet, when a node began/)
  // Let go later.
  expect(movedUnapproved(pool({ ...over, decisions: [approved] }))).toMatch(/^It was not let go when a node began/)
  const outcome = { updatedInPlace: 0, created: 1, deleted: 0, failed: 0 }
  const taken = change({ heldWords: UNPAUSED, letGoOutside: true, outcome, ...all })
  expect(movedUnapproved(taken)).toMatch(/^It was approved, and not let go yet, when it moved, for its hold was taken/)
  expect(heldWords(taken)).toContain('and it went before it was let go: 1 created. Drydock holds it again')
})

it.each<[Held['state'], string | null, string | null]>([
  ['waiting', 'a: its drain waits.', 'What it had begun is stuck: a: its drain waits.'],
  ['rejected', 'a: its drain waits.', 'What it had begun is stuck: a: its drain waits.'],
  ['waiting', null, null],
  // That has a place of its own.
  ['stuck', 'a: its drain waits.', null],
  ['superseded', 'a: its drain waits.', null],
])('%s, what had begun and hangs by %s is told, whether or not more is known of it', (state, stuckReason, words) =>
  expect(begunStuck({ state, stuckReason, machinesList: [] })).toBe(words),
)

it('what hangs and has not begun is not told as begun', () => {
  const stuckReason = 'a: somebody marked it for remediation'
  const words = (startedAt: string | null) =>
    begunStuck({ state: 'waiting', stuckReason, machinesList: [{ name: 'a', progress: { startedAt } }] as never })
  expect(words(null)).toBe(`Stuck besides: ${stuckReason}`)
  expect(words('2026-11-21T15:59:29.000Z')).toBe(`What it had begun is stuck: ${stuckReason}`)
})

it('of a pool that is held, nodes that hang by what was before are told with the change that waits', () => {
  const hanging = (...names: string[]) =>
    names.map((name) => ({ ...node(name, null), stuck: 'Its drain waits.' })) as never as Held['machinesList']
  type Stuck = Parameters<typeof begunStuck>[0]
  const told = (machinesList: Held['machinesList'], more: Partial<Stuck> = {}) =>
    begunStuck({ state: 'waiting', stuckReason: null, groupKind: 'MachineConfigPool', machinesList, ...more })
  expect(told(hanging('a'))).toBe('A node of the pool is stuck: a: Its drain waits.')
  expect(told(hanging('a', 'b'))).toBe('2 nodes of the pool are stuck, among them a: Its drain waits.')
  expect(told(hanging('a'), { stuckReason: 'a: its drain waits.' })).toBe('Stuck besides: a: its drain waits.')
  expect(told(hanging('a'), { state: 'running' })).toBeNull()
  expect(told([node('a', null)] as never as Held['machinesList'])).toBeNull()
})

it('of an OS image that is built for a pool does not say that a configuration was seen', () => {
  const told = (part: object) => heldWords(pool({ heldWords: SEEN_STORED, outlook: { pool: part } }))
  expect(told({ config: 'a', effect: null })).toContain('when it saw the configuration, after that was stored')
  expect(told({ config: 'a', image: null, effect: null })).toContain(
    'when it saw which OS image is wanted, which no write',
  )
})
