import type { MachineNow, Progress, Step } from './progress'

/** It is what is wanted. */
const isFine = ({ upToDate, verdict }: MachineNow): boolean => upToDate !== false && verdict === 'up-to-date'

/** Where a machine is in its change, by where it was, and how it is now. */
export function stepOf(machine: MachineNow, row: Progress | undefined, isNew: boolean): Step {
  const before = waitedTill(machine, row)
  if (machine.deleting) return 'deleting'
  if (machine.error) return 'failed'
  if (before === 'created' || isNew) return 'created'
  // Its updater said that it failed: until it is asked again (Cluster API takes its time), nothing is at work.
  if (machine.updating) return row?.state === 'failed' && row.updater ? 'failed' : 'updating'
  if (before === 'updating' || before === 'failed') return machine.upToDate === false ? before : 'done'
  // Nor one that was to be deleted: it is what is wanted, and one too many.
  if (before === 'waiting' && row?.predicted === 'replace') return 'waiting'
  // A machine may be through between two looks: up to date where it was waiting means it was updated.
  if (before === 'waiting' || !before) return isFine(machine) ? 'done' : 'waiting'
  return before
}

/**
 * What is done from the start had nothing to do, and never began; so had what only waited, where it was approved replacing: no
 * machine becomes up to date by that.
 */
export const begins = (state: Step, before: Step | undefined, replaced: boolean): boolean =>
  state !== 'waiting' &&
  (state !== 'done' || (before !== undefined && before !== 'done' && !(replaced && before === 'waiting')))

/** One that was ill, and had not begun, waited all the same, or had nothing to do. */
export function waitedTill(
  machine: MachineNow,
  row: Pick<Progress, 'state' | 'startedAt' | 'predicted'> | undefined,
): Step | undefined {
  if (row?.state !== 'failed' || row.startedAt !== null) return row?.state
  return row.predicted === 'up-to-date' && isFine(machine) ? 'done' : 'waiting'
}

/** Whatever its error, it was updated between two looks. */
export const hasMoved = (machine: MachineNow, before: Step | undefined, replaced: boolean): boolean =>
  before === 'waiting' && isFine(machine) && begins('done', before, replaced)

/**
 * It failed, and was made by its change: of that alone nothing was foretold, and no updater was at it. `since`: when its change was seen,
 * not when it was let go last: it may have been held since.
 */
export const wasMade = (machine: MachineNow, row: Progress | undefined, since: number): boolean =>
  row?.state === 'failed' &&
  row.startedAt !== null &&
  row.predicted === null &&
  !row.updater &&
  !row.updatersDone?.length &&
  !machine.updating &&
  machine.createdAt.getTime() >= since
