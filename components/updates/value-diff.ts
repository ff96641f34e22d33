import { diffLines } from 'diff'

export interface DiffLine {
  kind: 'same' | 'gone' | 'new' | 'left-out'
  text: string
}

const LONG = 80
/** Lines around a change that say where it is. */
const AROUND = 2

const isLong = (value: unknown): boolean =>
  typeof value === 'string' ? value.length > LONG || value.includes('\n') : typeof value === 'object' && value !== null

/** Line by line, where the values are too long to stand side by side; what is the same is left out. Null: they are not. */
export function linesBetween(current: unknown, desired: unknown): DiffLine[] | null {
  if (!isLong(current) && !isLong(desired)) return null
  if (current === undefined || desired === undefined) return whole(current, desired)
  if (typeof current !== 'string' || typeof desired !== 'string') return null
  const parts = diffLines(`${current}\n`, `${desired}\n`)
  const lines = parts.flatMap(({ value, added, removed }): DiffLine[] =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ kind: added ? 'new' : removed ? 'gone' : 'same', text })),
  )
  return shortened(lines)
}

/** What comes new or goes as a whole. */
function whole(current: unknown, desired: unknown): DiffLine[] {
  const [value, kind] = current === undefined ? [desired, 'new' as const] : [current, 'gone' as const]
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.split('\n').map((line) => ({ kind, text: line }))
}

function shortened(lines: DiffLine[]): DiffLine[] {
  const near = (at: number): boolean =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same')
  const shown: DiffLine[] = []
  let left = 0
  const close = () => {
    if (left > 0) shown.push({ kind: 'left-out', text: `${left} line${left === 1 ? '' : 's'} the same` })
    left = 0
  }
  for (const [at, line] of lines.entries()) {
    if (near(at)) {
      close()
      shown.push(line)
    } else left++
  }
  close()
  return shown
}
