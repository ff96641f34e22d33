import { backoffDelay, pause } from '@/lib/kubernetes/backoff'
import type { Log } from './log'
import { startApplier } from './applier'
import { askedConsumer } from './asked'
import { calendarConsumer } from './calendar'
import { startCutShort } from './cut-short'
import { startGate } from './gate/index'
import { startRegistrationKeeper } from './gate/registrations'
import { startLatchKeeper } from './latch-keeper'
import { latchWatchConsumer } from './latch-watch/index'
import { startMessages } from './messages'
import { failures } from './metrics'
import { startNodeImages, startNodesBehind } from './marked'
import { plannerConsumer } from './planner/index'
import { poolsConsumer } from './pools/index'
import { registrationConsumer } from './registration'
import { scalingConsumer } from './scaling/index'
import { remediationConsumer } from './remediation/index'
import { poolsHeardConsumer } from './pools/heard'
import { heardConsumer } from './skew/heard'
import { skewConsumer } from './skew/index'
import { updatesHeardConsumer } from './upgradeable/heard'
import { upgradeableConsumer } from './upgradeable/index'
import type { Consumer } from './types'

/** What follows every management cluster that this worker owns. */
export const consumers: Consumer[] = [
  latchWatchConsumer,
  registrationConsumer,
  askedConsumer,
  plannerConsumer,
  calendarConsumer,
  scalingConsumer,
  remediationConsumer,
  skewConsumer,
  heardConsumer,
  poolsConsumer,
  poolsHeardConsumer,
  upgradeableConsumer,
  updatesHeardConsumer,
]

/** What runs once per worker process, whatever clusters it owns. */
export interface Part {
  name: string
  start(context: PartContext): Promise<RunningPart>
}

export interface RunningPart {
  /** Something was decided about a cluster: look at it now. */
  poke?(clusterId: string): void
  stop(): Promise<void>
}

export interface PartContext {
  owner: string
  log: Log
  /** The management clusters that this worker owns at the moment. */
  clusters(): Iterable<string>
}

const parts: Part[] = [
  { name: 'update gate', start: ({ log }) => startGate({ log }) },
  { name: 'applier', start: ({ owner, log }) => Promise.resolve(startApplier({ owner, log })) },
  { name: 'latch keeper', start: (context) => Promise.resolve(startLatchKeeper(context)) },
  { name: 'recovery of disconnects', start: ({ log }) => Promise.resolve(startCutShort({ log })) },
  { name: 'messages', start: ({ log }) => Promise.resolve(startMessages({ log })) },
  { name: 'node images', start: ({ log }) => Promise.resolve(startNodeImages({ log })) },
  { name: 'nodes behind', start: ({ log }) => Promise.resolve(startNodesBehind({ log })) },
  { name: 'registration keeper', start: (context) => Promise.resolve(startRegistrationKeeper(context)) },
]

/** Starts the parts; one that cannot start (its port is taken, the database is away) is tried again and holds up nothing. */
export function startParts(wanted: Part[] = parts, context: PartContext): Required<RunningPart> {
  const abort = new AbortController()
  const running = new Set<RunningPart>()
  const starting = wanted.map(async (part) => {
    const started = await keepStarting(part, context, abort.signal)
    if (started) running.add(started)
  })
  return {
    poke: (clusterId) => running.forEach((part) => part.poke?.(clusterId)),
    stop: async () => {
      abort.abort()
      await Promise.all(starting)
      await Promise.all([...running].map((part) => part.stop()))
    },
  }
}

async function keepStarting(part: Part, context: PartContext, signal: AbortSignal): Promise<RunningPart | undefined> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      return await part.start(context)
    } catch (error) {
      failures.inc({ cluster: '', what: part.name })
      context.log.error({ err: error, part: part.name }, `the ${part.name} could not start; it will be tried again`)
      await pause(backoffDelay(attempt, { floorMs: 1000, capMs: 15_000 }), signal)
    }
  }
  return undefined
}
