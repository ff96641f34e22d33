import { hub } from './hub'

/** Next does not exit while an event stream is open: they end when the process is told to end. */
export function endStreamsOnSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => hub().closeAll())
}
