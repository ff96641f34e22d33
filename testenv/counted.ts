import { afterEach } from 'vitest'
import { db } from '@/lib/db/client'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { planGroup } from '@/worker/planner/plan-group'
import type { Held } from './held'
import { planningContext } from './planning'
import { settlingRollouts } from './settling'
import { ada, bo, row, type timedCluster } from './timed'

const SETS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinesets' }

/** Whatever had become of its approval by then. */
export const HOW = ['rejected', 'taken back', 'approved still'] as const

export const countDone = async (held: Held, stoppedAt: Date | null): Promise<void> =>
  acceptFailures(bo, {
    ...{ changeId: held.change.id, reason: 'one node less is enough', again: true, asDone: true },
    stoppedAt: stoppedAt?.toISOString() ?? null,
  })

/** Rollouts that somebody counts as done, and of which machines of before are there again. */
export function countedRollouts(cluster: ReturnType<typeof timedCluster>) {
  const { running, look, at } = cluster
  const { allHaveIt, away, heldMidway } = settlingRollouts(cluster)
  afterEach(() => db().managementCluster.updateMany({ data: { latchForm: 'none' } }))

  /** The latch holds it. */
  async function governed(held: Held): Promise<Held> {
    const { groupId, clusterId } = held.change
    await db().group.update({ where: { id: groupId }, data: { governed: true } })
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'policy' } })
    return held
  }
  /** What its group was made of before every machine had it. */
  const setsOf = async ({ namespace }: Held): Promise<KubeObject[]> =>
    (await at.cluster.admin.list(SETS, namespace)).items
  async function isBack({ namespace }: Held, sets: readonly KubeObject[]): Promise<void> {
    for (const { metadata, spec } of sets) {
      const { template } = spec as { template: { spec: object } }
      const body = { spec: { template: { spec: template.spec } } }
      await at.cluster.admin.patch(SETS, metadata.name, namespace, 'merge', body as never)
    }
  }
  /** Every machine has it, and one is not Ready since. */
  async function settled(how: (typeof HOW)[number]): Promise<{ held: Held; sets: KubeObject[] }> {
    const held = await governed(await running())
    const changeId = held.change.id
    if (how === 'rejected') await rejectChange(ada, { ...(await heldMidway(held)), reason: 'bad image' })
    if (how === 'taken back') await withdrawApproval(ada, { changeId })
    if (how !== 'rejected') await away(held, 60)
    await look(held)
    const sets = await setsOf(held)
    await allHaveIt(held)
    for (let i = 0; i < 5; i++) await look(held)
    return { held, sets }
  }
  return {
    governed,
    setsOf,
    isBack,
    settled,
    /** And somebody counts it as done, which the worker has not written yet. */
    async counted(how: (typeof HOW)[number]): Promise<{ held: Held; sets: KubeObject[] }> {
      const found = await settled(how)
      await countDone(found.held, (await row(found.held)).stoppedAt)
      return found
    },
    /** One look of the worker while a webhook of the cluster does not answer: every write is refused. */
    async lookRefused(held: Held): Promise<void> {
      const context = await planningContext(at.clusterId)
      const refused = { kind: 'Status' as const, code: 500, message: 'failed calling webhook' }
      const client = new Proxy(context.view.client, {
        get: (of, key) =>
          key === 'patch'
            ? () => Promise.reject(new KubeError(500, refused, 'PATCH'))
            : (Reflect.get(of, key) as unknown),
      })
      const view = { ...context.view, client }
      await planGroup({ ...context, view }, { ...(await held.read()), kind: held.kind })
    },
  }
}
