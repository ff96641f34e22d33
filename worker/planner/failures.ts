import { namedIn } from '@/lib/kubernetes/paths'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { limitWords, type FailureLimit } from '@/lib/domain/policies'
import { recordAudit } from '@/lib/services/audit/record'
import { markFailed, overLimit, type Limited } from '@/lib/services/changes/failing'
import { lockChange } from '@/lib/services/changes/lock-change'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { anyPolicySays } from '@/lib/services/policies/rules-for'
import { log } from '../log'
import type { ClusterView } from '../types'
import { owned } from './common'
import { rulesOf } from './rules-of'
import { movingUnapproved } from '@/lib/services/changes/let-go-outside'
import { LETS_GO, UNDER_WAY } from '@/lib/services/changes/states'

/**
 * Under way, or held in the middle: machines that have begun go on, and may fail. `left`: those that go on as approved before their cluster
 * was disconnected.
 */
const moving = (left: string[]) => ({
  OR: [
    { state: { in: UNDER_WAY }, decisions: { some: LETS_GO } },
    { state: { in: UNDER_WAY }, id: { in: left } },
    // A window may have closed in the moment in which its last machine was through.
    {
      state: { in: UNDER_WAY },
      settling: true,
      decisions: { some: { mode: { not: 'reject' }, acceptedAt: { not: null } } },
    },
    { state: { in: ['waiting', 'rejected'] }, dueMode: { not: null } },
  ],
  ...{ stoppedAt: null, neverStops: false },
})

/** What had begun by then goes on, and may fail. */
const STOPPED = { stoppedAt: { not: null }, state: { in: [...UNDER_WAY, 'waiting', 'rejected'] } }

async function leftOn(clusterId: string): Promise<string[]> {
  const where = { clusterId, state: { in: UNDER_WAY }, decisions: { none: LETS_GO } }
  const ids = (await db().change.findMany({ where, select: { id: true } })).map(({ id }) => id)
  return [...(await movingUnapproved(db(), ids))].flatMap(([id, why]) => (why === 'left' ? [id] : []))
}

const FIELDS = {
  ...{ id: true, clusterId: true, groupId: true, groupKind: true, groupName: true, namespace: true },
  ...{ workloadCluster: true, machines: true },
} as const

/** A rollout whose machines fail stops by itself where its policy says at how many. */
export async function stopFailing(view: ClusterView): Promise<void> {
  if (!(await anyPolicySays(db(), 'stopsAt'))) return
  const { clusterId } = view
  const left = await leftOn(clusterId)
  const select = { ...FIELDS, stoppedAt: true }
  const all = await db().change.findMany({ where: { clusterId, OR: [moving(left), STOPPED] }, select })
  const rules = await rulesOf(all)
  const limited = all.flatMap((change, i): (Limited & Pick<(typeof all)[number], 'stoppedAt'>)[] => {
    const of = rules[i]!
    // What it would stop at is not known: a person can still pause it.
    return of instanceof ServiceError ? [] : [{ ...change, rules: of }]
  })
  const stopped = limited.filter(({ stoppedAt }) => stoppedAt !== null)
  // Its page names them.
  if (stopped.length > 0) await markFailed(db(), stopped)
  const going = limited.filter(({ stoppedAt }) => stoppedAt === null)
  for (const one of await overLimit(db(), going))
    await stopOne(view, one, left).catch((err: unknown) =>
      log.warn(
        { err, cluster: view.name, change: one.id },
        'a rollout over its limit is not stopped yet; it is repeated',
      ),
    )
}

async function stopOne(view: ClusterView, one: Limited, left: string[]): Promise<void> {
  const { clusterId, name, fence } = view
  const { id, rules } = one
  await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    await lockChange(tx, id)
    const change = await tx.change.findFirst({ where: { id, ...moving(left) } })
    // Accepted, rejected or over meanwhile.
    if (!change || (await overLimit(tx, [one])).length === 0) return
    const failed = await tx.machineProgress.findMany({
      where: { changeId: id, failedAt: change.failuresFrom ? { gt: change.failuresFrom } : { not: null } },
      orderBy: { failedAt: 'asc' },
      select: { machineName: true, failedWhy: true },
    })
    const stoppedWhy = whyStopped(failed, rules.stopsAt.value)
    const stoppedBy = rules.stopsAt.policy?.name ?? ''
    await tx.change.update({ where: { id }, data: { stoppedBy, stoppedWhy, stoppedAt: await databaseNow(tx) } })
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [id] })
    await recordAudit(tx, systemCtx('failures'), {
      action: 'change.stopped-by-itself',
      target: { kind: change.groupKind, id, name: namedIn(change.namespace, change.groupName) },
      cluster: { id: clusterId, name },
      reason: stoppedWhy,
      details: { summary: change.summary, policy: stoppedBy },
    })
  })
}

const NAMED = 3

/** "2 machines failed (a: not Ready in time; b: it failed); it stops when 2 machines failed" */
function whyStopped(failed: readonly { machineName: string; failedWhy: string | null }[], limit: FailureLimit): string {
  const named = failed.slice(0, NAMED).map(({ machineName, failedWhy }) => `${machineName}: ${failedWhy ?? 'failed'}`)
  const more = failed.length > NAMED ? `; ${failed.length - NAMED} more` : ''
  const at = limit === 'never' ? '' : `; it stops when ${limitWords(limit)} failed`
  return `${failed.length} machine${failed.length === 1 ? '' : 's'} failed (${named.join('; ')}${more})${at}`
}
