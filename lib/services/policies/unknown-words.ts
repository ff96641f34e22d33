import { near } from '@/lib/domain/near'

/** Which words a policy does not know, and which are meant, or which there are: what it does not do must not look as if it did. */
export function unknownWords(words: readonly string[], known: readonly string[]): string {
  const meant = words.map((word) => near(word, known))
  const [first] = meant
  if (words.length === 1 && first) return `A policy does not know ${words[0]}: ${first}?`
  const told = words.map((word, i) => (meant[i] ? `${word} (${meant[i]}?)` : word)).join(', ')
  return `A policy does not know ${told}.${meant.every(Boolean) ? '' : ` It knows: ${known.join(', ')}.`}`
}

const ONE: Record<string, string> = { windows: 'window', freezes: 'freeze', waves: 'wave' }

/** "window 1, repeats": where in a policy something stands, counted as people count. */
export function placeWords(path: readonly PropertyKey[]): string {
  const words = path.reduce<string>((said, part, i) => {
    if (typeof part !== 'number')
      return `${said}${said && (typeof path[i - 1] === 'number' ? ', ' : '.')}${String(part)}`
    const list = String(path[i - 1] ?? '')
    return `${said.slice(0, said.length - list.length)}${ONE[list] ?? list} ${part + 1}`
  }, '')
  return words
}
