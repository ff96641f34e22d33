import { imageWords } from '@/lib/domain/boot-images/image-words'

const WORST_FIRST = ['below', 'outdated', 'unknown', 'custom', 'excluded', 'newer', 'current']

/** How many there are, and of which the worst are: "8 sets", "2 outdated, 1 not known, 5 others". What these are is in its title. */
export function SetCounts({ counts }: { counts: Record<string, number> }) {
  const states = WORST_FIRST.filter((state) => counts[state])
  const some = states.map((state) => `${counts[state]} ${imageWords(state)}`)
  const others = states.slice(2).reduce((sum, state) => sum + counts[state]!, 0)
  const shown = some.length > 3 ? [...some.slice(0, 2), `${others} others`] : some
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0)
  if (all === 0) return <span className="text-sm text-ink-3">none</span>
  return (
    <span title={some.join(', ')}>
      {all} {all === 1 ? 'set' : 'sets'}
      <span className="block text-sm text-ink-3">{shown.join(', ')}</span>
    </span>
  )
}
