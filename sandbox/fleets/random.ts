/** Mulberry32: the same fleet for the same seed. */
export function seeded(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (below: number) => Math.floor(next() * below)
  const text = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[int(alphabet.length)]).join('')
  return {
    int,
    suffix: () => text('bcdfghjklmnpqrstvwxz2456789', 5),
    uid: () => `${text(HEX, 8)}-${text(HEX, 4)}-4${text(HEX, 3)}-a${text(HEX, 3)}-${text(HEX, 12)}`,
  }
}

const HEX = '0123456789abcdef'
export type Random = ReturnType<typeof seeded>
