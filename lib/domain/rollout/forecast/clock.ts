import type { Work } from './types'

export interface Due {
  at: number
  machine: string
  /** `look`: the controllers see what has ended. */
  work: Work | 'look'
}

export const isWork = (due: Due): due is Due & { work: Work } => due.work !== 'look'

/** What is under way, the earliest first: a binary heap. */
export class Clock {
  now = 0
  /** When the last work ended. */
  ended = 0
  private readonly heap: Due[] = []

  add(due: Due): void {
    const { heap } = this
    let at = heap.push(due) - 1
    for (let up = (at - 1) >> 1; at > 0 && heap[up]!.at > due.at; up = (at - 1) >> 1) {
      heap[at] = heap[up]!
      at = up
    }
    heap[at] = due
  }

  /** Everything that is due next, at one moment; the clock then shows it. Empty: nothing is under way. */
  next(): Due[] {
    const first = this.heap[0]
    if (!first) return []
    this.now = first.at
    const due: Due[] = []
    while (this.heap[0]?.at === first.at) due.push(this.pop())
    if (due.some(isWork)) this.ended = this.now
    return due
  }

  private pop(): Due {
    const { heap } = this
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let down = 2 * at + 1
      if (down + 1 < heap.length && heap[down + 1]!.at < heap[down]!.at) down++
      if (down >= heap.length || heap[down]!.at >= last.at) break
      heap[at] = heap[down]!
      at = down
    }
    heap[at] = last
    return first
  }
}
