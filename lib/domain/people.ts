/** "Ada", "Ada and Bo", "Ada and 2 others". */
export function peopleWords([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first
  return `${first} and ${others.length === 1 ? others[0] : `${others.length} others`}`
}

/** "2 approvals of what it wanted before fell away: Ada and Ben": all are named, for each of them is asked again. */
export function fellAwayWords(names: readonly string[]): string {
  const all = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join('')
  return `${names.length} approval${names.length === 1 ? '' : 's'} of what it wanted before fell away: ${all}`
}
