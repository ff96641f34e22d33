/** Of somebody else's words, what fits into a sentence. */
export const firstLine = (words: string, most = 240): string => {
  const line = words.split('\n')[0]!.trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** With what is said after it. */
export const ended = (words: string): string => words.replace(/[.…]?$/, (end) => end || '.')
