/** `skip`: so many lines that are the same on both sides are left out. */
export type Line = { sign: '+' | '-' | ' '; text: string } | { sign: 'skip'; count: number }

const CONTEXT = 2
const MOST = 400

/** Two texts line by line, with a few lines around what differs. Texts that differ in very much are not matched: all out, all in. */
export function lineDiff(current: string, desired: string): Line[] {
  const [a, b] = [current.split('\n'), desired.split('\n')]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const middle = matched(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  const same = (text: string): Line => ({ sign: ' ', text })
  return folded([...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)])
}

function matched(a: string[], b: string[]): Line[] {
  const out: Line[] = []
  if (a.length > MOST || b.length > MOST) {
    for (const text of a) out.push({ sign: '-', text })
    for (const text of b) out.push({ sign: '+', text })
    return out
  }
  // Longest common subsequence, from the end.
  const width = b.length + 1
  const longest = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!)
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ sign: ' ', text: a[i]! })
      i++
      j++
    } else if (i < a.length && (j >= b.length || longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!))
      out.push({ sign: '-', text: a[i++]! })
    else out.push({ sign: '+', text: b[j++]! })
  }
  return out
}

/** Long runs of what is the same become one line that counts them. */
function folded(lines: Line[]): Line[] {
  const near = new Uint8Array(lines.length)
  lines.forEach(({ sign }, at) => {
    if (sign !== ' ') near.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1)
  })
  const out: Line[] = []
  let count = 0
  lines.forEach((line, at) => {
    if (!near[at]) return void count++
    if (count > 0) out.push({ sign: 'skip', count })
    count = 0
    out.push(line)
  })
  if (count > 0) out.push({ sign: 'skip', count })
  return out
}
