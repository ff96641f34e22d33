import { expect } from 'vitest'
import { db } from '@/lib/db/client'
import type { Field } from './field'

export interface Outage {
  name: string
  strike(): Promise<void> | void
  mend(): Promise<void> | void
  /** What was approved in place and has not begun stays where it is meanwhile. */
  stands: boolean
}

/** What of Drydock can be gone, or wrong, for a while. */
export function outages(f: Field): Outage[] {
  let resume: () => Promise<void>
  const owner = () => db().clusterLease.findUniqueOrThrow({ where: { clusterId: f.g.clusterId } })
  return [
    {
      name: 'both workers killed (kill -9)',
      strike: () => f.drydock.killWorkers(),
      mend: () => f.drydock.startWorkers(),
      stands: true,
    },
    {
      name: 'the database stopped',
      strike: () => f.drydock.stopDatabase(),
      mend: () => f.drydock.startDatabase(),
      stands: true,
    },
    {
      name: 'the gate killed (kill -9) while another worker lives',
      strike: () => f.drydock.killAsked(),
      mend: () => f.drydock.startAsked(),
      stands: true,
    },
    {
      name: 'every answer of the database five seconds late',
      strike: () => f.drydock.slowDatabase(5_000),
      mend: () => f.drydock.slowDatabase(0),
      stands: false,
    },
    {
      name: 'a worker stands still and goes on with its lease of before',
      strike: async () => {
        const before = await owner()
        resume = await f.drydock.pauseOwner(f.g.clusterId)
        expect((await owner()).fence).toBeGreaterThan(before.fence)
      },
      mend: async () => {
        const { fence } = await owner()
        await resume()
        expect((await owner()).fence).toBe(fence)
      },
      stands: false,
    },
    {
      name: 'the clock of the worker that is asked ten minutes ahead',
      strike: () => f.drydock.askedAhead(),
      mend: async () => {
        await f.drydock.killAsked()
        await f.drydock.startAsked()
      },
      stands: false,
    },
  ]
}
