import { announce } from '@/lib/db/notify'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import type { Judgement } from '@/lib/domain/skew/verdict'
import type { SkewRows } from '@/lib/providers/openshift/skew-rows'
import { leaseOf } from '../owned'

export interface Write {
  clusterId: string
  fence: bigint
  supported: boolean
  rows: SkewRows
  judgement: Judgement
  heardAt?: number
}

const json = (value: unknown): Prisma.InputJsonValue =>
  JSON.parse(JSON.stringify(value ?? null)) as Prisma.InputJsonValue

/** Writes a cluster's card and its machine sets in one transaction. False: another worker owns the cluster by now. */
export async function writeSkew({ clusterId, fence, supported, rows, judgement, heardAt }: Write): Promise<boolean> {
  const { state } = rows
  const data = {
    infrastructureName: rows.infrastructureName,
    version: rows.version,
    platform: rows.platform,
    topology: rows.topology,
    skewSupported: supported,
    mode: state?.mode ?? null,
    recordedOcp: state?.recorded.ocpVersion ?? null,
    recordedRhcos: state?.recorded.rhcosVersion ?? null,
    verdict: judgement.verdict,
    sentence: judgement.sentence,
    blocks: judgement.blocks,
    floorOcp: rows.floor?.ocp ?? null,
    floorRhel: rows.floor?.rhel ?? null,
    evidence: json(rows.evidence),
    managed: json(rows.managed),
    conditions: json(state?.conditions ?? []),
    specSkew: state?.spec ? json(state.spec) : Prisma.DbNull,
    resourceVersion: rows.resourceVersion,
    generation: BigInt(state?.generation ?? 0),
    observedGeneration: BigInt(state?.observedGeneration ?? 0),
    seenAt: new Date(),
  }
  return db().$transaction(async (tx) => {
    const lease = await leaseOf(tx, clusterId)
    if (lease && lease.fence !== fence) return false
    await tx.openShiftCluster.upsert({ where: { clusterId }, create: { clusterId, ...data }, update: data })
    await tx.bootImageSet.deleteMany({ where: { clusterId, id: { notIn: rows.sets.map((s) => s.id) } } })
    for (const set of rows.sets)
      await tx.bootImageSet.upsert({
        where: { id: set.id },
        create: { clusterId, ...set },
        update: { clusterId, ...set },
      })
    await announce(tx, { topic: 'boot-images', cluster: clusterId, heardAt })
    return true
  })
}
