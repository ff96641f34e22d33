import { VERDICT_WORDS, type Verdict } from './verdict'

/** What a cell says: a verdict before anything moves, or a state that matters more. */
export type Mark = Verdict | 'untouched' | 'new' | 'deleting' | 'not-ready' | 'failed'

const MARK_WORDS: Record<Mark, string> = {
  ...VERDICT_WORDS,
  untouched: 'not touched',
  new: 'not there yet',
  deleting: 'being deleted',
  // A node may be Ready, and cordoned.
  'not-ready': 'not available',
  failed: 'failed',
}

/** Worst first. */
export const WORST_FIRST: Mark[] = [
  'failed',
  'not-ready',
  'blocked',
  'unknown',
  'deleting',
  'replace',
  'in-place-with-spare',
  'in-place',
  'new',
  'untouched',
  'up-to-date',
]

export interface HullCell {
  /** The Machine's uid; null: it is not there yet. */
  id: string | null
  name: string
  mark: Mark
  done?: boolean
  moving?: boolean
  left?: boolean
  /** Why, in a few words. */
  note?: string
}

export interface HullCount {
  mark: Mark
  done?: boolean
  moving?: boolean
  /** So it was when its cluster was disconnected; what became of it nobody here has seen. */
  left?: boolean
  count: number
}

/** Machines one by one, or only how many of each kind where there are too many to draw. */
export interface HullData {
  total: number
  cells: HullCell[] | null
  counts: HullCount[]
  /** Of those that count as what is wanted: how many failed on their way there, or are still on it. Absent: none. */
  current?: { failed: number; updating: number }
  /** How many are not Ready, whatever became of them in their change: none that is at work, or goes. Absent: none. */
  ill?: number
}

export interface MarkInput {
  state?: string | null
  verdict?: string | null
  error?: boolean
  /** waiting | updating | done | away (done, and not Ready since) | failed | created | deleting | deleted, within one change */
  progress?: string | null
  /** What was predicted when it was approved. */
  predicted?: string | null
}

/** One machine's mark: a failure is never covered by a verdict. */
export function markOf({
  state,
  verdict,
  error,
  progress,
  predicted,
}: MarkInput): Pick<HullCell, 'mark' | 'done' | 'moving'> {
  const way = (known(predicted) ?? known(verdict) ?? 'unknown') as Mark
  if (progress === 'failed' || state === 'failed') return { mark: 'failed' }
  // A drain that is blocked has failed nobody yet: it cannot go on.
  if (error) return { mark: 'failed', ...(state === 'deleting' || state === 'updating' ? { moving: true } : {}) }
  if (progress === 'away') return { mark: 'not-ready' }
  // A machine that went through a change to its end and is still there was changed in place.
  if (progress === 'done') return { mark: 'in-place', done: true }
  // Not ready yet, or not known to be: it is still on its way up. Of a finished change, only that it was made is on record.
  if (progress === 'created' && state !== 'deleting' && state !== 'updating')
    return !state || state === 'ready' ? { mark: 'up-to-date', done: true } : { mark: 'new', moving: true }
  if (progress === 'deleted') return { mark: 'deleting', done: true }
  if (progress === 'deleting' || state === 'deleting') return { mark: 'deleting', moving: true }
  if (progress === 'updating' || state === 'updating')
    return { mark: way === 'up-to-date' || way === 'in-place-with-spare' ? 'in-place' : way, moving: true }
  if (state === 'not-ready') return { mark: 'not-ready' }
  if (state === 'provisioning') return { mark: 'new', moving: true }
  if (state === 'unknown') return { mark: 'unknown' }
  return { mark: way }
}

const known = (word: string | null | undefined): string | null => (word && word in MARK_WORDS ? word : null)

const key = (c: Omit<HullCount, 'count'>) => `${c.mark}|${c.done ? 1 : 0}|${c.moving ? 1 : 0}|${c.left ? 1 : 0}`

/**
 * The same hull with so many machines more that are wanted and not there: drawn dashed, after those that are. With more
 * than `most` in all they are only counted: a cluster may want thousands and have none yet.
 */
export function withMissing(hull: HullData, missing: number, most: number, note?: string): HullData {
  if (missing <= 0) return hull
  const total = hull.total + missing
  const name = 'not there yet'
  const more = (): HullCell[] => Array.from({ length: missing }, () => ({ id: null, name, mark: 'new', note }))
  return {
    ...hull,
    total,
    cells: hull.cells && total <= most ? [...hull.cells, ...more()] : null,
    counts: mergeCounts([...hull.counts, { mark: 'new', count: missing }]),
  }
}

const LEFT_WORDS: Partial<Record<Mark, string>> = {
  new: 'being made then',
  deleting: 'being deleted then',
  untouched: 'not touched by then',
}

/** Of a change whose cluster was disconnected: what was on its way, or not touched, was so then. */
export function asLeft(hull: HullData): HullData {
  const then = <C extends HullCount | HullCell>(c: C): C =>
    c.moving || c.mark === 'untouched' ? { ...c, left: true } : c
  return { ...hull, cells: hull.cells?.map(then) ?? null, counts: hull.counts.map(then) }
}

/** What these machines, which nobody let go, are says how they came to be. */
export const withMade = (hull: HullData, names: readonly string[]): HullData => ({
  ...hull,
  cells:
    hull.cells?.map((cell) =>
      names.includes(cell.name) && cell.mark === 'up-to-date' ? { ...cell, note: 'made unapproved' } : cell,
    ) ?? null,
})

/** How many of each kind, worst first. */
export function countCells(cells: HullCell[]): HullCount[] {
  return mergeCounts(cells.map(({ mark, done, moving, left }) => ({ mark, done, moving, left, count: 1 })))
}

export function mergeCounts(counts: HullCount[]): HullCount[] {
  const sums = new Map<string, HullCount>()
  for (const c of counts) {
    const before = sums.get(key(c))
    if (before) before.count += c.count
    else sums.set(key(c), { ...c })
  }
  return [...sums.values()].filter((c) => c.count > 0).sort(worstFirst)
}

function worstFirst(a: HullCount, b: HullCount): number {
  return (
    WORST_FIRST.indexOf(a.mark) - WORST_FIRST.indexOf(b.mark) ||
    Number(b.moving ?? false) - Number(a.moving ?? false) ||
    Number(a.done ?? false) - Number(b.done ?? false)
  )
}

/**
 * Bins for more machines than can be drawn. A bin holds machines of one kind only, so that one failed machine among ten
 * thousand has its own bin, and it stands first.
 */
export function binsOf(counts: HullCount[], most = 60): HullCount[] {
  const merged = mergeCounts(counts)
  const total = merged.reduce((sum, c) => sum + c.count, 0)
  const size = Math.max(1, Math.ceil(total / Math.max(1, most - merged.length)))
  return merged.flatMap((c) => {
    const bins = Math.ceil(c.count / size)
    return Array.from({ length: bins }, (_, i) => ({
      ...c,
      count: Math.floor(c.count / bins) + (i < c.count % bins ? 1 : 0),
    }))
  })
}

/** The hull as a sentence, for those who do not see it. */
export function hullSentence(counts: HullCount[]): string {
  const merged = mergeCounts(counts)
  const total = merged.reduce((sum, c) => sum + c.count, 0)
  if (total === 0) return 'No machines.'
  const words = merged.map((c) => `${c.count} ${wordsOf(c)}`)
  return `${total} ${total === 1 ? 'machine' : 'machines'}: ${words.join(', ')}.`
}

export function wordsOf(c: Pick<HullCount, 'mark' | 'done' | 'moving' | 'left'>): string {
  if (c.left) return LEFT_WORDS[c.mark] ?? 'being updated then'
  if (c.mark === 'failed') return c.moving ? 'stuck' : MARK_WORDS.failed
  if (c.mark === 'new') return c.moving ? 'coming up' : MARK_WORDS.new
  if (c.done && c.mark === 'up-to-date') return 'new and ready'
  if (c.mark === 'deleting') return c.done ? 'deleted' : c.moving ? MARK_WORDS.deleting : 'to be deleted'
  if (c.done) return `${MARK_WORDS[c.mark]}, done`
  if (c.moving) return `${MARK_WORDS[c.mark]}, under way`
  return MARK_WORDS[c.mark]
}
