import { LEVELS } from '@/lib/domain/holds'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Everything that this process measures about itself, for GET /metrics. */
export const registry = new Registry()
collectDefaultMetrics({ register: registry, prefix: 'drydock_worker_' })

const registers = [registry]

export const leasesHeld = new Gauge({
  name: 'drydock_leases_held',
  help: 'Management clusters that this worker owns.',
  registers,
})
export const clockAhead = new Gauge({
  name: 'drydock_clock_ahead_seconds',
  help: 'How far the clock of this worker is ahead of the database’s.',
  registers,
})
export const streamAge = new Gauge({
  name: 'drydock_stream_age_seconds',
  help: 'Seconds since a watch last heard from its API server.',
  labelNames: ['cluster', 'resource'],
  registers,
})
export const streamObjects = new Gauge({
  name: 'drydock_stream_objects',
  help: 'Objects that a watch knows.',
  labelNames: ['cluster', 'resource'],
  registers,
})
export const streamEvents = new Gauge({
  name: 'drydock_stream_events',
  help: 'Events that a watch has seen since it began.',
  labelNames: ['cluster', 'resource'],
  registers,
})
export const streamRelists = new Gauge({
  name: 'drydock_stream_relists',
  help: 'Complete lists after the first.',
  labelNames: ['cluster', 'resource'],
  registers,
})
export const streamWatching = new Gauge({
  name: 'drydock_stream_watching',
  help: '1 while the watch is open, 0 while it lists or waits.',
  labelNames: ['cluster', 'resource'],
  registers,
})
export const rowsWritten = new Counter({
  name: 'drydock_rows_written_total',
  help: 'Rows of the read model that changed.',
  labelNames: ['cluster'],
  registers,
})
export const rowsPending = new Gauge({
  name: 'drydock_rows_pending',
  help: 'Rows that wait to be written: never more than there are objects.',
  labelNames: ['cluster'],
  registers,
})
export const batchSeconds = new Histogram({
  name: 'drydock_batch_seconds',
  help: 'Time to write one batch of the read model.',
  labelNames: ['cluster'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers,
})
export const consumerSeconds = new Histogram({
  name: 'drydock_consumer_seconds',
  help: 'Time that a consumer took for one batch.',
  labelNames: ['cluster', 'consumer'],
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers,
})
export const failures = new Counter({
  name: 'drydock_failures_total',
  help: 'Attempts that failed and were or will be repeated, by what was attempted.',
  labelNames: ['cluster', 'what'],
  registers,
})

export const holds = new Gauge({
  name: 'drydock_holds',
  help: 'Held changes by how pressing their age is: fresh, due, overdue, dangerous.',
  labelNames: ['cluster', 'age'],
  registers,
})

/** A cluster that this worker gave up must not go on being reported. */
export function forgetClusterMetrics(cluster: string, resources: Iterable<string>): void {
  for (const resource of resources) {
    for (const gauge of [streamAge, streamObjects, streamEvents, streamRelists, streamWatching])
      gauge.remove({ cluster, resource })
  }
  rowsPending.remove({ cluster })
  for (const age of LEVELS) holds.remove({ cluster, age })
}
