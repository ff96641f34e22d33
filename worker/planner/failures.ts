import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { durationOf, limitOf, limitWords, type Resolved, type Told, type FailureLimit } from '@/lib/domain/policies'
import { recordAudit } from '@/lib/services/audit/record'
import { lockChange } from '@/lib/services/changes/lock-change'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { anyLimits, rulesForAll } from '@/lib/services/policies/rules-for'
import type { ClusterView } from '../types'
import { owned } from './common'

const RUNNING = ['approved', 'running', 'stuck']
const LET_GO = { mode: { not: 'reject' }, state: { in: ['accepted', 'seen'] } }
const FIELDS = {
  ...{ id: true, clusterId: true, groupId: true, groupKind: true, groupName: true, namespace: true },
  ...{ workloadCluster: true, machines: true, failuresFrom: true, summary: true },
} as const

/**
 * Machines that failed by now, of changes and how long each gives a machine to be Ready (null: for ever). What this change did
 * nothing to does not count: what was up to date before it, and old machines that have not begun. A new machine has its time
 * from when it was made, one that was updated from when Cluster API said so.
 */
const MARK = `
UPDATE machine_progress p SET failed_at = now(), failed_why = CASE
  WHEN m.check_failed THEN 'its health check failed, and it is remediated'
  WHEN p.state = 'failed' OR m.error IS NOT NULL THEN coalesce(nullif(m.trouble_words, ''), p.message, m.error, 'it failed')
  ELSE 'not Ready in time' END
FROM unnest($1::uuid[], $2::bigint[]) AS of (change_id, ready_ms), machine m
WHERE p.change_id = of.change_id AND m.id = p.machine_id AND p.failed_at IS NULL AND p.started_at IS NOT NULL
  AND p.predicted IS DISTINCT FROM 'up-to-date' AND (m.check_failed OR p.state NOT IN ('deleting', 'deleted'))
  AND (m.up_to_date IS DISTINCT FROM false OR m.updating OR p.updater IS NOT NULL OR p.updaters_done <> '{}')
  AND (m.check_failed OR p.state = 'failed' OR m.error IS NOT NULL
    OR (NOT m.ready AND NOT m.updating AND p.state IN ('done', 'created')
      AND coalesce(p.finished_at, m.created_at) < now() - of.ready_ms * interval '1 millisecond'))`

/** A rollout whose machines fail stops by itself where its policy says at how many. */
export async function stopFailing(view: ClusterView): Promise<void> {
  if (!(await anyLimits(db()))) return
  const running = await db().change.findMany({
    where: {
      ...{ clusterId: view.clusterId, state: { in: RUNNING }, stoppedAt: null, neverStops: false },
      decisions: { some: LET_GO },
    },
    select: FIELDS,
  })
  if (running.length === 0) return
  const rules = await rulesForAll(db(), running)
  const limited = running.flatMap((change, i) => {
    const of = rules[i]!
    // What it would stop at is not known: a person can still pause it.
    if (of instanceof ServiceError) return []
    const limit = limitOf(of.stopsAt.value, change.machines)
    return limit === null ? [] : [{ change, limit, rules: of }]
  })
  if (limited.length === 0) return
  await pool().query(MARK, [
    limited.map(({ change }) => change.id),
    limited.map(({ rules: { readyWithin } }) => durationOf(readyWithin.value)),
  ])
  for (const one of limited) await stopAtLimit(view, one)
}

interface Limited {
  change: { id: string; failuresFrom: Date | null }
  limit: number
  rules: Resolved
}

async function stopAtLimit(view: ClusterView, { change: { id }, limit, rules }: Limited): Promise<void> {
  const { clusterId, name, fence } = view
  await db().$transaction(async (tx) => {
    const known = await tx.change.findUniqueOrThrow({ where: { id }, select: { failuresFrom: true } })
    const since = known.failuresFrom ? { gt: known.failuresFrom } : { not: null }
    const counting = { changeId: id, failedAt: since }
    if ((await tx.machineProgress.count({ where: counting })) < limit) return
    await owned(tx, { clusterId, fence })
    await lockChange(tx, id)
    const change = await tx.change.findUniqueOrThrow({ where: { id } })
    // Accepted, rejected or over meanwhile.
    if (change.stoppedAt || change.neverStops || !RUNNING.includes(change.state)) return
    if (change.failuresFrom?.getTime() !== known.failuresFrom?.getTime()) return
    const failed = await tx.machineProgress.findMany({ where: counting, orderBy: { failedAt: 'asc' } })
    const stoppedWhy = whyStopped(failed, rules.stopsAt)
    const stoppedBy = rules.stopsAt.policy?.name ?? ''
    await tx.change.update({ where: { id }, data: { stoppedBy, stoppedWhy, stoppedAt: new Date() } })
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [id] })
    await recordAudit(tx, systemCtx('failures'), {
      action: 'change.stopped-by-itself',
      target: { kind: change.groupKind, id, name: `${change.namespace}/${change.groupName}` },
      cluster: { id: clusterId, name },
      reason: stoppedWhy,
      details: { summary: change.summary, policy: stoppedBy, machines: failed.map((m) => m.machineName).join(', ') },
    })
  })
}

const NAMED = 3

/** "2 machines failed (a: not Ready in time; b: it failed); it stops when 2 machines failed" */
function whyStopped(
  failed: readonly { machineName: string; failedWhy: string | null }[],
  { value }: Told<FailureLimit>,
): string {
  const named = failed.slice(0, NAMED).map(({ machineName, failedWhy }) => `${machineName}: ${failedWhy ?? 'failed'}`)
  const more = failed.length > NAMED ? `; ${failed.length - NAMED} more` : ''
  const limit = value === 'never' ? '' : `; it stops when ${limitWords(value)} failed`
  return `${failed.length} machine${failed.length === 1 ? '' : 's'} failed (${named.join('; ')}${more})${limit}`
}
