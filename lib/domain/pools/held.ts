import { holdEnds } from '../holds'
import { firstToExpire } from './certificates'
import { certificateWarning } from './pause-risk'
import type { Certificate } from './types'

/** What does not happen while a pool is held, what hurts first. `ours`: by Drydock, which resumes it when it is approved. */
export function suspendedPool(certificates: readonly Certificate[], now: number, ours: boolean): string[] {
  const first = firstToExpire(certificates)
  const warning = certificateWarning({ certificates: [...certificates] }, now, wayOut(ours))
  const ends = holdEnds(first && new Date(first.expiry))
  const last = ends && `From ${ends.toISOString().slice(0, 10)} on this hold is called dangerous.`
  return [
    ...(warning ? [`${warning} ${last}`] : []),
    'Everything that goes through a MachineConfig waits: kernel arguments, files, registries, the OS of a release. What comes meanwhile is taken up as one.',
    'An update of the cluster completes without these nodes, unless the pool is marked as required for it.',
  ]
}

export const wayOut = (ours: boolean): 'approve its configuration' | 'resume the pool' =>
  ours ? 'approve its configuration' : 'resume the pool'
