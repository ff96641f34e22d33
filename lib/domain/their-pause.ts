import { POOL } from './latch/hold'

/** What somebody paused themselves, so that nothing of it begins: its group, its whole Cluster, or both. Drydock never takes that away. */
export type TheirPause = 'group' | 'cluster' | 'both'

/** Behind "Approved, and". */
export const PAUSED_AND: Record<TheirPause, string> = {
  group: 'paused by somebody',
  cluster: 'its Cluster is paused by somebody',
  both: 'paused by somebody, as is its Cluster',
}

export const KEEPS: Record<TheirPause, string> = {
  group: 'somebody’s own pause keeps it',
  cluster: 'somebody’s own pause of its Cluster keeps it',
  both: 'somebody’s own pause keeps it, and another one of its Cluster',
}

/** A node of a pool hangs by itself: a pause stops none that has begun. Of all others what a pause keeps stands still for that. */
export const stuckBeside = ({ groupKind, state }: { groupKind?: string; state: string }): boolean =>
  groupKind === POOL && state === 'stuck'
/** Behind what such a node says. */
export const KEEPS_REST = 'Somebody’s own pause keeps those that have not begun'

const DID: Record<TheirPause, string> = {
  group: 'somebody paused the group themselves',
  cluster: 'somebody paused its whole Cluster',
  both: 'somebody paused the group themselves, and its whole Cluster',
}

export const didWords = (pause: TheirPause): string => DID[pause]

/** `groupKind`: of a pool, which is in no Cluster. */
export const hasToWords = (pause: TheirPause, groupKind?: string): string =>
  `${groupKind === POOL ? 'somebody paused the pool themselves' : DID[pause]}, and has to take ${pause === 'both' ? 'both' : 'that'} away`

/** When it would go on. */
export const takenAway = (pause: TheirPause): string =>
  pause === 'both' ? 'both pauses are taken away' : 'that pause is taken away'

export const isGroupPaused = (pause: TheirPause | null | undefined): boolean => pause === 'group' || pause === 'both'
export const isClusterPaused = (pause: TheirPause | null | undefined): boolean =>
  pause === 'cluster' || pause === 'both'
