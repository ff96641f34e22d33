import { LIFECYCLE } from '@/lib/services/upgrades/lifecycle'
import { HOOKS } from '@/lib/services/updaters/transport'
import type { JsonObject } from '@/lib/domain/json'

export { HOOKS }
export const HANDLED = ['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine', ...LIFECYCLE] as const
export type Handled = (typeof HANDLED)[number]

/** Cluster API gives up after this; ours is shorter, so that it hears our reason and not a time-out. */
const TIMEOUT_SECONDS = 20
export const BUDGET_MS = 15_000

/** A constant: it needs no database and no cluster, and never shrinks. A handler that disappears reads as "replace". */
export const DISCOVERY: JsonObject = {
  apiVersion: HOOKS,
  kind: 'DiscoveryResponse',
  status: 'Success',
  message: '',
  handlers: HANDLED.map((hook) => ({
    name: hook.toLowerCase(),
    requestHook: { apiVersion: HOOKS, hook },
    timeoutSeconds: TIMEOUT_SECONDS,
    failurePolicy: 'Fail',
  })),
}

/** Not decided, not known, not possible: an error to Cluster API, which holds and asks again. */
export class Hold extends Error {
  constructor(
    message: string,
    readonly about: { changeId?: string; group?: string; machine?: string | null; failed?: boolean } = {},
  ) {
    super(message)
    this.name = 'Hold'
  }
}
