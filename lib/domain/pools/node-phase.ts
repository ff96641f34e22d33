import { conditionOf } from '../skew/types'
import type { ConfigNode, Phase, Pool } from './types'

/** MCO's own words for a node that does not get on by itself. */
const BROKEN = ['Degraded', 'Unreconcilable']

/** As the operator counts: annotation state, or what its MachineConfigNode says (pkg/controller/node/status.go). */
const isDegraded = (node: ConfigNode): boolean =>
  BROKEN.includes(node.state ?? '') || conditionOf(node.steps ?? [], 'NodeDegraded')?.status === 'True'

/** Its own words of why, annotation first. */
export const degradedBecause = (node: ConfigNode): string | null => {
  const said = conditionOf(node.steps ?? [], 'NodeDegraded')
  return node.reason ?? (said?.status === 'True' ? (said.message ?? null) : null)
}

type Target = Pick<Pool, 'desiredConfig' | 'image'>

/** current == desired == the pool's target, of config and of image, and the daemon is done: what the operator calls updated. */
export const isUpdated = (node: ConfigNode, { desiredConfig, image }: Target): boolean =>
  desiredConfig !== null &&
  node.currentConfig === desiredConfig &&
  isThrough(node) &&
  (image === undefined || node.desiredImage === image) &&
  node.state === 'Done'

/** It has the config and the image that it was told. */
const isThrough = (node: ConfigNode): boolean =>
  node.currentConfig === node.desiredConfig && node.currentImage === node.desiredImage

/**
 * Where a node is. Not the config's name alone decides: a node that is on its way to the config before the newest one
 * finishes that first, and one whose daemon still says Done has not begun although it was told to.
 */
export function phaseOf(node: ConfigNode, pool: Pick<Pool, 'paused'> & Target): Phase {
  if (isDegraded(node)) return 'degraded'
  if (isUpdated(node, pool)) return 'updated'
  if (node.draining) return 'draining'
  // Its annotation says so until the daemon is back; the step tells more.
  if (node.state === 'Rebooting' && conditionOf(node.steps ?? [], 'RebootedNode')?.status !== 'True') return 'rebooting'
  const moves = !isThrough(node) || node.state === 'Working' || node.state === 'Rebooting'
  if (moves) return 'updating'
  return pool.paused ? 'paused' : 'pending'
}

/** Phases in which a node is taken out of work. */
export const UNDER_WAY: readonly Phase[] = ['draining', 'updating', 'rebooting']

/**
 * Whether the operator counts a node against maxUnavailable: it is cordoned, not Ready or under pressure, whoever did that, or its daemon is not
 * through; one that failed on its way to another config may be told something else, and is counted apart: one that is at the config that it was
 * told has nothing to go back from (pkg/controller/common/layered_node_state.go, IsNodeMCDFailing).
 */
export function isUnavailable(node: ConfigNode): boolean {
  if (!node.ready || node.pressure.length > 0 || !node.schedulable) return true
  if (isThrough(node) && node.state === 'Done') return false
  return node.currentConfig === node.desiredConfig || !BROKEN.includes(node.state ?? '')
}
