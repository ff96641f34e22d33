import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { differences } from '@/lib/domain/latch/diff'
import { EXTENSION_CONFIG, MANAGED_BY, RELEASE } from '@/lib/domain/latch/names'
import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import { recordAudit } from '../audit/record'
import { requireConnected } from '../clusters/connected'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { withRegistrationLock } from './lock'
import { lookAtGate } from './look'
import { baseUrl, gateTarget } from './manifest'
import { asServiceError } from './refusal'
import { GateInput } from './schemas'
import type { GateStatus } from './status'

/** Writes the ExtensionConfig (or renews it): recorded first, then written, then what the API server answered. */
export async function registerGate(ctx: Ctx, input: unknown): Promise<GateStatus> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, url } = parseInput(GateInput, input)
  await withRegistrationLock(clusterId, () => register(ctx, clusterId, url))
  return asServiceError(() => lookAtGate(clusterId))
}

async function register(ctx: Ctx, clusterId: string, url: string | undefined): Promise<void> {
  const { cluster, resource, manifest, url: target } = await gateTarget(clusterId, url ?? baseUrl())
  const client = await kubeClientFor(clusterId)
  const audit = {
    // Where it leads, without the token.
    details: { address: new URL(target).origin },
    target: { kind: 'ExtensionConfig', id: clusterId, name: EXTENSION_CONFIG },
    cluster: { id: clusterId, name: cluster.name },
  }
  await db().$transaction(async (tx) => {
    await requireConnected(tx, clusterId)
    // Before anybody can see the registration: it is compared with this address.
    await tx.managementCluster.update({ where: { id: clusterId }, data: { gateBase: url ?? null } })
    await recordAudit(tx, ctx, { ...audit, action: 'gate.register' })
  })
  try {
    const stored = await asServiceError(async () => {
      await refuseForeign(client, resource, target)
      return write(client, resource, manifest)
    })
    const answer = `stored as resourceVersion ${stored.metadata.resourceVersion}`
    await db().$transaction(async (tx) => {
      await tx.managementCluster.update({ where: { id: clusterId }, data: { gateState: 'registered' } })
      await announce(tx, { topic: 'clusters', cluster: clusterId })
      await recordAudit(tx, ctx, { ...audit, action: 'gate.registered', answer })
    })
  } catch (error) {
    const known = error instanceof ServiceError ? error : null
    const result = known?.code === 'refused' ? ('refused' as const) : ('failed' as const)
    const answer = known ? (known.more.answer ?? known.message) : 'Drydock itself failed; its log says why.'
    await db().$transaction(async (tx) => {
      // Surely not written: the registration that is there is still compared with its own address.
      if (known?.code === 'refused' || known?.code === 'conflict')
        await tx.managementCluster.update({ where: { id: clusterId }, data: { gateBase: cluster.gateBase } })
      await recordAudit(tx, ctx, { ...audit, action: 'gate.registered', result, answer })
    })
    throw error
  }
}

/**
 * Server-side apply leaves what others added: a narrower selector would keep managers from asking, and the mark of a
 * disconnect that did not come to its end would leave the registration unguarded.
 */
async function write(client: KubeClient, resource: Resource, manifest: JsonObject): Promise<KubeObject> {
  const applied = await client.patch(resource, EXTENSION_CONFIG, undefined, 'apply', manifest)
  const released = applied.metadata.annotations?.[RELEASE] !== undefined
  const spec = manifest.spec as JsonObject
  const differs = differences(spec, (applied.spec ?? {}) as JsonObject, 'spec').length > 0
  if (!released && !differs) return applied
  const mark = `/metadata/annotations/${RELEASE.replaceAll('/', '~1')}`
  return client.patch(resource, EXTENSION_CONFIG, undefined, 'json', [
    { op: 'replace', path: '/spec', value: spec },
    ...(released ? [{ op: 'remove', path: mark }] : []),
  ])
}

/** Somebody else's extension of this name is not taken over: its hooks would be gone. The address is ours, label or not. */
async function refuseForeign(client: KubeClient, resource: Resource, url: string): Promise<void> {
  let found
  try {
    found = await client.get(resource, EXTENSION_CONFIG)
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return
    throw error
  }
  const labels = found.metadata.labels ?? {}
  if (Object.entries(MANAGED_BY).every(([key, value]) => labels[key] === value)) return
  if (valueAt(found.spec, 'clientConfig', 'url') === url) return
  const message = `There is an ExtensionConfig named ${EXTENSION_CONFIG} that Drydock did not make.`
  const hint = 'Look at whose it is; delete or rename it, then register again.'
  throw new ServiceError('conflict', message, { hint })
}
