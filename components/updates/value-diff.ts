import { diffLines } from 'diff'
import type { FieldChange } from '@/lib/domain/changes/types'
import { blockText } from './block-text'

export interface DiffLine {
  kind: 'same' | 'gone' | 'new' | 'left-out'
  text: string
}

/** What is not shown is said of both sides in the same words: once is enough. */
export const isSaidOnce = ({
  secret,
  current,
  desired,
}: Pick<FieldChange, 'secret' | 'current' | 'desired'>): boolean =>
  secret === true && current !== undefined && current === desired

const LONG = 80
/** Lines around a change that say where it is. */
const AROUND = 2

const isList = (value: unknown): boolean => typeof value === 'object' && value !== null

function isLong(value: unknown): boolean {
  const text = typeof value === 'string' ? value : isList(value) ? JSON.stringify(value) : ''
  // A line break in an item of a list is an escape in its JSON.
  return text.length > LONG || text.includes('\n') || (isList(value) && text.includes('\\n'))
}

const MOST_MS = 100

/** Line by line, where the values are too long to stand side by side; what is the same is left out. Null: they are not. */
export function linesBetween(current: unknown, desired: unknown): DiffLine[] | null {
  const comes = current === undefined || desired === undefined
  if (comes && (isList(current) || isList(desired))) return whole(current, desired)
  if (!isLong(current) && !isLong(desired)) return null
  if (comes) return whole(current, desired)
  const [before, after] = [blockText(current), blockText(desired)]
  // A line more on both sides would be an empty one.
  const end = before.endsWith('\n') && after.endsWith('\n') ? '' : '\n'
  // Where too much differs to be compared in time, one goes and the other comes.
  const parts = diffLines(before + end, after + end, { timeout: MOST_MS })
  if (!parts) return [...whole(before, undefined), ...whole(undefined, after)]
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
  return blockText(value)
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }))
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
