import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

type Of = Pick<UpdateDetail, 'outlook' | 'dueMode' | 'decision'>

/** How what is left of a control plane goes, machine by machine. */
export interface Left {
  how: 'in-place' | 'replace' | 'either'
  /** Old ones that are only deleted: a spare one takes their place. Nobody is asked about these. */
  spared: number
}

export function leftOf({ outlook: { inPlace }, dueMode, decision }: Of): Left {
  if ((dueMode ?? decision?.mode) === 'replace' || !inPlace) return { how: 'replace', spared: 0 }
  const { deleted, removed = 0, spare = 0, forSpares = 0 } = inPlace
  return { how: deleted - removed > spare ? 'either' : 'in-place', spared: spare + forSpares }
}

/** How many old ones are left: more may have gone than were let go, as one that was ill. At most those of the steps that are left. */
export function oldsLeft({ plane, step }: Pick<UpdateDetail, 'plane' | 'step'>): number {
  const steps = step ? step.of - step.done : 0
  const olds = plane?.machines.filter(({ verdict, going }) => verdict !== 'up-to-date' && going === null).length
  return Math.max(1, Math.min(steps, olds ?? steps))
}

/** Whether any of it is deleted. */
export const deletesAny = ({ how, spared }: Left): boolean => how !== 'in-place' || spared > 0

const HOW = { 'in-place': 'updated in place', replace: 'replaced', either: 'updated in place or replaced' } as const
const lastOnes = (n: number): string => (n === 1 ? 'the last old one is' : `the last ${n} old ones are`)

/** What goes by it, after so many are left. */
export function goesWords(left: number, all: boolean, { how, spared }: Left): string {
  const own = left - spared
  if (spared > 0 && own <= 0)
    return `${left === 1 ? 'The last old machine is' : `The last ${left} old machines are`} deleted: a spare one took ${left === 1 ? 'its' : 'their'} place. Then it is done.`
  if (spared > 0 && own === 1)
    return `1 machine is ${HOW[how]}, and with it ${lastOnes(spared)} deleted; then it is done.`
  if (!all || left === 1)
    return `1 machine is ${HOW[how]}${left > 1 ? '; then it waits for somebody again' : ', the last one'}.`
  const then = spared > 0 ? `, and with the last of them ${lastOnes(spared)} deleted` : ''
  return `${own} machines are ${HOW[how]}, one after the other${then}; it waits for nobody any more.`
}

/** What comes after the one that goes now. */
export const thenGoes = (left: number, { spared }: Left): string =>
  left <= spared && spared > 0
    ? `With it ${lastOnes(spared)} deleted; then it is done.`
    : left === 0
      ? 'Then it is done.'
      : 'Then it waits until somebody lets the next one go.'
