import { beforeAll, describe } from 'vitest'
import { db } from '@/lib/db/client'
import { calendarConsumer } from '@/worker/calendar'
import { startGate, type Gate } from '@/worker/gate'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { scalingConsumer } from '@/worker/scaling'
import { startWorker, type Worker } from '@/worker/worker'
import type { TestCluster } from '../../types'
import type { Workload } from '../governing'
import type { Group } from '../turning'
import { agesTopic } from './ages'
import { approvalsTopic } from './approvals'
import { failuresTopic } from './failures'
import { pausesTopic } from './pauses'
import { Policing, type PoliciesTimes, type Topic } from './policing'
import { timesTopic } from './times'
import { wavesTopic } from './waves'
import { waysTopic } from './ways'
import { stopAfterwards } from '../stop-afterwards'

/** Groups and how many machines they have, by their workload cluster. */
const GROUPS = {
  quick: { only: 2, two: 2, expired: 2, changed: 2, itself: 2 },
  fading: { prefer: 2 },
  slow: { window: 2, override: 2, paused: 2, aborted: 2, theirs: 2, moving: 2 },
  failing: { fails: 3 },
  replacing: { late: 2, replaced: 2 },
  asking: { first: 2, asks: 2 },
  canary: { canary: 2 },
  rest: { rest: 2 },
  plane: {},
} satisfies Record<string, Record<string, number>>

/** What policies say, held against what the managers do. Each topic has groups of its own, and they run beside each other. */
export function policiesSuite(get: () => TestCluster, times: PoliciesTimes): void {
  let g: Policing
  let gate: Gate
  let worker: Worker
  const groups = new Map<string, Group>()
  /** By the machines whose updates fail while they are in it. */
  const failing = new Set<string>()
  const covers: Record<string, string[]> = { machine: ['version'] }
  const workloads = new Map<string, Workload>()

  beforeAll(async () => {
    g = new Policing(get(), times)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    // The keeper is not part of this: that the latch is there is all that the planner needs to know.
    await g.latched()
    await db().user.create({ data: { id: 'bo', name: 'Bo', email: 'bo@example.com', role: 'approver' } })
    const made = async ([key, wanted]: [string, Record<string, number>]): Promise<void> => {
      const w = await g.workload(`po-${key}`)
      workloads.set(key, w)
      await g.templates(w)
      for (const [name, replicas] of Object.entries(wanted))
        groups.set(name, await g.group(w, `po-${name}`, { replicas }))
    }
    await Promise.all(Object.entries(GROUPS).map(made))
    worker = await startWorker({
      consumers: [registrationConsumer, plannerConsumer, calendarConsumer, scalingConsumer],
      parts: [],
    })
    const namespaces = (...keys: (keyof typeof GROUPS)[]) => keys.map((key) => workloads.get(key)!.namespace)
    await g.addUpdater(200, { namespaces: namespaces('quick', 'plane') })
    await g.addUpdater(200, { namespaces: namespaces('fading'), covers })
    await g.addUpdater(times.updateMs, { namespaces: namespaces('slow', 'canary', 'rest', 'asking') })
    await g.addUpdater(200, { namespaces: namespaces('failing'), failing: (machine) => failing.has(machine) })
    await g.register(gate.url)
    await g.settled([...workloads.values()], [...groups.values()], times.deadlineMs)
  }, times.deadlineMs * 2)

  stopAfterwards(() => [worker, gate, g])

  const topic: Topic = { g: () => g, of: (name) => groups.get(name)!, times }

  describe.concurrent('what policies say', () => {
    wavesTopic(topic)
    pausesTopic(topic)
    timesTopic(topic)
    failuresTopic(topic, failing)
    approvalsTopic(topic)
    waysTopic(topic, covers)
    agesTopic(topic, () => workloads.get('plane')!)
  })
}
