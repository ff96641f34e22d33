import { randomUUID } from 'node:crypto'
import { afterEach, expect, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { HELD } from '@/lib/domain/latch/names'
import { changeOf } from '@/lib/providers/cluster-api/changes'
import { approveChange } from '@/lib/services/changes/approve-change'
import { groupResource } from '@/lib/services/changes/patch-for'
import type { PlanContext } from '@/worker/planner/common'
import { planGroup } from '@/worker/planner/plan-group'
import { as } from './deciding'
import type { Held } from './held'
import { planningContext } from './planning'
import { until } from './process'
import { timedCluster } from './timed'

export interface Dated extends Held {
  after: string
}

export const newest = (held: Held) =>
  db().change.findFirstOrThrow({
    ...{ where: { groupId: held.change.groupId }, orderBy: { detectedAt: 'desc' } },
    include: { decisions: true },
  })

export const isHeldNow = async (held: Held) => HELD in ((await held.read()).metadata.annotations ?? {})

/** So long before (or after) the date of a group; only clocks that are asked for the date follow. */
export const clockAt = ({ after }: Pick<Dated, 'after'>, ms: number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(after) + ms })

/** A latched cluster with governed groups that want a date that lies ahead, planned as the worker plans them. */
export function datedCluster() {
  const cluster = timedCluster()
  const { at } = cluster
  afterEach(() => void vi.useRealTimers())

  /** What the worker does with it now, and in how long it looks again. */
  const next = async (held: Held, more: Partial<PlanContext['source']> = {}) => {
    const { source, ...rest } = await planningContext(at.clusterId)
    return planGroup({ ...rest, source: { ...source, ...more } }, { ...(await held.read()), kind: held.kind })
  }
  const look = async (held: Held) => {
    await next(held)
    return newest(held)
  }
  /** Held, with a date besides. */
  const dated = async (held: Held, spec: object = {}): Promise<Dated> => {
    await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
    const after = new Date(Date.now() + 1_800_000).toISOString().slice(0, 19) + 'Z'
    const { apiVersion } = await held.read()
    const body = { spec: { rollout: { after }, ...spec } }
    await at.cluster.admin.patch(
      groupResource(held.kind, apiVersion),
      held.name,
      held.namespace,
      'merge',
      body as never,
    )
    return { ...held, after }
  }
  return {
    ...cluster,
    ...{ next, look, dated },
    /** Another version with a date was approved, and the version is through. */
    async through(kind?: Held['kind']): Promise<Dated> {
      const held = await dated(await at.held(kind))
      const { id: changeId, fingerprint } = await look(held)
      const typedName = held.name
      await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace', typedName })
      await look(held)
      const { source } = await planningContext(at.clusterId)
      const rolled = async () => (await changeOf(await held.read(), source)).pairs.length === 0
      await until('the rollout', rolled, { ms: 120_000, every: 200 })
      await db().machine.create({
        data: {
          ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace },
          ...{ workloadCluster: held.change.workloadCluster, name: `m-${held.name}`, groupKind: held.kind },
          ...{ groupName: held.name, phase: 'Running', state: 'ready', ready: true, available: true, upToDate: true },
          ...{ sentence: '', node: 'n', resourceVersion: '1', createdAt: new Date() },
        },
      })
      for (let i = 0; i < 2; i++) await look(held)
      expect(await look(held)).toMatchObject({ id: changeId, state: 'done' })
      return held
    },
  }
}
