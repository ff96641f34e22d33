import { db } from '@/lib/db/client'
import { poolForecast, whyNot } from '@/lib/domain/pools/forecast'
import { standsAt, tiesIn, type PoolNode } from '@/lib/domain/pools/turns'
import type { Phase } from '@/lib/domain/pools/types'
import { changeSetOf, outlookIn } from '../changes/change-row'
import type { Played, Rollout } from './input'

/** Longer lists are told by their number. */
const MOST = 500

/** The rollout of a pool's change, from the rows of its nodes. Null: they are of another config than it brings, or its pool is gone. */
export async function poolRolloutOf(change: Played): Promise<Rollout | null> {
  const row = await db().configPool.findUnique({ where: { id: change.groupId, clusterId: change.clusterId } })
  const wanted = outlookIn(change).pool
  if (!row || !wanted || row.desiredConfig !== wanted.config) return null
  const { clusterId, name, atOnce, imageMode, builtImage } = row
  const found = await db().configNode.findMany({ where: { clusterId, pool: name }, orderBy: { name: 'asc' } })
  const image = wanted.image !== undefined ? wanted.image : imageMode === 'unknown' ? undefined : builtImage
  const nodes = found.map((node): PoolNode => ({
    ...{ name: node.name, zone: node.zone, joinedAt: node.joinedAt?.getTime() ?? null },
    at: standsAt({ ...node, phase: node.phase as Phase }, wanted.config, image),
  }))
  const { effect } = wanted
  const input = { nodes, atOnce, effect, building: imageMode === 'built' && builtImage === null }
  const open = nodes.filter(({ at }) => at === 'open')
  const from = changeSetOf(change).pairs[0]?.from
  const takes = new Set(open.map((node) => node.name))
  const others = found.filter((node) => node.currentConfig !== from && takes.has(node.name))
  return {
    play: poolForecast(input),
    there: new Set(nodes.map((node) => node.name)),
    // What is said of a pool counts every node that has it not, also what is on its way.
    underWay: new Set(),
    // All of its nodes fare alike: whose turn is first is no part of that.
    ...{ returning: [], onDelete: false, notBefore: null, ties: [] },
    pool: {
      ...{ effect, atOnce },
      zones: Object.fromEntries(found.slice(0, MOST).flatMap(({ name, zone }) => (zone ? [[name, zone]] : []))),
      ties: tiesIn(open, atOnce ?? 0).slice(0, MOST),
      stays: nodes
        .filter(({ at }) => ['away', 'broken', 'failed', 'failed-away'].includes(at))
        .slice(0, MOST)
        .map((node) => ({ name: node.name, why: whyNot(node.at) })),
      elsewhere: others.slice(0, MOST).map((node) => node.name),
    },
  }
}
