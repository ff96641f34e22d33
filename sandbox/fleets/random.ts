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
  const hex = () => int(0x1_0000_0000).toString(16).padStart(8, '0')
  return {
    int,
    /** Five characters as generated names end in, from one draw: large fleets need many. */
    suffix() {
      let text = ''
      for (let rest = int(LETTERS.length ** 5), i = 0; i < 5; i++, rest = Math.floor(rest / LETTERS.length))
        text += LETTERS[rest % LETTERS.length]
      return text
    },
    uid() {
      const [a, b, c, d] = [hex(), hex(), hex(), hex()]
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(0, 3)}-${c.slice(4)}${d}`
    },
  }
}

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'
export type Random = ReturnType<typeof seeded>
