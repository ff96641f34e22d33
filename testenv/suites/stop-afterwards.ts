import { afterAll } from 'vitest'
import { closeClients } from '@/lib/services/clusters/connection'
import { closeUpdaters } from '@/lib/services/updaters/transport'

/** What a suite started ends with it, in this order, and with it what this process keeps open. */
export function stopAfterwards(started: () => ({ stop(): Promise<void> } | undefined)[]): void {
  afterAll(async () => {
    for (const one of started()) await one?.stop()
    await closeUpdaters()
    await closeClients()
  })
}
