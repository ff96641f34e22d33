import { createHash } from 'node:crypto'
import { db } from '@/lib/db/client'
import type { ConfigDiff } from '@/lib/domain/pools/config-diff'
import { effectOf, type DisruptionPolicies } from '@/lib/domain/pools/effect'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { compareConfigs, type ComparedConfigs } from '@/lib/providers/openshift/compare-configs'
import { MACHINE_CONFIGURATION } from '@/lib/providers/openshift/readers'
import { MACHINE_CONFIGS, readDisruptionPolicies } from '@/lib/providers/openshift/rendered'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { serverWords } from '../server-words'
import { configsHad, withHad } from './configs-had'
import { DiffInput } from './schemas'

export interface ConfigDiffDto extends ConfigDiff {
  from: { name: string; release: string | null }
  to: { name: string; release: string | null }
}

/** What differs between two configs is found once, as long as nobody edits one of them; what it does to a node may change. */
const known = new Map<string, ComparedConfigs>()
const MOST_KNOWN = 50

/** What differs between the config that a pool (or one node of it) has and the one that it is to have. Nothing secret is in it. */
export async function diffConfig(ctx: Ctx, input: unknown): Promise<ConfigDiffDto> {
  requirePermission(ctx, 'fleet:read')
  const { id, node } = parseInput(DiffInput, input)
  const { clusterId, from, to } = await named(id, node)
  if (from === null || to === null)
    throw new ServiceError(
      'invalid',
      'The operator has not said yet which configuration there is, and which is wanted.',
    )
  const key = createHash('sha256')
    .update(JSON.stringify([clusterId, from, to]))
    .digest('hex')
  const before = known.get(key)
  const [policies, found] = await Promise.all([policiesOf(clusterId), compared(clusterId, from, to, before)])
  if (!before && known.size >= MOST_KNOWN) known.delete(known.keys().next().value!)
  known.set(key, found)
  const changes = found.before?.diff.changes ?? []
  return {
    ...{ changes, effect: effectOf(changes, policies) },
    from: { name: from, release: found.before?.release ?? found.release },
    to: { name: to, release: found.release },
  }
}

/** Null: not known, for whatever reason; then that is said. */
async function policiesOf(clusterId: string): Promise<DisruptionPolicies | null> {
  try {
    const client = await kubeClientFor(clusterId)
    return readDisruptionPolicies(await client.get(MACHINE_CONFIGURATION, 'cluster', undefined, { timeoutMs: 5_000 }))
  } catch (error) {
    if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
    return null
  }
}

async function named(id: string, node: string | undefined) {
  const pool = await db().configPool.findUnique({ where: { id } })
  if (!pool) throw new ServiceError('not-found', 'This pool is gone.')
  const { clusterId, desiredConfig } = pool
  if (!node) return { clusterId, from: withHad(pool, await configsHad([id])).currentConfig, to: desiredConfig }
  const row = await db().configNode.findUnique({ where: { clusterId_name: { clusterId, name: node } } })
  if (!row || row.pool !== pool.name) throw new ServiceError('not-found', `There is no node ${node} in this pool.`)
  return { clusterId, from: row.currentConfig, to: row.phase === 'updated' ? row.currentConfig : desiredConfig }
}

async function compared(
  clusterId: string,
  from: string,
  to: string,
  before?: ComparedConfigs,
): Promise<ComparedConfigs> {
  try {
    const client = await kubeClientFor(clusterId)
    const read = (name: string) => client.get(MACHINE_CONFIGS, name, undefined, { timeoutMs: 10_000 })
    return await compareConfigs<never>(read, from, to, before)
  } catch (error) {
    if (error instanceof KubeUnreachable)
      throw new ServiceError(
        'unavailable',
        'The cluster does not answer, so its configurations cannot be compared now.',
      )
    if (!(error instanceof KubeError)) throw error
    const sentence =
      error.code === 404
        ? 'One of the two configurations is gone: the operator deletes rendered configs that no pool and no node has any more.'
        : error.code === 403
          ? 'Drydock may not read MachineConfigs of this cluster. Apply the RBAC that the page Clusters shows.'
          : 'The API server did not show these configurations.'
    throw new ServiceError(error.code === 404 ? 'not-found' : 'refused', sentence, { answer: serverWords(error) })
  }
}
