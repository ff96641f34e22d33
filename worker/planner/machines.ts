import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Change, Machine } from '@/lib/db/generated/client'
import type { Verdict } from '@/lib/domain/verdict'
import type { ChangeOutcome } from '@/lib/services/changes/change-row'

export interface GroupKey {
  clusterId: string
  kind: string
  namespace: string
  name: string
}

const VERDICTS = `
UPDATE machine m SET verdict = w.verdict, verdict_reason = w.reason
FROM (
  SELECT x.id, coalesce(v.verdict, 'up-to-date') AS verdict, v.reason
  FROM machine x LEFT JOIN unnest($5::text[], $6::text[], $7::text[]) AS v(source, verdict, reason)
    ON v.source = CASE WHEN x.group_kind = 'MachineDeployment' THEN x.machine_set ELSE x.name END
  WHERE x.cluster_id = $1 AND x.group_kind = $2 AND x.namespace = $3 AND x.group_name = $4
) w
WHERE m.id = w.id AND (m.verdict, m.verdict_reason) IS DISTINCT FROM (w.verdict, w.reason)
RETURNING m.id`

/** Writes what a change would do to each machine of a group; machines that it does not touch are up to date. */
export async function writeVerdicts(
  group: GroupKey,
  verdicts: ReadonlyMap<string, { verdict: Verdict; reason: string }>,
): Promise<void> {
  const list = [...verdicts]
  const { rows } = await pool().query<{ id: string }>(VERDICTS, [
    group.clusterId,
    group.kind,
    group.namespace,
    group.name,
    list.map(([from]) => from),
    list.map(([, v]) => v.verdict),
    list.map(([, v]) => v.reason),
  ])
  if (rows.length === 0) return
  const ids = rows.length <= 50 ? { ids: rows.map((row) => row.id) } : {}
  await announce(pool(), { topic: 'machines', cluster: group.clusterId, ...ids })
}

export interface ProgressView {
  /** Every machine of the group has what it should have. */
  settled: boolean
  /** The first machine that cannot go on, in one sentence. */
  stuck: { sentence: string; since: Date } | null
  outcome: ChangeOutcome
}

type Step = 'waiting' | 'updating' | 'done' | 'failed' | 'created' | 'deleting' | 'deleted'

/** How each machine fares in a running change, from the machine rows; returns what it adds up to. */
export async function followMachines(
  group: GroupKey,
  change: Change,
  predicted: ReadonlyMap<string, Verdict>,
): Promise<ProgressView> {
  const { clusterId, kind, namespace, name } = group
  const [machines, known] = await Promise.all([
    db().machine.findMany({ where: { clusterId, groupKind: kind, groupName: name, namespace } }),
    db().machineProgress.findMany({ where: { changeId: change.id } }),
  ])
  const steps = new Map(known.map((row) => [row.machineId, row]))
  const first = known.length === 0
  const now = new Date()
  // The API server gives times of creation in whole seconds.
  const begun = Math.floor((change.startedAt ?? change.detectedAt).getTime() / 1000) * 1000
  for (const machine of machines) {
    const before = steps.get(machine.id)
    const isNew = !before && (!first || machine.createdAt.getTime() >= begun)
    const state = stepOf(machine, before?.state as Step | undefined, isNew)
    const message = state === 'waiting' || state === 'done' ? null : (machine.error ?? machine.sentence)
    if (before && before.state === state && (before.message ?? null) === message) continue
    const started = state === 'waiting' ? null : (before?.startedAt ?? now)
    const ended = ['done', 'created'].includes(state) ? (before?.finishedAt ?? now) : null
    const source = kind === 'MachineDeployment' ? (machine.machineSet ?? '') : machine.name
    const verdict = predicted.get(source)
    await db().machineProgress.upsert({
      where: { changeId_machineId: { changeId: change.id, machineId: machine.id } },
      create: {
        ...{ changeId: change.id, machineId: machine.id, machineName: machine.name, state, message },
        ...{ predicted: verdict ?? null, startedAt: started, finishedAt: ended },
      },
      update: { state, message, startedAt: started, finishedAt: ended },
    })
  }
  const present = new Set(machines.map((m) => m.id))
  const gone = known.filter((row) => !present.has(row.machineId) && row.state !== 'deleted').map((row) => row.machineId)
  if (gone.length > 0)
    await db().machineProgress.updateMany({
      where: { changeId: change.id, machineId: { in: gone } },
      data: { state: 'deleted', message: null, finishedAt: now },
    })
  const rows = await db().machineProgress.findMany({ where: { changeId: change.id } })
  // A machine that is being deleted has an error only where its deletion is stuck (a disruption budget).
  const bad = machines.find((m) => m.error !== null)
  return {
    settled: machines.every((m) => m.upToDate !== false && !m.updating && !m.deleting && m.state !== 'provisioning'),
    stuck: bad ? { sentence: `${bad.name}: ${bad.error}`, since: bad.changedAt } : null,
    outcome: outcomeOf(rows),
  }
}

function stepOf(machine: Machine, before: Step | undefined, isNew: boolean): Step {
  if (machine.deleting) return 'deleting'
  if (machine.error) return 'failed'
  if (before === 'created' || isNew) return 'created'
  if (machine.updating) return 'updating'
  if (before === 'updating' || before === 'failed') return machine.upToDate === false ? before : 'done'
  // A machine may be through between two looks: up to date where it was waiting means it was updated.
  if (before === 'waiting') return machine.upToDate === true && machine.verdict === 'up-to-date' ? 'done' : 'waiting'
  return before ?? 'waiting'
}

function outcomeOf(rows: { state: string; startedAt: Date | null }[]): ChangeOutcome {
  const count = (...states: string[]) => rows.filter((row) => states.includes(row.state)).length
  return {
    updatedInPlace: count('done'),
    created: count('created'),
    deleted: count('deleted', 'deleting'),
    failed: count('failed'),
  }
}
