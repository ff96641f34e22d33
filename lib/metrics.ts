import { collectDefaultMetrics, Registry } from 'prom-client'

const shared = globalThis as typeof globalThis & { __drydockWebMetrics?: Registry }

/** What the web process measures about itself. */
export function webRegistry(): Registry {
  if (!shared.__drydockWebMetrics) {
    shared.__drydockWebMetrics = new Registry()
    collectDefaultMetrics({ register: shared.__drydockWebMetrics, prefix: 'drydock_web_' })
  }
  return shared.__drydockWebMetrics
}
