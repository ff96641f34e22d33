const ORDER = ['outdated', 'unknown', 'custom', 'excluded', 'current']

/** "2 outdated, 1 custom, 5 current" */
export function SetCounts({ counts }: { counts: Record<string, number> }) {
  const some = ORDER.filter((state) => counts[state])
  if (some.length === 0) return <span className="text-sm text-ink-3">none</span>
  return <span className="text-sm text-ink-2">{some.map((state) => `${counts[state]} ${state}`).join(', ')}</span>
}
