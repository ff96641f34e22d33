import type { Json } from '../json'
import { equal } from './merge'

const LIMIT = 3

/** Somebody who keeps putting an old image back: after three writes of the same value in a row a set is refused (HotLoopLimit). */
export class HotLoops {
  private readonly written = new Map<string, { value: Json; times: number }>()

  refuses(name: string, value: Json): boolean {
    const last = this.written.get(name)
    return last !== undefined && last.times >= LIMIT && equal(last.value, value)
  }

  wrote(name: string, value: Json): void {
    const last = this.written.get(name)
    this.written.set(name, { value, times: last && equal(last.value, value) ? last.times + 1 : 1 })
  }

  /** When nothing is managed any more, everything is forgotten. */
  clear(): void {
    this.written.clear()
  }
}
