import type { LatchForm, PoolsHeld } from './parts'

/** How strongly a pool is held: by the form that is installed, and by what is done for pools beside it. */
export type PoolStrength = PoolsNow | 'not-held'

/** `lost`: what is to latch pools does not, and nothing else holds them. `not-known`: whether it does. */
export type PoolsNow = PoolsHeld | 'lost' | 'not-known'

export const strengthOf = (form: string, pools: PoolsNow, governed: boolean): PoolStrength =>
  !governed || form === 'none' ? 'not-held' : form === 'watch' ? 'pausing' : pools

const WORDS: Record<PoolStrength, string> = {
  'same-write': 'latched in the same write',
  pausing: 'held by pausing: seen after it was stored; up to maxUnavailable nodes may have begun',
  lost: 'not held now: what is to latch it in the same write is not there, or a trial write was not held by it',
  'not-known': 'to be latched in the same write; whether it is so now is not known',
  'not-held': 'not held',
}

/** Of a pool that is held by what stood there before. */
const STANDS = 'the one that waits is held by the pause that stands from before'
export const HELD_BEFORE = `not held from now on; ${STANDS}`

/** Of one that is held by pausing, while nobody watches it: why. `stands`: what is held stays so. */
export const notWatchedWords = (down: string, stands: boolean): string =>
  `not held now: ${down}${stands ? `; ${STANDS}` : ''}`

/** Of one that is to be held by pausing, and is not. `why`: in the API server's words, where that was tried; null: it may not. */
export const notPausedWords = (why: string | null): string =>
  why === null
    ? 'not held: Drydock may not patch pools in this cluster, and pauses none'
    : `not held now: Drydock could not pause it when it saw it changed (${why.replace(/\.$/, '')})`

/** Before anything is chosen, where every pool would be so. */
export const NOT_PAUSED = 'Pools are not held by pausing: Drydock may not patch them.'

/** In few words; with how many nodes that is at most, where that is known. `taken`: how often its pause was taken away, and put back. */
export function strengthWords(strength: PoolStrength, atOnce: number | null = null, taken = 0): string {
  if (strength !== 'pausing') return WORDS[strength]
  const times = taken === 1 ? 'once' : `${taken} times`
  const words = taken > 0 ? `${WORDS.pausing} each time: it was resumed ${times} since` : WORDS.pausing
  return atOnce === null ? words : words.replace('maxUnavailable nodes', `${atOnce} ${atOnce === 1 ? 'node' : 'nodes'}`)
}

/** Of a pool whose OS image is built in its cluster, or of which nobody knows whether it is. `down`: why nobody would see one come. */
export function imageWords(mode: string, strength: PoolStrength, down: string | null = null): string | null {
  if (strength === 'not-held' || mode === 'none') return null
  if (mode === 'built' && down !== null)
    return `OS images that are built for it are held by pausing, and so not now: ${down}; one that is built meanwhile reaches its nodes`
  return mode === 'built'
    ? 'OS images that are built for it are held by pausing, whatever the latch: an image is seen when it is built, and up to maxUnavailable nodes may have begun'
    : 'whether OS images are built for it is not known (MachineOSConfigs cannot be read): such an image reaches its nodes without approval, and is on record then'
}

/** Of the pool master, whatever is governed. */
export const NEVER_MASTER =
  'The pools master and arbiter are never held or paused by Drydock: their nodes carry etcd, and an update of the cluster does not complete while they are paused.'

export const WHY_POOLS: Partial<Record<LatchForm, string>> = {
  webhook:
    'The API servers of OpenShift serve no MutatingAdmissionPolicy: a webhook holds changes of pools, served by Drydock’s update gate.',
  watch:
    'Drydock watches the governed pools, and pauses one as soon as it sees another configuration on it. Nothing is installed in the cluster.',
}

export const poolWebhook: readonly string[] = [
  'While Drydock’s gate cannot be reached, the operator cannot give a governed pool any configuration: nothing moves, certificates and keys that come as a configuration wait as well. Pausing, labels and everything else go through.',
  'A pool for which that is refused is degraded, and so is the operator where it lasts: an update of the cluster that meets it does not complete before the gate is back, and none to another minor version begins meanwhile (Upgradeable=False, DegradedPool). The operator tries again by itself.',
  'Before that lasts: take the webhook away here, or, in an emergency, delete drydock-machineconfigpools as a member of the break-glass group.',
]

export const OF_PAUSING: readonly string[] = [
  'Held by pausing: a configuration is seen after it was stored, within a fraction of a second where nothing is busy. By then up to maxUnavailable nodes may have been told to take it up; these go through to the end, the others are held.',
  'While no worker of Drydock runs, its database is away, or it cannot reach this API server, no pool is held. What is left of such a change is held when Drydock is back, and the fleet says meanwhile that nothing is held here.',
  'There is no guard of pools: anybody who may patch one can resume it. Drydock pauses it again, each time, and says how often: what nobody approved gets no further than it gets in such a moment. Approving it, ending that the pool is governed, or Stop watching let it go. While Drydock is down nothing is put back. A break-glass group means nothing for them.',
]

export const IN_SAME_WRITE =
  'Latched in the same write: whoever gives a governed pool another configuration, its nodes are held before any of them is told, and a newer configuration is held again.'

export const POOL_KINDS = `Held are MachineConfigPools: whatever reaches nodes as another rendered config, also a new release. ${NEVER_MASTER} Not held: what is written to a node without its pool, pinned images, and what the operator writes to paused nodes as well (newer ones: the API server’s CA). Not prevented: a machine that joins while its pool is held gets the configuration that waits as soon as one node has it, else the one before; deleting a held pool, editing its nodeSelector, or giving a node another role, takes nodes to another pool and to that one’s configuration; nor does it stop whoever may write to nodes directly, or impersonate Drydock’s user.`

export const POOL_SIDE_EFFECTS: readonly string[] = [
  'Everything that goes through a MachineConfig waits while a pool is held: kernel arguments, files, registries, the OS of a release. What comes meanwhile is taken up as one.',
  'A held pool does not hold up the cluster’s update: that completes, and says so, while the pool’s nodes keep the release before. A pool that is marked as required for upgrades does: the update completes only after its configuration is let go.',
  'Certificates that nodes trust are rotated; what is rotated may not reach held nodes. Each hold has its last day, and is called dangerous well before.',
]
