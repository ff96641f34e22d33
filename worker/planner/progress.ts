import { db, pool } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import type { Change, MachineProgress } from '@/lib/db/generated/client'
import { behindMessage, isBehind } from '@/lib/domain/changes/behind'
import { removesAny } from '@/lib/domain/changes/by-others'
import { givenUpIn } from '@/lib/domain/drain-time-out'
import type { Verdict } from '@/lib/domain/verdict'
import { outlookIn, type ChangeOutcome } from '@/lib/services/changes/change-row'
import { mayLack, rollsHow } from '@/lib/services/changes/no-room'
import { notOwned, ownedSql } from '../owned'
import { begins, hasMoved, stepOf, waitedTill, wasMade } from './machine-step'
import { replacesBy, wasAnsweredInPlace } from './replaces'
import type { OwnedGroup } from './verdicts'
import { isBlocked, stuckOn } from './stuck'
import { foretoldIn, goesAsForetold, madeBeyond, mayBeForetold, wayOfGoing } from './as-foretold'
import { isByOthers, isNoneOfIts, isOthers, judged, wayOfAll, wentEarly } from './went-by'
import { giveWay } from './give-way'
import { withUnforetold } from './unforetold'
import { unwellOf } from './unwell'
import { isMade, madeUpBefore, outcomeOf, plannedWhileHeld } from './outcome'
import { madeSince, wentWhileHeld } from './while-held'
import { comesUp, isAwaited, isUnproven, isWell, UNPROVEN } from './awaited'

export interface ProgressView {
  /** Every machine of the group has what it should have. */
  settled: boolean
  /** All is through, and only that something of it is Ready is waited for. */
  awaits: boolean
  machines: number
  /** Why it cannot go on, in one sentence. */
  stuck: string | null
  outcome: ChangeOutcome
  /** How many take the place of what others deleted, with those that come up. Absent: as in the outcome. */
  madeUp?: number
}

export type Step = 'waiting' | 'updating' | 'done' | 'failed' | 'created' | 'deleting' | 'deleted'

const FIELDS = {
  ...{ id: true, name: true, machineSet: true, state: true, sentence: true, error: true, troubleWords: true },
  verdict: true,
  ...{ ready: true, node: true, notReadySince: true, plane: true },
  ...{ upToDate: true, updating: true, deleting: true, deletingSince: true, createdAt: true, changedAt: true },
} as const

export interface MachineNow {
  id: string
  name: string
  machineSet: string | null
  state: string
  sentence: string
  error: string | null
  troubleWords: string | null
  verdict: string | null
  ready: boolean
  node: string | null
  notReadySince: Date | null
  /** Of a control plane: what its manager says of it. */
  plane?: unknown
  upToDate: boolean | null
  updating: boolean
  deleting: boolean
  deletingSince: Date | null
  createdAt: Date
  changedAt: Date
}

/** Which updater is at work (or failed) is written by the gate, and only read here. */
export type Progress = Omit<
  MachineProgress,
  | 'state'
  | 'updater'
  | 'updatersDone'
  | 'failedAt'
  | 'failedWhy'
  | 'illAt'
  | 'illBy'
  | 'begunBy'
  | 'wentBy'
  | 'unwell'
  | 'unwellSince'
> & {
  state: Step
  /** Written when it counts as failed, and only read here. */
  readonly failedAt?: Date | null
  readonly updater?: string | null
  readonly updatersDone?: readonly string[]
  /** Written when its health check fails; what it was found before it began says nothing of what began. */
  readonly illAt?: Date | null
  /** Of a machine: by whom it goes, as it was judged then. */
  wentBy?: string | null
  /** Of a control plane machine: what was not well of it when it was last looked at, before it went. */
  unwell?: string | null
  unwellSince?: Date | null
}

const BEGINS = 'machine_progress.started_at IS NULL AND excluded.started_at IS NOT NULL'

const WRITE = `
INSERT INTO machine_progress (change_id, machine_id, machine_name, state, predicted, message, started_at, finished_at, through_at, deleting_at, ready_at, went_by,
  unwell, unwell_since)
SELECT $1::uuid, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[],
  $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $13::text[], $14::text[], $15::timestamptz[])
WHERE ${ownedSql('(SELECT cluster_id FROM change WHERE id = $1)', '$12')}
ON CONFLICT (change_id, machine_id) DO UPDATE SET state = excluded.state, message = excluded.message,
  predicted = coalesce(machine_progress.predicted, excluded.predicted),
  started_at = coalesce(machine_progress.started_at, excluded.started_at), finished_at = excluded.finished_at,
  ill_at = CASE WHEN ${BEGINS} THEN NULL ELSE machine_progress.ill_at END,
  ill_by = CASE WHEN ${BEGINS} THEN NULL ELSE machine_progress.ill_by END,
  through_at = excluded.through_at, deleting_at = excluded.deleting_at, ready_at = coalesce(machine_progress.ready_at, excluded.ready_at),
  went_by = coalesce(machine_progress.went_by, excluded.went_by), unwell = excluded.unwell, unwell_since = excluded.unwell_since`

export interface Going {
  /** It was approved so. */
  replacing?: boolean
  inPlace?: boolean
  /** Somebody's own pause keeps its controller from beginning anything: what goes or falls ill meanwhile does so by itself. */
  paused?: boolean
  /** Somebody paused its whole Cluster. */
  frozen?: boolean
  /** It is held in the middle, since then: what goes or comes later does so by itself. */
  heldAt?: Date | null
  /** How many machines there are to be, where nothing is left to begin. */
  wanted?: number
}

/** How each machine fares in a running change, from the machine rows, in one read and one write; and what it adds up to. */
export async function followMachines(
  group: OwnedGroup,
  change: Change,
  predicted: ReadonlyMap<string, Verdict>,
  blocked: string | null,
  { replacing = false, inPlace = false, frozen = false, paused: isPaused = frozen, heldAt = null, wanted }: Going = {},
): Promise<ProgressView> {
  const { clusterId, kind, namespace, name } = group
  // What failed, and in what time, is told by the same clock.
  const [now, machines, known] = await Promise.all([
    databaseNow(db()),
    db().machine.findMany({ where: { clusterId, groupKind: kind, groupName: name, namespace }, select: FIELDS }),
    db().machineProgress.findMany({ where: { changeId: change.id } }) as Promise<Progress[]>,
  ])
  const rows = new Map(known.map((row) => [row.machineId, row]))
  const since = secondOf(change.startedAt ?? change.detectedAt)
  const changed: Progress[] = []
  const put = (row: Progress) => {
    rows.set(row.machineId, row)
    changed.push(row)
  }
  const at = new Map(machines.map((machine) => [machine.id, machine]))
  // Only of what is new, or goes, it matters.
  const isAnyNew =
    known.some(({ state, machineId }) => state === 'created' || (state !== 'deleted' && !at.has(machineId))) ||
    machines.some(({ id, deleting }) => deleting || !rows.has(id))
  const isPlane = kind === 'KubeadmControlPlane'
  const foretold = isPlane && inPlace && heldAt === null ? foretoldIn(change) : null
  const answered = !replacing && !foretold && isAnyNew && (await wasAnsweredInPlace(change.id))
  const by = {
    ...{ replacing, answered, spares: createdBy(change, false), waits: kind !== 'MachineDeployment' },
    lacks: answered && (await mayLack(group)),
  }
  const isUp = ({ machineId, throughAt }: Progress) => {
    const machine = at.get(machineId)
    return throughAt !== null || !!machine?.ready || machine?.state === 'ready'
  }
  const removes = removesAny(outlookIn(change))
  const replaces = (row?: Progress, way?: string | null) =>
    foretold
      ? !isPaused &&
        mayBeForetold(row, way, removes) &&
        goesAsForetold(rows.values(), foretold, isUp, {
          way: row?.predicted ?? way,
          unwell: row?.unwell,
          ways: predicted,
        })
      : replacesBy(rows.values(), by, isUp)
  const allReplace = foretold === null && replaces()
  // Asked nobody, its manager may have begun with a deletion: the new one is seen later. A spare that is new in this look is counted in the next.
  const isAllKnown = machines.every(({ id }) => rows.has(id))
  const sure = isPaused || (foretold ? isAllKnown : answered && !removes && (by.spares === 0 || isAllKnown))
  for (const machine of machines) {
    const before = rows.get(machine.id)
    const source = kind === 'MachineDeployment' ? (machine.machineSet ?? '') : machine.name
    const way = predicted.get(source) ?? (isPlane ? wayOfGoing(machine, before) : undefined)
    const newborn = machine.createdAt.getTime() >= since
    // The substitute of one that somebody deleted may be of the old revision: it waits for its own update.
    const isOld = way !== undefined && way !== 'up-to-date'
    // Found under way: what is not up yet, with what is wanted, was made by it a moment before.
    const comes = machine.state === 'provisioning' && !isOld
    const appeared = !before && (known.length > 0 || newborn || comes)
    const isMadeByIt = appeared || (!isOld && wasMade(machine, before, secondOf(change.detectedAt)))
    const state =
      appeared && isOld && !machine.deleting && !machine.error ? 'waiting' : stepOf(machine, before, isMadeByIt)
    const message = messageOf(machine, state, before, now)
    const over = state === 'done' || (state === 'created' && machine.state === 'ready')
    const was = waitedTill(machine, before)
    const replaced = replacing || before?.predicted === 'replace'
    // Nor does a machine that falls ill begin anything; where an updater failed, the gate has said so.
    const moved = !isOld && hasMoved(machine, was, replaced)
    const wasThere = isOld || (!appeared && was !== 'created')
    const paused = isPaused || (state === 'deleting' && wentWhileHeld(machine.deletingSince, heldAt))
    const isIll = state === 'failed' && !machine.updating && !before?.updater && !moved && (wasThere || paused)
    const early = known.length > 0 && state === 'deleting' && wentEarly(machine, before, change)
    const none = before !== undefined && isNoneOfIts(before, replacing, removes)
    const goes = foretold
      ? state === 'deleting' && !none && !machine.updating && !before?.wentBy && replaces(before, way)
      : allReplace
    const others = (foretoldWay: string | null | undefined) =>
      foretold ? !goes : isByOthers(foretoldWay, way, { replaces: goes, removes })
    const byItself =
      early ||
      isOthers(before?.wentBy) ||
      isIll ||
      (paused && (state === 'deleting' || (appeared && isOld))) ||
      (state === 'deleting' && isOld && !machine.updating && others(before?.predicted ?? way)) ||
      (state === 'deleting' && !machine.updating && none)
    const begun = begins(state, was, replaced) && !byItself
    // What is ill from before, or going, and stays so, may begin.
    const news = (state === 'failed' || (goes && state === 'deleting')) && begun && before?.startedAt === null
    const told = before?.state === state && (before.message ?? null) === message && !news
    const through = state === 'done' || state === 'created'
    const readyAt =
      before?.readyAt ??
      (through && (begun || before?.startedAt) && isWell(machine, before?.throughAt ?? before?.startedAt ?? now, now)
        ? now
        : null)
    const startedAt = before?.startedAt ?? (begun ? now : null)
    // Whether that was before the hold does not hang on when somebody looked.
    const begunAt = heldAt !== null && state === 'created' && machine.createdAt < now ? machine.createdAt : now
    const row = {
      ...{ changeId: change.id, machineId: machine.id, machineName: machine.name, state, message },
      ...begunIf(before, startedAt !== null, begunAt),
      // Of what was not there when it began, nothing was foretold.
      predicted: before?.predicted ?? (newborn ? null : (way ?? (hadNothing(isIll, state, was) ? 'up-to-date' : null))),
      // Whose node was away for a while was made when it was Ready first.
      finishedAt: over ? (before?.finishedAt ?? (state === 'created' ? before?.throughAt : null) ?? now) : null,
      throughAt: before?.throughAt ?? (over && startedAt ? now : null),
      deletingAt: before?.deletingAt ?? (early ? machine.deletingSince : state === 'deleting' ? now : null),
      readyAt,
      ...(isPlane ? unwellOf(machine, before, now) : {}),
    }
    // Begun, and deleted before anybody looked again: what updates a machine where it stands does not delete it.
    const midway =
      state === 'deleting' &&
      // It was moved to what is wanted, and has let go of its mark by now.
      (machine.updating || (!isOld && !removes)) &&
      !before?.startedAt &&
      others(row.predicted)
    const isSure = sure || paused || none
    const wentBy = early
      ? 'before'
      : midway && !before?.wentBy
        ? 'others'
        : foretold && state === 'deleting'
          ? (before?.wentBy ?? (goes ? 'rollout' : isSure ? 'others' : null))
          : judged({ ...row, wentBy: before?.wentBy ?? null }, removes, isSure)
    const same = over === (before?.finishedAt != null) && (readyAt !== null) === (before?.readyAt != null)
    const unwell = (row.unwell ?? null) === (before?.unwell ?? null)
    if (told && same && unwell && wentBy === (before.wentBy ?? null)) continue
    put({ ...row, wentBy })
  }
  const allGone = foretold === null && replaces()
  for (const before of known)
    if (!at.has(before.machineId) && before.state !== 'deleted') {
      const none = isNoneOfIts(before, replacing, removes)
      const way = before.predicted ?? wayOf(before, predicted)
      const others =
        isOthers(before.wentBy) ||
        (foretold
          ? before.wentBy !== 'rollout' && (none || !replaces(before, way))
          : isByOthers(way, wayOfAll(predicted), { replaces: allGone, removes }))
      // What its node was not drained of is cut off: that outlives the machine.
      const message = before.startedAt ? givenUpIn(before.message ?? '') : null
      const row = {
        ...{ ...before, state: 'deleted' as const, message, finishedAt: now },
        ...begunIf(before, !isPaused && heldAt === null && !others && !none, now),
        deletingAt: before.deletingAt ?? now,
      }
      put({ ...row, wentBy: foretold && others ? (row.wentBy ?? 'others') : judged(row, removes, true) })
    }
  if (changed.length > 0) await write(change.id, changed, group.fence)
  if (foretold)
    for (const row of await giveWay(change.id, rows.values(), foretold, group.fence)) rows.set(row.machineId, row)
  const all = [...rows.values()]
  const through = machines.every((m) => m.upToDate !== false && !m.updating && !m.deleting)
  const last = lastMoved(change, all)
  const how = through || !isBlocked(last, now) ? null : await rollsHow(group)
  const awaited = machines.some((m) => isAwaited(rows.get(m.id), change) || comesUp(m, rows, change))
  const unproven = machines.length === 0 && wanted === 0 && isUnproven(all, change) ? UNPROVEN : null
  const settled = through && !awaited && unproven === null
  const planned = {
    created: heldAt === null ? createdBy(change, replacing) : plannedWhileHeld(change, { known, all, heldAt }),
    ...{ removes, madeUp: madeUpBefore(change) },
    ...(foretold ? { beyond: (made: readonly Progress[]) => madeBeyond(made, at, change, since) } : {}),
  }
  const outcome = await withUnforetold(change, outcomeOf(all, settled, planned))
  const coming = heldAt === null ? 0 : all.filter((row) => madeSince(row, heldAt) && !isMade(row)).length
  return {
    settled,
    awaits: through && !settled,
    machines: machines.length,
    stuck:
      unproven ??
      stuckOn({
        machines,
        rows,
        blocked,
        lastMoved: last,
        now,
        ...{ replacing, frozen, how },
        over: settled && machines.length === wanted,
        forgiven: change.failuresFrom,
      }),
    outcome,
    madeUp:
      heldAt === null
        ? (outcome.madeUp ?? 0)
        : Math.min((outcome.madeUp ?? 0) + coming, (outcome.byOthers ?? 0) + (outcome.remediated ?? 0)),
  }
}

async function write(changeId: string, changed: readonly Progress[], fence: bigint): Promise<void> {
  // In one order, as whoever counts it as done: no two wait for each other.
  const rows = [...changed].sort((a, b) => (a.machineId < b.machineId ? -1 : 1))
  const column = <K extends keyof Progress>(key: K) => rows.map((row) => row[key])
  const { rowCount } = await pool().query(WRITE, [
    changeId,
    ...[column('machineId'), column('machineName'), column('state'), column('predicted')],
    ...[column('message'), column('startedAt'), column('finishedAt'), column('throughAt'), column('deletingAt')],
    ...[column('readyAt'), fence, rows.map(({ wentBy }) => wentBy ?? null)],
    ...[rows.map(({ unwell }) => unwell ?? null), rows.map(({ unwellSince }) => unwellSince ?? null)],
  ])
  if (rowCount === 0) throw notOwned()
}

/** The API server gives times of creation in whole seconds. */
const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000) * 1000

const hadNothing = (isIll: boolean, state: Step, was: Step | undefined): boolean =>
  (isIll && (!was || was === 'done')) || (state === 'deleting' && was === 'done')

const begunIf = (row: Progress | undefined, begun: boolean, now: Date): Pick<Progress, 'startedAt' | 'illAt'> => {
  if (row?.startedAt || !begun) return { startedAt: row?.startedAt ?? null, illAt: row?.illAt ?? null }
  return { startedAt: now, illAt: null }
}

/** How many it is to create, with those before it was held. */
function createdBy({ outlook }: Pick<Change, 'outlook'>, replacing: boolean): number {
  const { before, inPlace, replace } = outlookIn({ outlook })
  const chosen = replacing ? replace : (inPlace ?? replace)
  return (before?.created ?? 0) + (chosen?.created ?? 0)
}

/**
 * Of what was not looked at since it was let go: as all others. Of a substitute of the old revision nothing was foretold: that it goes by
 * itself was found while it was going.
 */
function wayOf({ state, startedAt }: Progress, predicted: ReadonlyMap<string, Verdict>): Verdict | null {
  if (startedAt !== null) return null
  const ways = new Set([...predicted.values()].filter((way) => way !== 'up-to-date'))
  return state === 'deleting' || (ways.size === 1 && ways.has('in-place')) ? 'in-place' : null
}

/** An error in words of the catalogue, else its own. */
export const errorWords = ({ error, troubleWords }: Pick<MachineNow, 'error' | 'troubleWords'>): string =>
  troubleWords ?? error ?? ''

export const saidDone = (row: Pick<Progress, 'updatersDone'> | undefined): boolean =>
  (row?.updatersDone ?? []).length > 0

/** Cluster API keeps an updater's words in its log; the gate has heard them. */
const ONLY_IN_LOGS = /please check controller logs/i

function messageOf(machine: MachineNow, state: Step, before: Progress | undefined, now: Date): string | null {
  if (state === 'waiting' || state === 'done') return null
  if (state === 'updating' && isBehind(machine)) return behindMessage(machine, saidDone(before), now.getTime())
  const saidByUpdater = ONLY_IN_LOGS.test(machine.error ?? machine.sentence) || (machine.updating && !machine.error)
  if (state === 'failed' && before?.state === 'failed' && before.message && saidByUpdater) return before.message
  return machine.error === null ? machine.sentence : errorWords(machine)
}

/** When a machine last took a step. */
function lastMoved(change: Change, rows: Progress[]): number {
  let last = (change.startedAt ?? change.detectedAt).getTime()
  for (const row of rows)
    last = Math.max(last, row.startedAt?.getTime() ?? 0, row.finishedAt?.getTime() ?? 0, row.readyAt?.getTime() ?? 0)
  return last
}
