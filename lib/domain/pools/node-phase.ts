import { conditionOf } from '../skew/types'
import type { ConfigNode, Phase, Pool } from './types'

/** MCO's own words for a node that does not get on by itself. */
const BROKEN = ['Degraded', 'Unreconcilable']

/** As the operator counts: annotation state, or what its MachineConfigNode says (pkg/controller/node/status.go). */
export const isDegraded = (node: ConfigNode): boolean =>
  BROKEN.includes(node.state ?? '') || conditionOf(node.steps ?? [], 'NodeDegraded')?.status === 'True'

/** Its own words of why, annotation first. */
export const degradedBecause = (node: ConfigNode): string | null => {
  const said = conditionOf(node.steps ?? [], 'NodeDegraded')
  return node.reason ?? (said?.status === 'True' ? (said.message ?? null) : null)
}

/** current == desired == the pool's target, and the daemon is done: what the operator calls updated. */
export const isUpdated = (node: ConfigNode, target: string | null): boolean =>
  target !== null && node.currentConfig === target && node.desiredConfig === target && node.state === 'Done'

/**
 * Where a node is. Not the config's name alone decides: a node that is on its way to the config before the newest one
 * finishes that first, and one whose daemon still says Done has not begun although it was told to.
 */
export function phaseOf(node: ConfigNode, pool: Pick<Pool, 'paused' | 'desiredConfig'>): Phase {
  if (isDegraded(node)) return 'degraded'
  if (isUpdated(node, pool.desiredConfig)) return 'updated'
  if (node.draining) return 'draining'
  if (node.state === 'Rebooting') return 'rebooting'
  const moves = node.currentConfig !== node.desiredConfig || node.state === 'Working'
  if (moves) return 'updating'
  return pool.paused ? 'paused' : 'pending'
}

/** Phases in which a node is taken out of work. */
export const UNDER_WAY: readonly Phase[] = ['draining', 'updating', 'rebooting']

/**
 * Whether the operator counts a node against maxUnavailable: it is cordoned or not Ready, whoever did that, or its daemon is not
 * through; one that failed may be told something else and is counted apart (pkg/controller/common/layered_node_state.go).
 */
export function isUnavailable(node: ConfigNode): boolean {
  if (!node.ready || !node.schedulable) return true
  if (node.currentConfig === node.desiredConfig && node.state === 'Done') return false
  return !BROKEN.includes(node.state ?? '')
}
