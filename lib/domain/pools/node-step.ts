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
