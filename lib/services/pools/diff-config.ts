import { createHash } from 'node:crypto'
import { db } from '@/lib/db/client'
import { configDiff, type ConfigDiff, type Rendered } from '@/lib/domain/pools/config-diff'
import { effectOf, type DisruptionPolicies } from '@/lib/domain/pools/effect'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { MACHINE_CONFIGURATION } from '@/lib/providers/openshift/readers'
import { MACHINE_CONFIGS, readDisruptionPolicies, readRendered } from '@/lib/providers/openshift/rendered'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { serverWords } from '../server-words'
import { DiffInput } from './schemas'

export interface ConfigDiffDto extends ConfigDiff {
  from: { name: string; release: string | null }
  to: { name: string; release: string | null }
}

/** Rendered configs never change, so what differs between two of them is found once; what that does to a node may change. */
const known = new Map<string, Omit<ConfigDiffDto, 'effect'>>()
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
  const [policies, diff] = await Promise.all([policiesOf(clusterId), before ?? compared(clusterId, from, to)])
  if (!before && known.size >= MOST_KNOWN) known.delete(known.keys().next().value!)
  known.set(key, diff)
  return { ...diff, effect: effectOf(diff.changes, policies) }
}

async function compared(clusterId: string, from: string, to: string): Promise<Omit<ConfigDiffDto, 'effect'>> {
  const [current, desired] = await read(clusterId, from, to)
  return {
    changes: configDiff(current, desired).changes,
    from: { name: from, release: current.release },
    to: { name: to, release: desired.release },
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
  const { clusterId, currentConfig, desiredConfig } = pool
  if (!node) return { clusterId, from: currentConfig, to: desiredConfig }
  const row = await db().configNode.findUnique({ where: { clusterId_name: { clusterId, name: node } } })
  if (!row || row.pool !== pool.name) throw new ServiceError('not-found', `There is no node ${node} in this pool.`)
  return { clusterId, from: row.currentConfig, to: row.phase === 'updated' ? row.currentConfig : desiredConfig }
}

async function read(clusterId: string, from: string, to: string): Promise<[Rendered, Rendered]> {
  try {
    const client = await kubeClientFor(clusterId)
    const get = async (name: string) =>
      readRendered(await client.get(MACHINE_CONFIGS, name, undefined, { timeoutMs: 10_000 }))
    return await Promise.all([get(from), get(to)])
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
