import type { Json, JsonObject } from '../../../lib/domain/json'
import * as b from './bodies'
import type { Call } from './server'

/** A call in a row of calls. `body` may be made of what is stored right before. */
export interface Step extends Omit<Call, 'body'> {
  name: string
  body?: Json | ((now: JsonObject) => Json)
  /** Said again until this is the code or in the message: policies and rights come into force a moment after their writing. */
  until?: number | string
  /** Only where skew is enforced, and with it control planes can be managed. */
  enforced?: true
}

export interface Scenario {
  name: string
  /** What is there at first; null: no MachineConfiguration. */
  start: { spec: JsonObject; status?: JsonObject } | null
  steps: Step[]
}

const at = (now: JsonObject): string => String((now.metadata as JsonObject).resourceVersion)
export const bound = (patch: JsonObject) => (now: JsonObject) => ({ metadata: { resourceVersion: at(now) }, ...patch })
export const whole = (more: JsonObject): JsonObject => ({
  ...{ apiVersion: 'operator.openshift.io/v1', kind: 'MachineConfiguration', metadata: { name: 'cluster' } },
  ...more,
})
export const applied = (spec: JsonObject): JsonObject => whole({ spec })
export const apply = (name: string, spec: JsonObject, query: Record<string, string> = {}): Step => ({
  ...{ name, type: 'apply', body: applied(spec) },
  query: { fieldManager: 'drydock', ...query },
})
export const merge = (name: string, body: JsonObject, fieldManager: string): Step => ({
  name,
  body,
  query: { fieldManager },
})
export const force = { force: 'true' }
export const stanza = (value: JsonObject): JsonObject => ({ bootImageSkewEnforcement: value })
export const booting = (...entries: JsonObject[]): JsonObject => ({ managedBootImages: b.list(...entries) })
export const post = (name: string, body: Json, query: Record<string, string> = {}): Step => ({
  ...{ name, method: 'POST', path: '', body, query },
})
export const EMPTY = { spec: {} }
export const automatic = {
  mode: 'Automatic',
  automatic: { ocpVersion: '4.18.0' },
}
export const AUTOMATIC = {
  spec: booting(b.sets('All')),
  status: { bootImageSkewEnforcementStatus: automatic, managedBootImagesStatus: b.list(b.sets('All')) },
}
export const said = (name: string, value: JsonObject): Step => ({
  ...{ name, path: 'cluster/status' },
  body: { status: { bootImageSkewEnforcementStatus: value } },
})
