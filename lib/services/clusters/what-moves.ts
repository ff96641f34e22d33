import type { Capabilities } from '@/lib/domain/capabilities'
import { db } from '@/lib/db/client'
import { rolloutDigest, sameButImage } from '@/lib/domain/latch/digest'
import { isHeld, POOL } from '@/lib/domain/latch/hold'
import { markOf } from '@/lib/domain/latch/watch'
import { objectKey } from '@/lib/kubernetes/paths'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { pauseOf } from '@/lib/providers/cluster-api'
import { changeOf, clientSource, type ObjectSource } from '@/lib/providers/cluster-api/changes'
import { isUnseen, letGoOf, WATCHED } from '../changes/let-go'
import { liveGroups } from '../latch/live-groups'
import { movesWords, underWay } from './under-way'

export interface Moves {
  group: string
  why: string
  /** Of what it wants: whoever agrees that it moves has seen this, and nothing else that may wait there by then. */
  digest: string
}

export interface WhatMoves {
  staysHeld: string[]
  wouldMove: Moves[]
  goesOn: string[]
}

const BY_GATE = 'Only the gate’s answers hold it: without them its machines are replaced.'
const BY_PAUSE =
  'Somebody paused it, and nothing else holds it: once that pause is taken away, without Drydock, its machines are replaced.'

/** Of each group of Cluster API what becomes of it without Drydock, asked of the API server. */
export async function whatMoves(
  clusterId: string,
  client: KubeClient,
  capabilities: Capabilities,
  registered: boolean,
): Promise<WhatMoves> {
  const found: WhatMoves = { staysHeld: [], wouldMove: [], goesOn: [] }
  const running = await underWay(clusterId, registered)
  const unseen = await unseenIn(clusterId)
  const source = clientSource({ client, resources: capabilities.resources, letGo: (uid) => letGoOf(clusterId, uid) })
  for await (const object of liveGroups(client, { ...capabilities, openshift: null })) {
    const group = `${object.kind} ${objectKey(object)}`
    if (isHeld(object)) {
      found.staysHeld.push(group)
      continue
    }
    const { paused } = pauseOf(object)
    const digest = rolloutDigest(object) ?? ''
    const known = running.get(object.metadata.uid)
    // Of what settles it is asked whether machines of before are there again.
    const goes = async () => !known?.settles || (await pending(object, source, false))
    if (known && known.without !== 'nothing' && !known.waits && (await goes())) {
      found.wouldMove.push({ group, digest, why: movesWords(known.without, paused) })
      continue
    }
    // Without a gate nothing depends on Drydock but what it is about to hold: what moves has been let go, and goes on.
    if (!registered) {
      const toBeHeld = known?.waits || unseen(object, digest, known)
      if (toBeHeld && (await pending(object, source, false)))
        found.wouldMove.push({ group, digest, why: paused ? BY_PAUSE : movesWords('holding', false) })
      else if (known?.digest === digest && !known.waits && !known.settles) found.goesOn.push(group)
      continue
    }
    // What was let go is what replaces already; what else it wants by now waits, as far as the gate holds it.
    const other = known !== undefined && known.digest !== digest
    if (known && !other) found.goesOn.push(group)
    else if (await pending(object, source, other))
      found.wouldMove.push({ group, digest, why: paused ? BY_PAUSE : BY_GATE })
  }
  return found
}

/** Of pools, which no gate is asked about; null: they cannot be read, and what is to stand still is what the record says. */
export async function poolsThatMove(clusterId: string, free: KubeObject[] | null): Promise<Moves[]> {
  const running = await underWay(clusterId, false)
  const unseen = await unseenIn(clusterId)
  if (!free)
    return [...running.values()].flatMap(({ without, kind, named, digest, waits, settles }) =>
      without === 'nothing' || kind !== POOL || waits || settles
        ? []
        : [{ group: named, digest, why: movesWords(without, false) }],
    )
  return free.flatMap((pool) => {
    const known = running.get(pool.metadata.uid)
    const digest = rolloutDigest(pool) ?? ''
    const through = known?.settles && isThrough(pool)
    const moves = unseen(pool, digest, known) ? 'holding' : through ? 'nothing' : (known?.without ?? 'nothing')
    if (moves === 'nothing') return []
    const why = movesWords(moves, pool.spec?.paused === true)
    return [{ group: `${pool.kind} ${objectKey(pool)}`, digest, why }]
  })
}

/** Every node of it has what it wants. */
const isThrough = ({ status }: KubeObject): boolean =>
  status !== undefined && Number(status.updatedMachineCount) === Number(status.machineCount)

type Unseen = (group: KubeObject, digest: string, running: { digest: string } | undefined) => boolean

/** Of an image that is built for a pool the pool itself says nothing. */
const same = (a: string, b: string): boolean => a === b || sameButImage(a, b)

/**
 * Of a group: it is governed, and was changed since Drydock last looked at it, where that itself is what pauses it. Not where that
 * is what was let go.
 */
async function unseenIn(clusterId: string): Promise<Unseen> {
  const cluster = { watchSince: { not: null } }
  const watched = await db().group.findMany({
    where: { clusterId, governed: true, watchTrouble: null, watched: { not: null }, cluster },
    select: { id: true, ...WATCHED },
  })
  const rows = new Map(watched.map((row) => [row.id, row]))
  return (group, digest, running) => {
    const row = rows.get(group.metadata.uid)
    if (!row || (running && same(running.digest, digest))) return false
    return isUnseen(row, group, digest) && !same(markOf(group.apiVersion, digest), row.watched ?? '')
  }
}

/** OnDelete moves nothing by itself. */
async function pending(object: KubeObject, source: ObjectSource, ahead: boolean): Promise<boolean> {
  const { pairs, strategy } = await changeOf(object, source, ahead)
  return pairs.length > 0 && strategy.type !== 'OnDelete'
}
