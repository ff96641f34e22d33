import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { stanzaShows, type SkewRequest } from '@/lib/domain/skew/patch'
import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { requestOf } from './action-row'

/**
 * Third tick: the watch shows the spec as it was asked for, and the operator has taken it up. Called after every write of the
 * cluster's card and after every accepted patch, since the watch may be faster than the patch's own answer.
 */
export async function markSkewSeen(clusterId: string): Promise<void> {
  const waiting = await db().skewAction.findFirst({
    where: { clusterId, state: 'accepted' },
    orderBy: { recordedAt: 'desc' },
  })
  if (!waiting) return
  const card = await db().openShiftCluster.findUnique({
    where: { clusterId },
    include: { cluster: { select: { name: true } } },
  })
  if (!card || !shows(card, requestOf(waiting))) return
  await db().$transaction(async (tx) => {
    const { count } = await tx.skewAction.updateMany({
      where: { id: waiting.id, state: 'accepted' },
      data: { state: 'seen', seenAt: new Date() },
    })
    if (count === 0) return
    await announce(tx, { topic: 'boot-images', cluster: clusterId, ids: [waiting.id] })
    await recordAudit(tx, systemCtx('watch'), {
      action: 'skew.seen',
      target: { kind: 'MachineConfiguration', id: waiting.id, name: 'cluster' },
      cluster: { id: clusterId, name: card.cluster.name },
      answer: card.sentence,
      details: {
        mode: card.mode,
        recordedOcp: card.recordedOcp,
        recordedRhcos: card.recordedRhcos,
        verdict: card.verdict,
      },
    })
  })
}

function shows(card: OpenShiftCluster, request: SkewRequest): boolean {
  if (!stanzaShows(card.specSkew, request) || card.observedGeneration < card.generation) return false
  if (request.action === 'opt-out') return card.mode === 'None'
  if (request.action === 'automatic') return card.mode !== null
  const recorded = request.versionKind === 'RHCOSVersion' ? card.recordedRhcos : card.recordedOcp
  return card.mode === 'Manual' && recorded === request.version
}
