import { db } from '@/lib/db/client'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { stopFailing } from '@/worker/planner/failures'
import { goInTime, holdToTimes } from '@/worker/planner/times'
import { ago, fares, OLD } from './faring'
import type { Held } from './held'
import { bo, row, type timedCluster } from './timed'

const SETS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinesets' }

/** Rollouts of which every machine is of what its group wants, over the rounds of the worker. */
export function settlingRollouts({ view, look, running, at }: ReturnType<typeof timedCluster>) {
  /** Nothing is left of its old revision, whoever saw to that. */
  async function allHaveIt(held: Held): Promise<void> {
    const { template } = (await held.read()).spec as { template: { spec: object } }
    const spec = { template: { spec: template.spec } }
    const { admin } = at.cluster
    for (const { metadata } of (await admin.list(SETS, held.namespace)).items)
      await admin.patch(SETS, metadata.name, held.namespace, 'merge', { spec } as never)
  }
  /** A machine of it was updated so many minutes ago, and is not Ready since. */
  async function away(held: Held, minutes: number, fared: object = {}, machine: object = {}): Promise<void> {
    const over = { changeId: held.change.id }
    await db().change.update({ where: { id: held.change.id }, data: { startedAt: ago(minutes + 10) } })
    await db().decision.updateMany({ where: over, data: { acceptedAt: ago(minutes + 11), seenAt: ago(minutes + 11) } })
    await fares(
      held,
      'last',
      { ...OLD, state: 'done', startedAt: ago(minutes + 5), finishedAt: ago(minutes), ...fared },
      {
        ...{ ready: false, available: false, state: 'not-ready', notReadySince: ago(minutes), node: 'n' },
        ...{ verdict: 'up-to-date', createdAt: ago(1000), ...machine },
      },
    )
  }
  async function round(held: Held, times = 3): Promise<Awaited<ReturnType<typeof row>>> {
    for (let i = 0; i < times; i++) {
      await stopFailing(await view())
      await holdToTimes(await view())
      await goInTime(await view())
      await look(held)
    }
    return row(held)
  }
  return {
    allHaveIt,
    away,
    round,
    /** A machine has begun, and it is held again by Bo's pause; what is to be decided on then. */
    async heldMidway(held: Held): Promise<{ changeId: string; fingerprint: string }> {
      const changeId = held.change.id
      await away(held, 5)
      await pauseChange(bo, { changeId })
      return { changeId, fingerprint: (await round(held)).fingerprint }
    },
    /** Every machine is of what its group wants; the last one was updated so many minutes ago, and is not Ready since. */
    async settling(minutes: number, fared: object = {}, machine: object = {}): Promise<Held> {
      const held = await running()
      await allHaveIt(held)
      await away(held, minutes, fared, machine)
      return held
    },
    comesBack: (held: Held) =>
      db().machine.updateMany({
        where: { name: 'last', groupName: held.name },
        data: { ready: true, available: true, state: 'ready', notReadySince: null },
      }),
  }
}
