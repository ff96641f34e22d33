import { conditionOf, type Condition } from '../skew/types'

/** What the controller says about its newest pass. The counts are the truth: its Degraded status drops during every pass. */
export interface PassCounts {
  total: number
  reconciled: number
  skipped: number
  degraded: number
  controlPlaneDegraded: number
  errors: string | null
  /** It is not through: what it counts begins at nothing in every pass. Absent: it is. */
  underWay?: boolean
  /** When it last said anything of a pass, ISO. Absent: it does not tell. */
  at?: string
}

export function passCounts(conditions: readonly Condition[]): PassCounts | null {
  const condition = conditionOf(conditions, 'BootImageUpdateProgressing')
  const failure = conditionOf(conditions, 'BootImageUpdateDegraded')
  const [progressing, degraded] = [condition?.message ?? '', failure?.message ?? '']
  const [, reconciled, total, skipped] =
    /Reconciled (\d+) of (\d+) MAPI MachineSets(?: \((\d+) skipped\))?/.exec(progressing) ?? []
  if (reconciled === undefined) return null
  // These times move with every message, and a pass that fails before it comes to a set writes the second alone.
  const at = [condition, failure]
    .flatMap((one) => one?.lastTransitionTime ?? [])
    .sort()
    .at(-1)
  return {
    total: Number(total),
    reconciled: Number(reconciled),
    skipped: Number(skipped ?? 0),
    degraded: Number(/(\d+) Degraded MAPI MachineSets/.exec(degraded)?.[1] ?? 0),
    controlPlaneDegraded: Number(/(\d+) Degraded ControlPlaneMachineSets/.exec(degraded)?.[1] ?? 0),
    errors: /Error\(s\): ([\s\S]*)$/.exec(degraded)?.[1] ?? null,
    ...(condition?.status === 'True' ? { underWay: true } : {}),
    ...(at !== undefined && { at }),
  }
}

/** The messages of the two conditions, as the controller writes them. */
export const progressingMessage = (c: PassCounts, plane = { reconciled: 0, total: 0 }): string =>
  [
    `Reconciled ${c.reconciled} of ${c.total} MAPI MachineSets${c.skipped ? ` (${c.skipped} skipped)` : ''}`,
    `Reconciled ${plane.reconciled} of ${plane.total} ControlPlaneMachineSets`,
    'Reconciled 0 of 0 CAPI MachineSets',
    'Reconciled 0 of 0 CAPI MachineDeployments',
  ].join(' | ')

export const degradedMessage = (c: PassCounts): string =>
  [
    `${c.degraded} Degraded MAPI MachineSets`,
    `${c.controlPlaneDegraded} Degraded ControlPlaneMachineSets`,
    '0 Degraded CAPI MachineSets',
    '0 Degraded CAPI MachineDeployments',
    ...(c.errors ? [`Error(s): ${c.errors}`] : []),
  ].join(' | ')

/** As operators up to 4.18 write them: what they skip counts as reconciled, and there is nothing of control planes. */
export const earlyMessages = (c: PassCounts): { progressing: string; degraded: string } => ({
  progressing: `Reconciled ${c.reconciled + c.skipped} of ${c.total} MAPI MachineSets | Reconciled 0 of 0 CAPI MachineSets | Reconciled 0 of 0 CAPI MachineDeployments`,
  degraded: `${c.degraded} Degraded MAPI MachineSets | 0 Degraded CAPI MachineSets | 0 CAPI MachineDeployments${c.errors ? ` | Error(s): ${c.errors}` : ''}`,
})
