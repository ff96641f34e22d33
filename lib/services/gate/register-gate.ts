import { db } from '@/lib/db/client'
import { recordAudit } from '../audit/record'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { EXTENSION_CONFIG } from '@/lib/domain/latch/names'
import { lookAtGate } from './look'
import { gateTarget } from './manifest'
import { asServiceError } from './refusal'
import { GateInput } from './schemas'
import type { GateStatus } from './status'

/** Writes the ExtensionConfig (or renews it), and says what the managers then make of it. */
export async function registerGate(ctx: Ctx, input: unknown): Promise<GateStatus> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, url } = parseInput(GateInput, input)
  const { cluster, resource, manifest } = await gateTarget(clusterId, url)
  const client = await kubeClientFor(clusterId)
  const stored = await asServiceError(() => client.patch(resource, EXTENSION_CONFIG, undefined, 'apply', manifest))
  const answer = `stored as resourceVersion ${stored.metadata.resourceVersion}`
  await db().$transaction(async (tx) => {
    await tx.managementCluster.update({ where: { id: clusterId }, data: { gateState: 'registered' } })
    await recordAudit(tx, ctx, {
      action: 'gate.registered',
      target: { kind: 'ExtensionConfig', id: stored.metadata.uid, name: EXTENSION_CONFIG },
      cluster: { id: clusterId, name: cluster.name },
      answer,
    })
  })
  return asServiceError(() => lookAtGate(clusterId, url))
}
