/** Of somebody else's words, what fits into a sentence. */
export const firstLine = (words: string): string => {
  const line = words.split('\n')[0]!.trim()
  return line.length > 240 ? `${line.slice(0, 239)}…` : line
}
