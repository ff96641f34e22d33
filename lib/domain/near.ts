/** How many letters have to be put in, taken out, replaced or swapped with the next one to make one word the other. */
function distance(a: string, b: string): number {
  let [older, before]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = before![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? older![j - 2]! + 1 : Infinity
      row.push(Math.min(before![j]! + 1, row[j - 1]! + 1, replaced, swapped))
    }
    ;[older, before] = [before, row]
  }
  return before!.at(-1)!
}

const LONGEST = 64
const SHORTEST_BEGINNING = 3

/** Which of the known words somebody may have meant; null: none is near. */
export function near(word: string, known: readonly string[]): string | null {
  if (word.length > LONGEST) return null
  const meant = word.toLowerCase()
  const allowed = Math.max(1, Math.floor(word.length / 4))
  const found = known
    .map((one) => ({ one, far: distance(meant, one.toLowerCase()) }))
    .filter(({ one, far }) => far <= allowed && far < one.length)
  const nearest = found.sort((a, b) => a.far - b.far)[0]?.one
  const longer = word.length >= SHORTEST_BEGINNING && known.find((one) => one.toLowerCase().startsWith(meant))
  return nearest ?? (longer || null)
}
