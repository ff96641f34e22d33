import { randomUUID } from 'node:crypto'
import type { SkewRequest } from '@/lib/domain/skew/patch'
import { parseInput, requirePermission, type Ctx } from '../context'
import type { NewAction } from '../openshift/record-action'
import { recordBatch, type Acted } from '../openshift/batch'
import { planSkew } from './record'
import { AcknowledgeInput, ActSeveralInput, OptOutInput, ReturnInput } from './schemas'

/** Acknowledges, opts out or returns to automatic on several clusters, each by its own rules and with its own result. */
export async function actSeveralSkew(ctx: Ctx, input: unknown): Promise<Acted> {
  requirePermission(ctx, 'skew:act')
  const { action, manageAll, clusters, reason, reviewAt } = parseInput(ActSeveralInput, input)
  const batchId = randomUUID()
  const asked = new Map(clusters.map((one) => [one.clusterId, one]))
  const plan = (clusterId: string) => planOne(action, { ...asked.get(clusterId), manageAll, reason, reviewAt })
  return { batchId, results: await recordBatch(ctx, batchId, [...asked.keys()], plan) }
}

/** The same checks as for one cluster. */
async function planOne(action: SkewRequest['action'], one: object): Promise<NewAction> {
  if (action === 'opt-out') return planSkew({ action }, parseInput(OptOutInput, one))
  if (action === 'automatic') return planSkew({ action }, parseInput(ReturnInput, one))
  const { versionKind, version, ...wish } = parseInput(AcknowledgeInput, one)
  return planSkew({ action, versionKind, version }, wish)
}
