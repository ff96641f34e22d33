import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma } from '@/lib/db/generated/client'
import type { NodeRisk } from '@/lib/domain/skew/node-risk'
import { riskScore } from '@/lib/domain/skew/risk'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import { unheardConfidence, unheardRisk, unheardVerdict } from '@/lib/domain/skew/unheard'
import { unheardWords } from '@/lib/domain/unheard'
import { isOwned } from '../owned'
import type { ClusterView } from '../types'
import type { SilentParts } from './silent'
import { unheardFrom } from './write'

/** Nothing of it was listed since this worker follows it: what another one judged before may not stand there as if it were of now. */
export async function writeUnread({ clusterId, fence }: ClusterView, silent: SilentParts): Promise<void> {
  const unheard = silent.verdict ?? silent.images
  if (!unheard) return
  await db().$transaction(async (tx) => {
    if (!(await isOwned(tx, clusterId, fence))) return
    const row = await tx.openShiftCluster.findUnique({ where: { clusterId } })
    if (!row) return
    const judgement = unheardVerdict(unheard, null, row.version)
    const risk = unheardRisk(unheard, { level: row.nodeRisk as NodeRisk, sentence: row.nodeRiskWhy })
    const confidence = unheardConfidence(unheard)
    const evidence = { ...(row.evidence as unknown as Partial<StoredEvidence>), best: null }
    const fails = row.passFailed !== null || row.passStuck !== null
    // A worker before may have said so already.
    const isTold = row.unheardWhy !== null
    await tx.openShiftCluster.update({
      where: { clusterId },
      data: {
        ...judgement,
        updateOpen: null,
        ...(!isTold && { nodeRisk: risk.level, nodeRiskWhy: risk.sentence }),
        ...{ confidence: confidence.level, confidenceWhy: confidence.why },
        risk: riskScore(judgement, risk.level, row.flaggedWhy !== null, null, fails),
        evidence: evidence as unknown as Prisma.InputJsonValue,
        unheardWhy: unheardWords(unheard),
        unheardSince: await unheardFrom(tx, clusterId, silent.streams),
      },
    })
    await announce(tx, { topic: 'boot-images', cluster: clusterId })
  })
}
