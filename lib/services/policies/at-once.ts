import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import type { Policy, Resolved } from '@/lib/domain/policies'
import { overLimitByNow } from '../changes/failing'
import { pausedByOthers } from '../changes/their-pause'
import { anyUnreadable } from './read-policies'
import { scaledByThen } from './scaled-by-then'
import { isHalted, isUnplaced, timingOf, timingUnderWay } from './timing'
import { touched, type Light, type Open } from './touched-changes'
import { stopsEnded, wordsEnded, type EndedWord } from './words-ended'
import { approved, byThemselves, NO_MOVES, type Moved, type Moves } from './would-go'

/** Changes to which the same happens. */
export interface Part extends Moves {
  changes: number
  /** The first of them, by name. */
  first: { id: string; group: string }[]
}

/** What other policies do to what is there, within seconds, without anybody doing anything else. */
export interface AtOnce {
  /** They wait, and go by themselves, or go on. `digest`: which ones, and what moves by each; also of those that may. */
  goes: Part & { digest: string }
  /** They would go by themselves, too, but for their wave or their time. `may`: how many at once, where they come to be in an open wave. */
  later: Part & { may: number }
  /** They go by themselves as it is, but later. `at`: when the time of the first comes (ms); null: of none does. */
  sooner: Part & { at: number | null }
  /** They are under way, and are held. */
  held: Part
  /** They are under way, and held within a day, earlier than without it. `at`: when the first of them is (ms); null: none is. */
  heldLater: Part & { at: number | null }
  /** They are let go at once, or when their time comes, and nothing of them moves: somebody's own pause keeps them. */
  staysPaused: Part
  /** They were let go and have not begun, and are held where they come to be in a wave that is shut. */
  mayHold: Part
  /** They are under way, and so many of their machines failed already that they stop. */
  stops: Part
  /** Enough people had approved them, and more are asked now. */
  asksAgain: Part
  /** How many worker groups that are held get other numbers of machines. */
  scaled: number
  /** What people said of its waves, and counts no more. */
  ended: EndedWord[]
}

/** Of what is open, only that for which a policy is that says something else by then. By the rules by which the worker decides. */
export async function atOnce(tx: Tx, before: readonly Policy[], after: readonly Policy[]): Promise<AtOnce> {
  // Of what is in force nothing goes where one policy cannot be read: that would be by what is written instead, for all groups.
  const known = (await anyUnreadable(tx)) ? null : before
  const [open, now] = [await touched(tx, known, after), await databaseNow(tx)]
  const clusters = await tx.managementCluster.findMany({ select: { id: true, name: true } })
  const names = new Map(clusters.map(({ id, name }) => [id, name]))
  const isWaiting = ({ change: { state } }: Open) => state === 'waiting' || state === 'rejected'
  const [waiting, running] = [open.filter(isWaiting), open.filter((one) => !isWaiting(one))]
  const [free, due] = [await byThemselves(tx, waiting, now), await approved(tx, waiting, now)]
  const limits = (rules: Resolved | null) => rules && [rules.stopsAt.value, rules.readyWithin.value]
  const stopping = running.filter(
    ({ change, before, after }) =>
      !change.neverStops && !change.stoppedAt && !isDeepStrictEqual(limits(before), limits(after)),
  )
  const limited = (which: 'before' | 'after') =>
    stopping.flatMap(({ change: { id, machines }, [which]: rules }) => (rules ? { id, machines, rules } : []))
  const over = new Set((await overLimitByNow(tx, limited('before'))).map(({ id }) => id))
  const stops = new Set((await overLimitByNow(tx, limited('after'))).flatMap(({ id }) => (over.has(id) ? [] : [id])))
  const held = running.filter(
    ({ change, before, after }) =>
      isHeld(after, change, now) && !(before ? isHeld(before, change, now) : isHalted(change)),
  )
  const closing = running
    .filter((one) => !held.includes(one))
    .flatMap((one) => {
      const at = closesAt(one.after, one.change, now)
      const then = one.before && closesAt(one.before, one.change, now)
      return at < now.getTime() + SOON_MS && (then === null || at < then) ? [{ ...one, at }] : []
    })
  const all = [free, due].flatMap(({ goes, placing, later, sooner }) => [...goes, ...placing, ...later, ...sooner])
  const theirs = await pausedByOthers(
    all.map(({ change }) => change.id),
    tx,
  )
  const moves = ({ change }: Moved) => !theirs.has(change.id)
  const goes = [...free.goes, ...due.goes].filter(moves)
  const placing = [...free.placing, ...due.placing].filter(moves)
  const later = [...free.later, ...due.later].filter(moves)
  const sooner = [...free.sooner, ...due.sooner].filter(moves)
  return {
    goes: { ...part(names, goes), digest: digestOf([...goes, ...placing]) },
    later: { ...part(names, [...placing, ...later]), may: placing.length },
    sooner: { ...part(names, sooner), at: sooner.length === 0 ? null : Math.min(...sooner.map(({ at }) => at)) },
    staysPaused: part(
      names,
      all.filter((one) => !moves(one)),
    ),
    held: part(names, held),
    heldLater: { ...part(names, closing), at: closing.length === 0 ? null : Math.min(...closing.map(({ at }) => at)) },
    mayHold: part(
      names,
      running.filter(
        ({ change, before, after }) => before && mayBeHeld(after, change, now) && !mayBeHeld(before, change, now),
      ),
    ),
    stops: part(
      names,
      running.filter(({ change: { id } }) => stops.has(id)),
    ),
    asksAgain: part(names, due.asksAgain),
    scaled: await scaledByThen(tx, known, after),
    ended: [...(await wordsEnded(tx, before, after)), ...stopsEnded(open)],
  }
}

/** What is under way and must not go on. */
const isHeld = (rules: Resolved, change: Light, now: Date): boolean => !timingUnderWay(rules, change, now).open

const SOON_MS = 24 * 3_600_000

/** When what may go now must not go on, by windows and freezes (ms); infinity: not for as long as is looked ahead, or not now either. */
function closesAt(rules: Resolved, change: Light, now: Date): number {
  const by = timingUnderWay(rules, change, now)
  return (by.open ? by.until : null) ?? Infinity
}

/** Nothing but a wave that is not known yet may keep it from beginning. */
const mayBeHeld = (rules: Resolved, change: Light, now: Date): boolean =>
  change.state === 'approved' && isUnplaced(timingOf(rules, change, now)) && !isHeld(rules, change, now)

/** What would be there. Where it keeps its waves and whom it is for, everything stays in the wave in which it is. */
export function withDrafts(before: readonly Policy[], drafts: readonly Policy[]): Policy[] {
  const kept = drafts.map((draft) => {
    const row = before.find(({ id }) => id === draft.id)
    const same = row && isDeepStrictEqual(waved(row), waved(draft))
    return { ...draft, version: same ? row.version : 0 }
  })
  return [...before.filter(({ id }) => !drafts.some((draft) => draft.id === id)), ...kept]
}
const waved = ({ spec: { select, waves } }: Policy): object => ({ select, waves: waves ?? null })

const MOST_NAMED = 5
const MOVES = Object.keys(NO_MOVES) as (keyof Moves)[]

function digestOf(all: readonly Moved[]): string {
  const each = all.map((one) => [one.change.id, ...MOVES.map((what) => one[what] ?? 0)].join(' '))
  return createHash('sha256').update(each.sort().join('\n')).digest('hex')
}

function part(names: ReadonlyMap<string, string>, all: readonly Moved[]): Part {
  const sums = MOVES.map((what) => [what, all.reduce((n, one) => n + (one[what] ?? 0), 0)])
  const named = all.map(({ change }) => ({
    id: change.id,
    group: [names.get(change.clusterId), change.workloadCluster, change.groupName].filter(Boolean).join(' / '),
  }))
  const first = named.sort((a, b) => (a.group < b.group ? -1 : 1)).slice(0, MOST_NAMED)
  return { changes: all.length, ...(Object.fromEntries(sums) as Moves), first }
}
