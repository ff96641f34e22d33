const NAMED = 3

/** "mast-worker-a", "a, b and 2 more": nodes that a pool waits for. */
export function awaitedNames(names: readonly string[]): string {
  const more = names.length - NAMED
  if (more > 0) return `${names.slice(0, NAMED).join(', ')} and ${more} more`
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

const are = (names: readonly string[]): string => (names.length === 1 ? 'is' : 'are')

/** In part of a sentence, what is done when. */
export const awaitedWords = (names: readonly string[]): string => `${awaitedNames(names)} ${are(names)} available again`
