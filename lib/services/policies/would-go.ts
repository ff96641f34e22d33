import type { Tx } from '@/lib/db/client'
import { inPlaceCount } from '@/lib/domain/changes/machines-of'
import { couldNotRoll, type Resolved } from '@/lib/domain/policies'
import { goingByItself, UNTOUCHED } from '../changes/by-itself'
import { outlookIn } from '../changes/change-row'
import { enoughApproved } from './enough-approved'
import { timingToGo } from './shape'
import { isUnplaced } from './timing'
import type { Light, Open } from './touched-changes'

const CHUNK = 500
/** Also what goes by its policy to its version first. */
const KEPT = { ...UNTOUCHED, heldBy: { in: [...UNTOUCHED.heldBy.in, 'hook' as const] } }
/** Not the fields of thousands of changes. */
const UNTOUCHED_FIELDS = {
  ...{ id: true, clusterId: true, groupId: true, groupKind: true, namespace: true, groupName: true, outlook: true },
} as const
const DUE_FIELDS = { groupKind: true, id: true, fingerprint: true, author: true, dueMode: true, outlook: true } as const

/** Nothing but a moment; its wave alone, which is not known yet and may be open; its time or wave; people. */
type Kept = 'nothing' | 'placing' | 'time' | 'people'

function keptBy(rules: Resolved, change: Light, now: Date): Kept {
  const timing = timingToGo(rules, change, now)
  if (isUnplaced(timing)) {
    const kept = keptBy({ ...rules, waves: null }, change, now)
    return kept === 'nothing' ? 'placing' : kept
  }
  // Its group is written first, within seconds; or gets the version of its Cluster, which only this keeps from it.
  if (timing.open || timing.why === 'hook' || (timing.why === 'shape' && !timing.shape.stuck)) return 'nothing'
  return ['window', 'freeze', 'wave'].includes(timing.why) ? 'time' : 'people'
}

/** What machines come to. */
export interface Moves {
  inPlace: number
  /** `byHand`: of those, as many only when somebody deletes them. */
  replaced: number
  byHand: number
  /** Besides those replaced: because more, or fewer, are wanted than there are, or for spares that are there already. */
  created: number
  deleted: number
}
export const NO_MOVES: Moves = { inPlace: 0, replaced: 0, byHand: 0, created: 0, deleted: 0 }

/** A change, and what its machines come to. */
export type Moved = Pick<Open, 'change'> & Partial<Moves>

/**
 * What goes at once; what does where the wave in which it is found to be is open; what does when its time comes, and did not; what did
 * already, and whose time (ms) comes sooner.
 */
export interface Going {
  goes: Moved[]
  placing: Moved[]
  later: Moved[]
  sooner: (Moved & { at: number })[]
}
const nothingGoes = (): Going => ({ goes: [], placing: [], later: [], sooner: [] })

/** `until`: what keeps it as it is. */
function put(
  { goes, placing, later, sooner }: Going,
  moved: Moved,
  until: Kept,
  kept: Kept,
  one: Open,
  now: Date,
): void {
  if (kept === 'nothing' && until !== 'nothing') goes.push(moved)
  if (kept === 'placing' && until !== 'nothing') placing.push(moved)
  if (kept === 'time' && until === 'people') later.push(moved)
  if (kept !== 'time' || until !== 'time') return
  const at = soonerBy(one, now)
  if (at !== null) sooner.push({ ...moved, at })
  else if (losesItsWave(one, now)) later.push(moved)
}

/** It waited for other groups, and waits for a time alone by then. */
function losesItsWave({ change, was: as, before, after }: Open, now: Date): boolean {
  if (!before || !waitsForOthers(timingBy(before, as, now))) return false
  const is = timingBy(after, change, now)
  return !is.open && (is.why === 'window' || is.why === 'freeze')
}

/** When a window opens, or a freeze ends, for what waits for somebody, or for another time that is known and later; null: none does. */
function soonerBy({ change, was: as, before, after }: Open, now: Date): number | null {
  const [was, is] = [before && timingBy(before, as, now), timingBy(after, change, now)]
  if (!was || was.open || is.open || !(is.why === 'window' || is.why === 'freeze') || is.opens === null) return null
  if (was.opens !== null) return was.opens <= is.opens ? null : is.opens
  return waitsForOthers(was) ? null : is.opens
}

/** Its wave waits for groups alone, and may open at any time. */
function waitsForOthers(timing: ReturnType<typeof timingToGo>): boolean {
  const place = !timing.open && timing.why === 'wave' ? timing.wave.place : null
  return place?.state === 'waits' && !place.needsPerson
}

/** Where nothing is known of its wave, by what else says when. */
function timingBy(rules: Resolved, change: Light, now: Date): ReturnType<typeof timingToGo> {
  const timing = timingToGo(rules, change, now)
  return isUnplaced(timing) ? timingToGo({ ...rules, waves: null }, change, now) : timing
}

/** Of what was held in the middle: what is left of it. */
function movesOf(row: Parameters<typeof outlookIn>[0], mode: string | undefined): Moves {
  const { inPlace, replace, before } = outlookIn(row)
  const outcome = mode === 'in-place' ? inPlace : replace
  if (!outcome) return NO_MOVES
  const { counts, added = 0, removed = 0, onDelete } = outcome
  const replaced = counts.replace ?? 0
  return {
    // Chosen, and out of service since it was held: those begin as well.
    inPlace: inPlaceCount(counts) + (before?.outOfService ?? 0),
    ...{ replaced, byHand: onDelete ? replaced : 0, created: added, deleted: removed },
  }
}

/** Those whose policies ask nobody by then. */
export async function byThemselves(tx: Tx, waiting: readonly Open[], now: Date): Promise<Going> {
  const asked = waiting.filter(({ change, after }) => !change.dueMode && after.approvals.value === 0)
  const going = nothingGoes()
  for (let at = 0; at < asked.length; at += CHUNK) {
    const some = asked.slice(at, at + CHUNK)
    const id = { in: some.map(({ change }) => change.id) }
    const rows = new Map(
      (await tx.change.findMany({ where: { id, ...KEPT }, select: UNTOUCHED_FIELDS })).map((row) => [row.id, row]),
    )
    const known = some.flatMap((one) => (rows.has(one.change.id) ? [{ ...one, row: rows.get(one.change.id)! }] : []))
    const ways = (which: 'before' | 'after') =>
      goingByItself(
        tx,
        known.flatMap(({ row, [which]: rules }) => (rules ? { change: row, rules } : [])),
      )
    const [was, is] = [await ways('before'), await ways('after')]
    const refused = await unwritable(tx, known)
    for (const { row, ...one } of known) {
      const { change, was: as, before, after } = one
      const kept = keptBy(after, change, now)
      if (!is.has(row.id) || kept === 'people' || refused.has(row.id)) continue
      const until = before && was.has(row.id) ? keptBy(before, as, now) : 'people'
      put(going, { change, ...movesOf(row, is.get(row.id)) }, until, kept, one, now)
    }
  }
  return going
}

/** Whose group would have to be written in a way that the API server refuses. */
async function unwritable(tx: Tx, all: readonly Open[]): Promise<Set<string>> {
  const rows = await tx.group.findMany({
    where: { id: { in: all.map(({ change }) => change.groupId) } },
    select: { id: true, kind: true, strategy: true, maxSurge: true, maxUnavailable: true },
  })
  const groups = new Map(rows.map((row) => [row.id, row]))
  return new Set(
    all.flatMap(({ change, after }) => {
      const group = groups.get(change.groupId)
      return group && couldNotRoll(after, group) ? [change.id] : []
    }),
  )
}

/** Those that enough people approved, and that wait for their time: it may come, or more people be asked for. */
export async function approved(tx: Tx, waiting: readonly Open[], now: Date): Promise<Going & { asksAgain: Moved[] }> {
  const due = waiting.filter(({ change }) => change.dueMode)
  const id = { in: due.map(({ change }) => change.id) }
  const rows = due.length === 0 ? [] : await tx.change.findMany({ where: { id }, select: DUE_FIELDS })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const known = due.flatMap((one) => (byId.has(one.change.id) ? [{ ...one, row: byId.get(one.change.id)! }] : []))
  const enough = (which: 'before' | 'after') =>
    enoughApproved(
      tx,
      now,
      known.flatMap(({ row, [which]: rules }) => (rules ? { change: row, rules } : [])),
    )
  const [was, is] = [await enough('before'), await enough('after')]
  const refused = await unwritable(tx, known)
  const going = { ...nothingGoes(), asksAgain: [] as Moved[] }
  for (const { row, ...one } of known) {
    const { change, was: as, before, after } = one
    const moved = { change, ...movesOf(row, row.dueMode!) }
    const until = before && was.has(change.id) ? keptBy(before, as, now) : 'people'
    if (!is.has(change.id)) {
      if (was.has(change.id)) going.asksAgain.push(moved)
    } else if (!refused.has(change.id)) put(going, moved, until, keptBy(after, change, now), one, now)
  }
  return going
}
