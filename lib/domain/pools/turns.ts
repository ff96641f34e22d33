import type { NodeEffect } from './effect'
import { UNDER_WAY } from './node-phase'
import type { Phase } from './types'

/** Where a node stands, as the operator counts and chooses. */
export interface PoolNode {
  name: string
  /** Label topology.kubernetes.io/zone; null: it has none. */
  zone: string | null
  /** When its Node was made, in ms; null: not known. */
  joinedAt: number | null
  /**
   * `here`: on its way to what is wanted; `elsewhere`: to something before that, which it finishes first. `failed`: it was told of what
   * is wanted, and could not take it up; `failed-away`: so, and out of work, as after a drain that was given up. `away`: out of work, and
   * so never chosen; `idle`: so, and up to date. `broken`: degraded at what it has, as by drift: it counts as one that is out of work,
   * and, told of something, takes it up only once it is mended (runPreflightConfigDriftCheck, pkg/daemon/daemon.go).
   */
  at: 'done' | 'idle' | 'open' | 'here' | 'elsewhere' | 'failed' | 'failed-away' | 'away' | 'broken'
}

interface Found {
  phase: Phase
  unavailable: boolean
  currentConfig: string | null
  desiredConfig: string | null
  desiredImage: string | null
}

/** `image` undefined: it is not known which one is built. */
export function standsAt(node: Found, config: string, image: string | null | undefined): PoolNode['at'] {
  const { phase, unavailable, currentConfig, desiredConfig, desiredImage } = node
  const told = desiredConfig === config && (image === undefined || desiredImage === image)
  // Its row may be of what was wanted before. Who was told of it is not chosen, nor is anything else in the way where its daemon is done
  // (CheckNodeCandidacyForUpdate, pkg/controller/common/layered_node_state.go), though its MachineConfigNode may say that it is degraded.
  if (told && currentConfig === config && (phase === 'updated' || (phase === 'degraded' && !unavailable)))
    return unavailable ? 'idle' : 'done'
  if (phase === 'degraded' && told && currentConfig !== desiredConfig) return unavailable ? 'failed-away' : 'failed'
  if (UNDER_WAY.includes(phase)) return told ? 'here' : 'elsewhere'
  if (!unavailable) return 'open'
  return phase === 'degraded' && currentConfig === desiredConfig ? 'broken' : 'away'
}

type Placed = Pick<PoolNode, 'name' | 'zone' | 'joinedAt'>

/**
 * Whose turn comes first where not all have it at once: zone after zone, those without one last, the oldest first (sortNodeList,
 * pkg/controller/node/node_controller.go). Its sort is not stable: of what it finds equal, nobody knows which comes first.
 */
export function byTurn(a: Placed, b: Placed): number {
  return byRule(a, b) || (a.name < b.name ? -1 : 1)
}

function byRule(a: Placed, b: Placed): number {
  if (a.zone !== b.zone) return a.zone === null ? 1 : b.zone === null ? -1 : a.zone < b.zone ? -1 : 1
  if (a.joinedAt === null || b.joinedAt === null) return 0
  return a.joinedAt - b.joinedAt
}

/** Names that are equal for the operator, of those whose order decides anything; with an age that is not known, all of their zone. */
export function tiesIn(open: readonly Placed[], atOnce: number): string[][] {
  if (open.length <= atOnce) return []
  const ties = new Map<string, string[]>()
  const blind = new Set(open.filter(({ joinedAt }) => joinedAt === null).map(({ zone }) => zone))
  for (const node of [...open].sort(byTurn)) {
    const key = JSON.stringify([node.zone, blind.has(node.zone) ? null : node.joinedAt])
    const names = ties.get(key)
    if (names) names.push(node.name)
    else ties.set(key, [node.name])
  }
  return [...ties.values()].filter((names) => names.length > 1)
}

/** How a pool's nodes have their turn, and what is done to each of them. */
export interface PoolTurns {
  /** Null: what it does to a node is not known. */
  effect: NodeEffect | null
  atOnce: number | null
  /** Zones of nodes, where they have one. */
  zones: Record<string, string>
  /** Nodes that are equal for the operator: which of them comes first is not known. */
  ties: string[][]
  /** Nodes that are not taken, and why. */
  stays: { name: string; why: string }[]
  /** Nodes that come from another config than was compared, mostly in the middle of a rollout before: what is done to them is not known. */
  elsewhere: string[]
}
