import type { LatchFinding } from '@/lib/domain/latch/diff'

export type LatchStateName =
  | 'none' // not installed, nothing governed
  | 'unlatched' // groups are governed, but no latch was installed
  | 'unmanaged' // found in the cluster, not installed from here (Git)
  | 'intact'
  | 'missing'
  | 'changed'
  | 'not-ours'
  | 'ineffective' // all there, but a trial write was not held
  | 'unknown' // the cluster could not be asked

/** ManagementCluster.latchStatus. */
export interface LatchStatus {
  state: LatchStateName
  message: string
  findings: LatchFinding[]
  /** A dry run of a rollout-causing write: came back held, or not; null where nothing is governed yet. */
  proved: boolean | null
  /** Address of the gate's /latch, for the webhook form. */
  webhookUrl?: string
}

/** Whether governed groups may be unprotected: the pages show these loudly. */
export const isUnprotected = (state: LatchStateName): boolean =>
  ['unlatched', 'missing', 'changed', 'not-ours', 'ineffective', 'unknown'].includes(state)

export function messageFor(state: LatchStateName, findings: readonly LatchFinding[]): string {
  const which = findings
    .filter((f) => f.state !== 'intact')
    .map((f) => `${f.kind} ${f.name}${f.differences.length ? ` (${f.differences.join(', ')})` : ''}`)
    .join('; ')
  switch (state) {
    case 'none':
      return 'No groups are governed.'
    case 'unlatched':
      return 'Groups are chosen to be governed, but the latch is not installed: nothing holds their changes.'
    case 'unmanaged':
      return 'Drydock’s latch is in this cluster, but was not installed from here. Install it to have it checked and repaired.'
    case 'intact':
      return 'The latch is in place, as it should be.'
    case 'missing':
      return `Parts of the latch are missing: ${which}.`
    case 'changed':
      return `Parts of the latch were changed: ${which}.`
    case 'not-ours':
      return `Objects that Drydock did not make have the latch’s names: ${which}. Rename or delete them; Drydock does not overwrite them.`
    case 'ineffective':
      return 'The latch is there, but a trial write to a governed group was not held. Is the admission plug-in or feature gate off on this API server?'
    case 'unknown':
      return 'The cluster could not be asked.'
  }
}
