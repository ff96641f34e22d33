import type { Capabilities } from '@/lib/domain/capabilities'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { isHeld, POOL } from '@/lib/domain/latch/hold'
import { objectKey } from '@/lib/kubernetes/paths'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { pauseOf } from '@/lib/providers/cluster-api'
import { changeOf, clientSource, type ObjectSource } from '@/lib/providers/cluster-api/changes'
import { letGoOf } from '../changes/let-go'
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
  'Somebody paused it, and nothing else holds it: once that pause is taken away, without the gate, its machines are replaced.'

/** Of each group of Cluster API what becomes of it without Drydock, asked of the API server. */
export async function whatMoves(
  clusterId: string,
  client: KubeClient,
  capabilities: Capabilities,
  registered: boolean,
): Promise<WhatMoves> {
  const found: WhatMoves = { staysHeld: [], wouldMove: [], goesOn: [] }
  const running = await underWay(clusterId, registered)
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
    if (known && known.without !== 'nothing') {
      found.wouldMove.push({ group, digest, why: movesWords(known.without, paused) })
      continue
    }
    // Without a gate nothing else depends on Drydock: what moves has been let go, and goes on.
    if (!registered) continue
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
  if (!free)
    return [...running.values()].flatMap(({ without, kind, named, digest }) =>
      without === 'nothing' || kind !== POOL ? [] : [{ group: named, digest, why: movesWords(without, false) }],
    )
  return free.flatMap((pool) => {
    const known = running.get(pool.metadata.uid)
    if (!known || known.without === 'nothing') return []
    const why = movesWords(known.without, pool.spec?.paused === true)
    return [{ group: known.named, digest: rolloutDigest(pool) ?? '', why }]
  })
}

/** OnDelete moves nothing by itself. */
async function pending(object: KubeObject, source: ObjectSource, ahead: boolean): Promise<boolean> {
  const { pairs, strategy } = await changeOf(object, source, ahead)
  return pairs.length > 0 && strategy.type !== 'OnDelete'
}
