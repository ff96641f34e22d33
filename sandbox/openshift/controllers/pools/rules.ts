import type { JsonObject } from '../../../../lib/domain/json'
import { isUpdated } from '../../../../lib/domain/pools/node-phase'
import { atOnce } from '../../../../lib/domain/pools/progress'
import { byTurn } from '../../../../lib/domain/pools/turns'
import { conditionOf } from '../../../../lib/domain/skew/types'
import type { KubeObject } from '../../../../lib/kubernetes/types'
import { readPool } from '../../../../lib/providers/openshift/pools'
import { conditionsWith, type Wanted } from '../env'
import { unavailable, type Member } from './node'

const BROKEN = ['Degraded', 'Unreconcilable']
const ZONE = 'topology.kubernetes.io/zone'
const usable = ({ node }: Member): boolean => node.ready && node.schedulable

/**
 * The nodes that are told to take up the pool's config now, as pkg/controller/node/node_controller.go chooses them: as many as
 * maxUnavailable leaves, zone after zone, those without a zone last, the oldest first.
 */
export function candidates(pool: KubeObject, nodes: readonly Member[]): Member[] {
  const { desiredConfig, paused, name, maxUnavailable, image } = readPool(pool)
  // An image that is to be built, and is not there yet, is waited for (canLayeredContinue).
  if (paused || desiredConfig === null || (pool.built && image === undefined)) return []
  const limit = atOnce({ name, maxUnavailable }, nodes.length) ?? 1
  const told = ({ node }: Member) => node.desiredConfig === desiredConfig && node.desiredImage === (image ?? null)
  const failing = nodes.filter((member) => told(member) && BROKEN.includes(member.node.state ?? '')).length
  const capacity = limit - nodes.filter(unavailable).length - failing
  if (capacity <= 0) return []
  const open = nodes.filter((member) => !told(member) && usable(member))
  return open.sort((a, b) => byTurn(placed(a), placed(b))).slice(0, capacity)
}

const placed = ({ object: { metadata } }: Member) => ({
  name: metadata.name,
  zone: metadata.labels?.[ZONE] ?? null,
  joinedAt: Date.parse(metadata.creationTimestamp),
})

/** What the node controller writes to a pool's status, or null where nothing changes (pkg/controller/node/status.go). */
export function poolStatus(pool: KubeObject, nodes: readonly Member[]): JsonObject | null {
  const read = readPool(pool)
  const { desiredConfig, paused } = read
  const updated = nodes.filter(({ node }) => isUpdated(node, read))
  const degraded = nodes.filter(({ node }) => BROKEN.includes(node.state ?? ''))
  const away = nodes.filter(unavailable).length
  const counts = {
    machineCount: nodes.length,
    updatedMachineCount: updated.length,
    readyMachineCount: updated.filter(usable).length,
    unavailableMachineCount: away,
    degradedMachineCount: degraded.length,
  }
  const through = updated.filter(usable).length === nodes.length && away === 0
  const conditions = conditionsWith(pool, wanted(pool, { through, paused, degraded }))
  const status: JsonObject = {
    ...counts,
    observedGeneration: pool.metadata.generation ?? 0,
    ...(through && desiredConfig !== null && { configuration: { name: desiredConfig } }),
    ...(conditions && { conditions }),
  }
  const before = pool.status ?? {}
  const same = Object.entries(status).every(([key, value]) => sameJson(before[key], value))
  return same ? null : status
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b)

interface Facts {
  through: boolean
  paused: boolean
  degraded: readonly Member[]
}

function wanted(pool: KubeObject, { through, paused, degraded }: Facts): Wanted[] {
  const config = `MachineConfig ${readPool(pool).desiredConfig}`
  const is = (type: string, status: boolean, message = '', reason = ''): Wanted => ({
    ...{ type, status: status ? 'True' : 'False', reason, message },
  })
  const words = degraded
    .map(({ node }) => `Node ${node.name} is reporting: ${JSON.stringify(node.reason ?? '')}`)
    .join(', ')
  const count = degraded.length
  const rendering = conditionOf(readPool(pool).conditions, 'RenderDegraded')
  return [
    is('Updated', through, through ? `All nodes are updated with ${config}` : ''),
    is(
      'Updating',
      !through && !paused,
      through ? '' : paused ? `Pool is paused; will not update to ${config}` : `All nodes are updating to ${config}`,
    ),
    count > 0
      ? is('NodeDegraded', true, words, `${count} nodes are reporting degraded status on sync`)
      : is('NodeDegraded', false),
    is('Degraded', count > 0 || rendering?.status === 'True', words),
  ]
}
