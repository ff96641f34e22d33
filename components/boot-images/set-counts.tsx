const WORST_FIRST = ['outdated', 'unknown', 'custom', 'excluded', 'current']

/** How many there are, and of which the worst are: "8 sets", "2 outdated, 1 unknown". The rest is in its title. */
export function SetCounts({ counts }: { counts: Record<string, number> }) {
  const some = WORST_FIRST.filter((state) => counts[state]).map((state) => `${counts[state]} ${state}`)
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0)
  if (all === 0) return <span className="text-sm text-ink-3">none</span>
  return (
    <span title={some.join(', ')}>
      {all} {all === 1 ? 'set' : 'sets'}
      <span className="block text-sm text-ink-3">{some.slice(0, 2).join(', ')}</span>
    </span>
  )
}
