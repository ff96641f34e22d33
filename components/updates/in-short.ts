const [LEAST, MOST] = [24, 160]

/** Of a long sentence what a heading has room for: without the raw answer that it quotes, or its first sentence, or its first words. */
export function inShort(text: string): string {
  if (text.length <= MOST) return text
  const ends = [...text.matchAll(/: ?[{[<]|[.;] /g)].map(({ index }) => index)
  const at = ends.find((end) => end >= LEAST && end <= MOST) ?? Math.max(text.lastIndexOf(' ', MOST), MOST / 2)
  return `${text.slice(0, at)}…`
}
