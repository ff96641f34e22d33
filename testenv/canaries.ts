import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '@/lib/services/audit/record'
import { approveChange } from '@/lib/services/changes/approve-change'
import { forgetRows } from '@/lib/services/clusters/forget-rows'
import { systemCtx } from '@/lib/services/context'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { expectHeld, inputFor } from './deciding'
import type { Held } from './held'
import { bo, cy, row } from './timed'
import { placed, type wavedCluster } from './waved'

export const names = (...held: Held[]) => ({ names: held.map(({ name }) => name) })
export const policy = async (spec: object) => savePolicy(cy, { name: `p-${randomUUID()}`, spec })

/** Two canaries in two management clusters, one of them through, and what comes after both; and their clusters that come and go. */
export function canaryClusters({ running, slow, place, round }: ReturnType<typeof wavedCluster>) {
  return {
    async canaries(more: object = {}) {
      const [well, ill, next] = [await running(), await running(), await slow()]
      const waves = [
        { name: 'canary', select: names(well, ill) },
        { name: 'next', select: names(next) },
      ]
      const { id: policyId } = await policy({ select: names(well, ill, next), waves, ...more })
      await db().change.update({ where: { id: well.change.id }, data: { state: 'done', finishedAt: new Date() } })
      return { well, ill, next, run: { policyId, wish: 'version v1.34.1' } }
    },

    /** Approved, and kept for its wave. */
    async kept(next: Held): Promise<void> {
      await approveChange(bo, { ...inputFor(next), reason: 'x' })
      await place()
      expect((await placed(next)).why).toContain('canary is not through')
    },

    /** It is of another management cluster, as its canaries would be. */
    async elsewhere({ change }: Held) {
      const data = { name: `other-${randomUUID()}`, server: 'https://x' }
      const { id: clusterId } = await db().managementCluster.create({ data })
      await db().group.update({ where: { id: change.groupId }, data: { clusterId } })
      await db().change.update({ where: { id: change.id }, data: { clusterId } })
      await place()
      return { clusterId, group: await db().group.findUniqueOrThrow({ where: { id: change.groupId } }) }
    },

    disconnect: (clusterId: string) =>
      db().$transaction(async (tx) => {
        await forgetRows(tx, clusterId)
        await tx.managementCluster.update({ where: { id: clusterId }, data: { state: 'disconnected' } })
        const target = { kind: 'ManagementCluster', id: clusterId, name: 'other' }
        await recordAudit(tx, systemCtx('test'), { action: 'cluster.disconnected', target })
      }),

    /** Connected again: its group is there, with what was wanted on every machine, and none of them available. */
    async back({ clusterId, group }: Back, over: object = {}): Promise<void> {
      const { id, kind, apiVersion, namespace, name, workloadCluster, resourceVersion, createdAt } = group
      const came = await db().change.findFirst({ where: { groupId: id }, orderBy: { detectedAt: 'desc' } })
      await db().managementCluster.update({ where: { id: clusterId }, data: { state: 'connected' } })
      await db().group.create({
        data: {
          ...{ clusterId, id, kind, apiVersion, namespace, name, workloadCluster, resourceVersion, createdAt },
          ...{
            governed: true,
            version: 'v1.34.1',
            letGo: came?.digest ?? null,
            generation: 2,
            observedGeneration: 2,
            rollingOut: false,
          },
          ...{ desiredReplicas: 1, replicas: 1, upToDateReplicas: 1, availableReplicas: 0, ...over },
        },
      })
    },

    /** What it wanted is found anew there, and nobody has placed that yet. */
    async found({ change }: Held): Promise<void> {
      const known = await db().change.findUniqueOrThrow({ where: { id: change.id } })
      const kept = Object.entries(known).filter(([, value]) => value !== null)
      const { leftAfter: _l, finishedAt: _f, settledAt: _s, wave: _w, ...anew } = Object.fromEntries(kept)
      const wishedAt = known.wishedAt ?? known.detectedAt
      const data = { ...anew, id: randomUUID(), state: 'waiting', detectedAt: new Date(), wishedAt }
      await db().change.create({ data: data as Prisma.ChangeUncheckedCreateInput })
    },

    async waits(next: Held): Promise<void> {
      for (let i = 0; i < 3; i++) await round()
      const stands = { at: (await placed(next)).state, state: (await row(next)).state }
      expect(stands).toEqual({ at: 'waits', state: 'waiting' })
      await expectHeld(next)
    },
  }
}

interface Back {
  clusterId: string
  group: Prisma.GroupGetPayload<object>
}
