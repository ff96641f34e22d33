/** How one machine fares in a rollout that goes machine by machine. */
export interface StepMachine {
  /** It was there before, and is to be dealt with. */
  old: boolean
  /** It was updated in place and is Ready again, or it was made. */
  through: 'updated' | 'made' | null
  /** It is gone, or nothing but its controllers have to do with it any more: its member was taken out of etcd. */
  out: boolean
}

/**
 * How many of the old machines were dealt with: updated, or replaced, for which one has to be gone and one made. The order in
 * which those come is the strategy's. So one that somebody deletes counts when there is another in its place.
 */
export function throughOf(machines: readonly StepMachine[]): number {
  const count = (which: (machine: StepMachine) => boolean) => machines.filter(which).length
  const updated = count(({ old, through, out }) => old && !out && through === 'updated')
  return (
    updated +
    Math.min(
      count(({ old, out }) => old && out),
      count(({ old, through }) => !old && through === 'made'),
    )
  )
}

/** Machines that were made, and for which no old one is gone yet. */
export const sparesOf = (machines: readonly StepMachine[]): number =>
  Math.max(
    0,
    machines.filter(({ old, through }) => !old && through === 'made').length -
      machines.filter(({ old, out }) => old && out).length,
  )

export interface Steps {
  /** How many may be dealt with before somebody is waited for; null: all. */
  steps: number | null
  through: number
  of: number
  /** Old ones for which spares are there: with the last other one they are deleted, and nobody is asked about that. */
  spared?: number
}

/** Whether it waits for somebody now: what was allowed is done, and something is left that waits for a word. */
export const waitsForSomebody = ({ steps, through, of, spared = 0 }: Steps): boolean =>
  steps !== null && through >= steps && through < of - spared

/** With the next machine, whatever was done beyond what was allowed. */
export const nextStep = ({ through }: Pick<Steps, 'through'>): number => through + 1

/** "1 of 3 machines, as approved; the next one waits for somebody" */
export const stepWords = ({ done, of }: { done: number; of: number }): string =>
  `${done} of ${of} ${of === 1 ? 'machine' : 'machines'}, as approved; the next one waits for somebody`
