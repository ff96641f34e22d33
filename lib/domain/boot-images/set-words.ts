import type { Sure } from '../skew/evidence'

/** How sure it is which version an image is, beside that. */
export const SURE_OF: Record<Sure | 'unknown', string> = {
  certain: 'certain',
  likely: 'likely',
  'at-least': 'or newer',
  unknown: 'not certain',
}

/** What the operator does with a set in one pass. */
export const OUTCOMES: Record<string, string> = {
  unchanged: 'nothing to do',
  update: 'updates it',
  ignore: 'leaves it alone',
  skip: 'skips it',
  error: 'fails on it',
  crash: 'ends on it',
  undecided: 'depends on its image',
  'not-known': 'not known here',
  'not-managed': 'not managed',
}

/** The ControlPlaneMachineSet has the same name everywhere, which tells nobody what it is. */
export const setName = ({ kind, name }: { kind: string; name: string }): string =>
  kind === 'MachineSet' ? name : 'control plane'
