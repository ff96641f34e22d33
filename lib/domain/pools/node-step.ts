import { UNDER_WAY } from './node-phase'
import type { Phase } from './types'

/** Where a node is in a change of its pool. */
export type NodeStep = 'waiting' | 'updating' | 'done' | 'failed'

interface Node {
  phase: Phase
  currentConfig: string | null
  desiredConfig: string | null
}

/**
 * By where it is, and where it was in this change. A node that is on its way to the config before has not begun with this one; one
 * that was there from the start never begins.
 */
export function nodeStep(
  { phase, currentConfig, desiredConfig }: Node,
  target: string,
  before: NodeStep | undefined,
): { state: NodeStep; begun: boolean } {
  if (phase === 'updated' && currentConfig === target)
    return { state: 'done', begun: before !== undefined && before !== 'done' }
  if (desiredConfig !== target) return { state: 'waiting', begun: false }
  if (phase === 'degraded') return { state: 'failed', begun: true }
  if (UNDER_WAY.includes(phase) || currentConfig !== target) return { state: 'updating', begun: true }
  return { state: before ?? 'waiting', begun: false }
}

interface Held extends Node {
  currentImage: string | null
  desiredImage: string | null
}

/**
 * The same while its pool is held, and nobody let anything go: only what was told of the change has begun, or was seen waiting and
 * has it now. `image` undefined: it is not known which one is built.
 */
export function heldStep(
  node: Held,
  { target, image }: { target: string; image: string | null | undefined },
  before: { state: string; startedAt: Date | null } | undefined,
): { state: NodeStep; begun: boolean } {
  const told = node.desiredConfig === target && (image === undefined || node.desiredImage === image)
  const has = told && node.currentConfig === target && node.currentImage === node.desiredImage
  const begun = Boolean(before?.startedAt) || (told && !has) || (has && before?.state === 'waiting')
  if (!begun) return { state: has ? 'done' : 'waiting', begun }
  if (has && node.phase === 'updated') return { state: 'done', begun }
  if (node.phase === 'degraded') return { state: 'failed', begun }
  return { state: has || told ? 'updating' : 'waiting', begun }
}
