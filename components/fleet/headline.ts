import type { Need } from '@/lib/services/fleet/needs-you'

const NUMBERS = [
  'Nothing',
  'One thing',
  'Two things',
  'Three things',
  'Four things',
  'Five things',
  'Six things',
  'Seven things',
  'Eight things',
  'Nine things',
]
/** How many things are listed; where that is not known to be all, at least so many. */
export function headline(needs: readonly Pick<Need, 'kind'>[]): string {
  const n = needs.filter(({ kind }) => kind !== 'more').length
  if (n === needs.length) return `${NUMBERS[n] ?? `${n} things`} ${n < 2 ? 'needs' : 'need'} you.`
  return n === 0 ? 'Something may need you.' : `At least ${n} ${n === 1 ? 'thing needs' : 'things need'} you.`
}
