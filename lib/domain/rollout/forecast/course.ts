import type { Clock } from './clock'
import type { Draw, Forecast, Frame, Gap, Move, Work } from './types'

export const AT_ONCE: Gap = () => 0

/** What a rollout played forward came through. */
export class Course {
  private readonly moves: Move[] = []
  private readonly frames: Frame[] = []
  private lowest = Infinity
  private most = 0

  constructor(
    private readonly clock: Clock,
    private readonly draw: Draw,
    private readonly floor: number,
    private readonly start: number,
    private readonly gap: Gap,
  ) {}

  /** The controllers take their time to see what is there now. False: they see it at once. */
  pause(): boolean {
    const ms = Math.max(0, this.gap())
    if (ms > 0) this.clock.add({ at: this.clock.now + ms, machine: '', work: 'look' })
    return ms > 0
  }

  begin(machine: string, work: Work): void {
    const from = this.clock.now
    const to = from + Math.max(0, this.draw(work))
    this.moves.push({ machine, work, from, to })
    this.clock.add({ at: to, machine, work })
  }

  frame(available: number, machines: number, done: number): void {
    this.lowest = Math.min(this.lowest, available)
    this.most = Math.max(this.most, machines)
    const last = this.frames.at(-1)
    if (last?.available === available && last.machines === machines && last.done === done) return
    this.frames.push({ at: this.clock.now, available, machines, done })
  }

  over(stalled?: string): Forecast {
    const { moves, frames, floor, lowest, start, most } = this
    return {
      moves,
      frames,
      floor,
      lowest,
      start,
      most,
      ends: stalled ? null : this.clock.ended,
      ...(stalled ? { stalled } : {}),
    }
  }
}

/** At most so many frames over the whole time; of those that fall together, the one with the fewest available stays. */
export function thinned(frames: readonly Frame[], most: number): Frame[] {
  const last = frames.at(-1)
  if (frames.length <= most || !last) return [...frames]
  const bins = new Map<number, Frame>()
  for (const frame of frames.slice(1, -1)) {
    const bin = Math.floor((frame.at / last.at) * (most - 2))
    const kept = bins.get(bin)
    if (!kept || frame.available < kept.available) bins.set(bin, frame)
  }
  return [frames[0]!, ...bins.values(), last]
}
