import { db, pool } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import type { Change } from '@/lib/db/generated/client'
import { PHASES, type Phase } from '@/lib/domain/pools/types'
import { heldStep, nodeStep, type NodeStep } from '@/lib/domain/pools/node-step'
import type { BuiltImage } from '@/lib/kubernetes/types'
import { BEFORE_DISCONNECT_SQL } from '@/lib/services/changes/states'
import { notOwned, ownedSql } from '../owned'
import { isAwaited } from '../planner/awaited'
import { outcomeOf } from '../planner/outcome'
import type { Progress, ProgressView } from '../planner/progress'
import { STILL_MS } from '../planner/stuck'

const OWNED = (fence: string, news?: string) => ownedSql('(SELECT cluster_id FROM change WHERE id = $1)', fence, news)

const WRITE = `
INSERT INTO machine_progress (change_id, machine_id, machine_name, state, predicted, message, started_at, finished_at, through_at, failed_at, failed_why, ready_at)
SELECT $1::uuid, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $8::timestamptz[],
  $9::timestamptz[], $10::text[], $11::timestamptz[])
WHERE ${OWNED('$12')}
ON CONFLICT (change_id, machine_id) DO UPDATE SET state = excluded.state, message = excluded.message,
  predicted = coalesce(machine_progress.predicted, excluded.predicted),
  started_at = coalesce(machine_progress.started_at, excluded.started_at), finished_at = excluded.finished_at, through_at = excluded.through_at,
  failed_at = coalesce(machine_progress.failed_at, excluded.failed_at), failed_why = coalesce(machine_progress.failed_why, excluded.failed_why),
  ready_at = coalesce(machine_progress.ready_at, excluded.ready_at)`

/** What waited, and is in another pool now, may come back: it waits still. */
const IS_GONE = `change_id = $1 AND NOT machine_id = ANY($2::uuid[])
  AND NOT (state = 'waiting' AND EXISTS (SELECT 1 FROM config_node n WHERE n.id = machine_id))`
const GONE = `
DELETE FROM machine_progress WHERE ${IS_GONE} AND ${OWNED('$3', `SELECT 1 FROM machine_progress WHERE ${IS_GONE}`)}`

/** Of what is under way: deleted before its turn came, it is none of it. What had begun stays on record. */
const IS_DELETED = `change_id = $1 AND state = 'waiting' AND started_at IS NULL AND NOT EXISTS (SELECT 1 FROM config_node n WHERE n.id = machine_id)`
const DELETED = `
DELETE FROM machine_progress WHERE ${IS_DELETED} AND ${OWNED('$2', `SELECT 1 FROM machine_progress WHERE ${IS_DELETED}`)}
RETURNING machine_id AS id`

interface Node {
  id: string
  name: string
  phase: string
  sentence: string
  unavailable: boolean
  currentConfig: string | null
  desiredConfig: string | null
  currentImage: string | null
  desiredImage: string | null
  stuckFrom: Date | null
}

type Row = Progress & { failedAt: Date | null; failedWhy: string | null }

const membersOf = async (groupId: string): Promise<{ desired: string | null; nodes: Node[] } | null> => {
  const row = await db().configPool.findUnique({ where: { id: groupId } })
  if (!row) return null
  const nodes = await db().configNode.findMany({
    where: { clusterId: row.clusterId, pool: row.name },
    orderBy: { name: 'asc' },
  })
  return { desired: row.desiredConfig, nodes }
}

/**
 * How each node of a pool fares in a running change, from the rows of its nodes; and what it adds up to. A node that fails counts
 * once and for good, as a machine does. `target`: the config that the change brings; where the rows are of another one yet, nothing
 * is known of its nodes.
 */
export async function followNodes(fence: bigint, change: Change, target: string): Promise<ProgressView> {
  const [members, known] = await Promise.all([
    membersOf(change.groupId),
    db().machineProgress.findMany({ where: { changeId: change.id } }) as Promise<Row[]>,
  ])
  const rows = new Map(known.map((row) => [row.machineId, row]))
  const { rows: deleted } = await pool().query<{ id: string }>(DELETED, [change.id, fence])
  for (const { id } of deleted) rows.delete(id)
  const nodes = members?.desired === target ? members.nodes : []
  const now = await databaseNow(db())
  const changed: Row[] = []
  for (const node of nodes) {
    const before = rows.get(node.id)
    const { state, begun } = nodeStep({ ...node, phase: phaseOf(node) }, target, before && (before.state as NodeStep))
    const message = state === 'updating' || state === 'failed' ? node.sentence : null
    const failedWhy = state === 'failed' ? node.sentence || 'it is degraded' : null
    const readyAt = before?.readyAt ?? (state === 'done' && !node.unavailable ? now : null)
    const told =
      before?.state === state && before.message === message && (before.readyAt !== null) === (readyAt !== null)
    if (told && !(begun && !before.startedAt)) continue
    const startedAt = before?.startedAt ?? (begun ? now : null)
    const over = state === 'done'
    const row: Row = {
      ...{ changeId: change.id, machineId: node.id, machineName: node.name, state, message, startedAt },
      predicted: before?.predicted ?? (over && !startedAt ? 'up-to-date' : 'in-place'),
      finishedAt: over ? (before?.finishedAt ?? now) : null,
      ...{ throughAt: before?.throughAt ?? (over && startedAt ? now : null), deletingAt: null },
      ...{ failedAt: before?.failedAt ?? (failedWhy ? now : null), failedWhy: before?.failedWhy ?? failedWhy, readyAt },
    }
    rows.set(node.id, row)
    changed.push(row)
  }
  if (changed.length > 0) await write(fence, change.id, changed)
  const all = [...rows.values()]
  const through = nodes.every((node) => phaseOf(node) === 'updated' && node.currentConfig === target)
  const settled = through && !nodes.some(({ id }) => isAwaited(rows.get(id), change))
  return {
    settled: members?.desired === target && settled,
    awaits: members?.desired === target && through && !settled,
    machines: nodes.length,
    stuck:
      stuckOn(nodes, now) ??
      awaitedOn(
        nodes.flatMap(({ id }) => rows.get(id) ?? []),
        change,
        now,
      ),
    outcome: outcomeOf(all, settled),
  }
}

const phaseOf = ({ phase }: Node): Phase => PHASES.find((one) => one === phase) ?? 'pending'

function stuckOn(nodes: readonly Node[], now: Date): string | null {
  const bad = nodes.find((node) => phaseOf(node) === 'degraded' || (node.stuckFrom && node.stuckFrom <= now))
  if (!bad) return null
  const words = bad.sentence || 'it does not get on'
  return `${bad.name}: ${words}${words.endsWith('.') ? '' : '.'}`
}

/** It took up what it was to, and is not back since: nothing else tells of it. */
function awaitedOn(rows: readonly Row[], change: Change, now: Date): string | null {
  const late = ({ finishedAt }: Row) => finishedAt !== null && now.getTime() - finishedAt.getTime() > STILL_MS
  const found = rows.find((row) => isAwaited(row, change) && late(row))
  return found ? `${found.machineName} took it up, and is not available since: not Ready, or cordoned.` : null
}

/**
 * Which nodes a pool has while it is held and undecided, and which of them need nothing. What has begun before it was held, or in a
 * moment in which somebody resumed it, is on record as that, and stays so. `built`: the OS image that is built for the pool.
 */
export async function keepNodes(
  fence: bigint,
  changeId: string,
  groupId: string,
  target: string,
  built: Built,
): Promise<Kept> {
  const members = await membersOf(groupId)
  if (!members) return { rows: [], stuck: null }
  const all = (await db().machineProgress.findMany({ where: { changeId } })) as Row[]
  const known = new Map(all.map((row) => [row.machineId, row]))
  const begun = all.filter(({ startedAt }) => startedAt).map(({ machineId }) => machineId)
  await pool().query(GONE, [changeId, [...members.nodes.map(({ id }) => id), ...begun], fence])
  const elsewhere = await begunElsewhere(changeId, groupId)
  const now = await databaseNow(db())
  const rows = members.nodes.map((node): Row => {
    const before = known.get(node.id)
    const step = heldStep({ ...node, phase: phaseOf(node) }, { target, image: imageOf(built) }, before)
    const mine = step.begun && !elsewhere.has(node.id)
    const state = step.begun && !mine ? 'waiting' : step.state
    const startedAt = before?.startedAt ?? (mine ? now : null)
    const over = startedAt !== null && state === 'done'
    return {
      ...{ changeId, machineId: node.id, machineName: node.name, state, startedAt },
      message: state === 'updating' || state === 'failed' ? node.sentence : null,
      predicted: before?.startedAt ? before.predicted : state === 'done' && !startedAt ? 'up-to-date' : 'in-place',
      finishedAt: over ? (before?.finishedAt ?? now) : null,
      throughAt: over ? (before?.throughAt ?? now) : null,
      ...{ deletingAt: null, failedAt: before?.failedAt ?? null, failedWhy: before?.failedWhy ?? null },
      readyAt: before?.readyAt ?? (over && !node.unavailable ? now : null),
    }
  })
  const changed = rows.filter((row) => !isKept(row, known.get(row.machineId)))
  if (changed.length > 0) await write(fence, changeId, changed)
  const atWork = new Set(rows.flatMap((row) => (row.startedAt && !row.finishedAt ? [row.machineId] : [])))
  return {
    rows,
    stuck: stuckOn(
      members.nodes.filter(({ id }) => atWork.has(id)),
      now,
    ),
  }
}

/** `stuck`: what hangs of what has begun. */
interface Kept {
  rows: Row[]
  stuck: string | null
}

/** Of a pool of thousands that is held, and looked at each second while a node hangs, next to nothing is news. */
const isKept = (row: Row, before: Row | undefined): boolean =>
  before !== undefined &&
  row.state === before.state &&
  row.message === before.message &&
  (before.predicted ?? row.predicted) === before.predicted &&
  row.startedAt?.getTime() === before.startedAt?.getTime() &&
  (row.readyAt === null) === (before.readyAt === null) &&
  row.finishedAt?.getTime() === before.finishedAt?.getTime()

type Built = BuiltImage | null | undefined

/** Undefined: it is not known, or is not built yet. */
const imageOf = (built: Built): string | null | undefined => (built === null ? null : built?.image || undefined)

const ELSEWHERE = `
SELECT p.machine_id AS id FROM change c JOIN machine_progress p ON p.change_id = c.id
WHERE c.group_id = $2 AND c.cluster_id = (SELECT cluster_id FROM change WHERE id = $1)
  AND c.state = 'superseded' AND p.state = 'updating' AND p.finished_at IS NULL AND ${BEFORE_DISCONNECT_SQL} IS NOT TRUE`

/** Nodes on their way by a change before this one. */
async function begunElsewhere(changeId: string, groupId: string): Promise<Set<string>> {
  const { rows } = await pool().query<{ id: string }>(ELSEWHERE, [changeId, groupId])
  return new Set(rows.map(({ id }) => id))
}

async function write(fence: bigint, changeId: string, changed: readonly Row[]): Promise<void> {
  // In one order, as whoever counts it as done: no two wait for each other.
  const rows = [...changed].sort((a, b) => (a.machineId < b.machineId ? -1 : 1))
  const column = <K extends keyof Row>(key: K) => rows.map((row) => row[key])
  const { rowCount } = await pool().query(WRITE, [
    changeId,
    ...[column('machineId'), column('machineName'), column('state'), column('predicted'), column('message')],
    ...[column('startedAt'), column('finishedAt'), column('failedAt'), column('failedWhy'), column('readyAt')],
    fence,
  ])
  if (rowCount === 0) throw notOwned()
}
