import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { EXTENSION_CONFIG, MANAGED_BY } from '@/lib/domain/latch/names'
import { KubeError, type KubeClient, type Resource } from '@/lib/kubernetes/types'
import { recordAudit } from '../audit/record'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { lookAtGate } from './look'
import { gateTarget } from './manifest'
import { asServiceError } from './refusal'
import { GateInput } from './schemas'
import type { GateStatus } from './status'

/** Writes the ExtensionConfig (or renews it): recorded first, then written, then what the API server answered. */
export async function registerGate(ctx: Ctx, input: unknown): Promise<GateStatus> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, url } = parseInput(GateInput, input)
  const { cluster, resource, manifest, url: target } = await gateTarget(clusterId, url)
  const client = await kubeClientFor(clusterId)
  const audit = {
    // Where it leads, without the token.
    details: { address: new URL(target).origin },
    target: { kind: 'ExtensionConfig', id: clusterId, name: EXTENSION_CONFIG },
    cluster: { id: clusterId, name: cluster.name },
  }
  await db().$transaction((tx) => recordAudit(tx, ctx, { ...audit, action: 'gate.register' }))
  try {
    const stored = await asServiceError(async () => {
      await refuseForeign(client, resource)
      return client.patch(resource, EXTENSION_CONFIG, undefined, 'apply', manifest)
    })
    const answer = `stored as resourceVersion ${stored.metadata.resourceVersion}`
    await db().$transaction(async (tx) => {
      await tx.managementCluster.update({ where: { id: clusterId }, data: { gateState: 'registered' } })
      await announce(tx, { topic: 'clusters', cluster: clusterId })
      await recordAudit(tx, ctx, { ...audit, action: 'gate.registered', answer })
    })
  } catch (error) {
    if (error instanceof ServiceError) {
      const result = error.code === 'refused' ? ('refused' as const) : ('failed' as const)
      const answer = error.more.answer ?? error.message
      await db().$transaction((tx) => recordAudit(tx, ctx, { ...audit, action: 'gate.registered', result, answer }))
    }
    throw error
  }
  return asServiceError(() => lookAtGate(clusterId, url))
}

/** Somebody else's extension of this name is not taken over: its hooks would be gone. */
async function refuseForeign(client: KubeClient, resource: Resource): Promise<void> {
  let labels: Record<string, string> = {}
  try {
    labels = (await client.get(resource, EXTENSION_CONFIG)).metadata.labels ?? {}
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return
    throw error
  }
  if (Object.entries(MANAGED_BY).every(([key, value]) => labels[key] === value)) return
  const message = `There is an ExtensionConfig named ${EXTENSION_CONFIG} that Drydock did not make.`
  const hint = 'Look at whose it is; delete or rename it, then register again.'
  throw new ServiceError('conflict', message, { hint })
}
