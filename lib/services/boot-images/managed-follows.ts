import type { ManagedWish } from '@/lib/domain/boot-images/managed/plan'
import { managedFollows, type ManagedFollows } from '@/lib/domain/boot-images/managed/preview'
import { storedFloor, type StoredEvidence } from '@/lib/domain/skew/stored'
import type { SkewState } from '@/lib/domain/skew/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Foretold } from '../openshift/foretold'
import { mayBeOld } from '../openshift/may-be-old'
import { managesPlanes, setsNow, stateOf, type managedCluster } from './managed-now'

type Card = Awaited<ReturnType<typeof managedCluster>>

/** What a wish comes to on a cluster, by its machine sets as they are now. */
export async function followsNow(wish: ManagedWish, state: SkewState, card: Card): Promise<ManagedFollows> {
  const evidence = card.evidence as unknown as StoredEvidence
  const planes = managesPlanes(card.cluster.discovery, evidence.platform)
  const all = await setsNow(card.clusterId)
  return managedFollows(wish, {
    ...evidence,
    state,
    floor: storedFloor(card),
    release: card.version,
    machineSets: all.filter(({ kind }) => planes || kind === 'MachineSet'),
    managing: card.managing,
  })
}

/** The same for a decision that is gone on with: labels and sets may be others than those that it was made for. */
export async function foretold(wish: ManagedWish, object: KubeObject, card: Card): Promise<Foretold> {
  const { sentences, sets } = await followsNow(wish, stateOf(object, card), card)
  return { follows: sentences, warnings: mayBeOld(card), sets }
}
