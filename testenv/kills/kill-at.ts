import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Ends this process as kill -9 does, at the n-th time that it sends anything to anybody: right before, or right after it was
 * sent and before it can be answered.
 */
export function killAt(n: number, when: 'before' | 'after'): void {
  let sent = 0
  const die = () => process.kill(process.pid, 'SIGKILL')
  const proto = Socket.prototype as unknown as Pick<Duplex, '_write' | '_writev'>
  const { _write: write, _writev: writev } = proto
  const counted = <A extends unknown[]>(original: (...args: A) => void) =>
    function (this: Duplex, ...args: A): void {
      const last = ++sent === n
      if (last && when === 'before') die()
      original.apply(this, args)
      if (last) die()
    }
  proto._write = counted(write)
  if (writev) proto._writev = counted(writev)
}
