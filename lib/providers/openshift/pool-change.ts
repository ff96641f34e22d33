import { createHash } from 'node:crypto'
import { canonical } from '@/lib/domain/changes/canonical'
import type { RevisionPair } from '@/lib/domain/changes'
import type { Json } from '@/lib/domain/json'
import type { ConfigDiff } from '@/lib/domain/pools/config-diff'
import { imageField, poolFields, type PoolStep } from '@/lib/domain/pools/change'
import { atOnce, limitOf } from '@/lib/domain/pools/progress'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { CompareConfigs } from './compare-configs'
import { readPool } from './pools'

export interface PoolChange {
  step: PoolStep
  pair: RevisionPair
  diff: ConfigDiff | null
  /** Nodes whose OS image is another than is built for them, or on its way to another. */
  images: number
  /** What its nodes had before, as far as its operator says: they lack it for another reason than that it is new. */
  again: boolean
}

/** Nodes that are elsewhere than they are to be, those of them of which the OS image is, and the config that most of them have, or go to. */
export interface Strays {
  nodes: number
  images: number
  most?: string | null
}

/** A change of the pool that waits already: what its nodes had, and whether it waits also where no node lacks it now. */
export interface Waits {
  from: string | null
  stays: boolean
}

/**
 * What a pool's nodes are yet to take up; null: nothing. `status.configuration` is the last config that all of its nodes reached, and
 * the operator counts those that have the newest one (pkg/controller/node/status.go). Where the two are one config again, only nodes
 * that are elsewhere (`strays`) say that a rollout was changed back in the middle, or that another OS image was built for them. The
 * fingerprint is made of the config's name and of all that stands in it, for a rendered config can be edited by whoever may, and of
 * the image. With no node left the operator says that all have reached it: what waits (`waits`) is no other change by that.
 */
export async function poolChange(
  object: KubeObject,
  compare: CompareConfigs,
  strays: (config: string) => Promise<Strays>,
  waits?: Waits,
): Promise<PoolChange | null> {
  const pool = readPool(object)
  const { desiredConfig: to, currentConfig: reached, counts } = pool
  if (to === null) return null
  const { nodes, images, most = null } = await strays(to)
  // What the operator counted before it saw this config is about the one before.
  const counted = pool.pending ? null : Math.max(0, counts.machines - counts.updated)
  // Rows of nodes may be late, or not there yet: by neither may one be elsewhere.
  const astray = Math.max(nodes, counted ?? 0)
  const isReached = to === reached
  if (isReached && astray === 0 && !waits?.stays) return null
  const from = isReached && waits && (waits.stays || (counted ?? 0) > 0) ? waits.from : reached
  const outdated = isReached ? astray : (counted ?? counts.machines)
  const again = from === to
  // Which one that is changes from node to node: it is no part of what is approved.
  const had = again ? (most ?? from) : from
  const compared = await compare(had, to)
  const owner = { uid: object.metadata.uid, name: pool.name }
  const about = { from: from ?? '', machines: outdated }
  const plain = (name: string): { name: string; release: string | null } => ({ name, release: null })
  const step: PoolStep = {
    ...{ pool: pool.name, from: plain(had ?? 'no configuration'), to: plain(to), machines: counts.machines, outdated },
    ...{ atOnce: atOnce(pool, counts.machines), limit: limitOf(pool) },
    ...(object.built ? { built: object.built.image } : {}),
    ...(images > 0 ? { image: imageOf(object) } : {}),
  }
  const ofImage = imageField(step)
  const image: Json[] = object.built?.image ? [object.built.image] : []
  if ('unread' in compared)
    return { step, diff: null, images, again, pair: unread(about, [owner, ...image], to, compared.unread) }
  const { content, release, before } = compared
  step.to.release = release
  const fingerprint = print([owner, from ?? '', to, content, ...image])
  step.from.release = before ? before.release : had === to ? release : null
  // Where the one before is gone, what differs is not known; what is approved is known all the same.
  const plainly = had === to ? [] : configName(had, to)
  const fields = [...ofImage, ...(before ? poolFields(step, before.diff) : plainly)]
  const changes = fields.length > 0 ? fields : configName(had, to)
  return { step, diff: before?.diff ?? null, images, again, pair: { ...about, fingerprint, changes } }
}

const imageOf = ({ built }: KubeObject): PoolStep['image'] =>
  built === undefined ? { known: false } : { known: true, name: built?.image ?? null }

const print = (parts: Json): string => createHash('sha256').update(canonical(parts)).digest('hex')

const configName = (from: string | null, to: string): RevisionPair['changes'] => [
  { object: 'bootstrap', path: 'configuration', ...(from === null ? {} : { current: from }), desired: to },
]

const unread = (
  about: Pick<RevisionPair, 'from' | 'machines'>,
  owner: Json,
  to: string,
  why: string,
): RevisionPair => ({
  ...about,
  fingerprint: print([owner, about.from, to, null]),
  changes: configName(about.from || null, to),
  unread: why,
})
