import { forMoments } from './rounds'

interface Options {
  /** How long the next one waits. */
  ms: number
  /** So many go on at most: a database that is slow is asked little more for it. Where all hang, the next one waits for one to end. */
  atOnce: number
}

/**
 * One after the other, and each by its name at most once at a time. One that the API server does not answer about goes on beside the
 * next ones: it keeps no other waiting for longer than a moment.
 */
export class Beside {
  private readonly busy = new Map<string, Promise<unknown>>()
  private turn = 0
  /** Of the newest list: which was begun how late. */
  private lastBegun = new Map<string, number>()
  private begun = 0

  constructor(private readonly options: Options = { ms: 2_000, atOnce: 4 }) {}

  /** Resolves when the next one may begin. False: it is at work already; it has `ended` once it may begin again. `work` throws nothing. */
  async begin(name: string, work: () => Promise<void>, ended?: () => void): Promise<boolean> {
    const { ms, atOnce } = this.options
    while (this.busy.size >= atOnce) await Promise.race(this.busy.values())
    if (this.busy.has(name)) return false
    const whole = work().finally(() => {
      this.busy.delete(name)
      ended?.()
    })
    this.busy.set(name, whole)
    await forMoments(whole, ms)
    return true
  }

  /**
   * All of these but what is at work already, first those whose turn is longest ago; what is left of them when newer ones come is those'.
   * Resolves when they have ended, and throws what one of them threw.
   */
  async each<T>(
    all: Iterable<T>,
    nameOf: (one: T) => string,
    work: (one: T) => Promise<void>,
    stopped: () => boolean = () => false,
  ): Promise<void> {
    const turn = ++this.turn
    const isOver = () => stopped() || turn !== this.turn
    const begun: Promise<void>[] = []
    const lastOf = (one: T) => this.lastBegun.get(nameOf(one)) ?? 0
    const inTurn = [...all].sort((a, b) => lastOf(a) - lastOf(b))
    this.lastBegun = new Map(inTurn.map((one) => [nameOf(one), lastOf(one)]))
    for (const one of inTurn) {
      if (isOver()) break
      if (this.busy.has(nameOf(one))) continue
      await this.begin(nameOf(one), () => {
        if (isOver()) return Promise.resolve()
        this.lastBegun.set(nameOf(one), ++this.begun)
        const whole = work(one)
        begun.push(whole)
        return whole.catch(() => undefined)
      })
    }
    const failed = (await Promise.allSettled(begun)).find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }
}

/** Of each view of a cluster its own. */
export function besides(options?: Options): (view: object) => Beside {
  const all = new WeakMap<object, Beside>()
  return (view) => {
    const own = all.get(view) ?? new Beside(options)
    all.set(view, own)
    return own
  }
}
