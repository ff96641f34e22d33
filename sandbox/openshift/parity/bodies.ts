import type { Json, JsonObject } from '../../../lib/domain/json'

/** Stanzas that patches and states are made of. */
export const skew = (stanza: Json): JsonObject => ({ spec: { bootImageSkewEnforcement: stanza } })
export const managed = (value: Json): JsonObject => ({ spec: { managedBootImages: value } })
export const both = (a: JsonObject, b: JsonObject): JsonObject => ({
  spec: { ...(a.spec as JsonObject), ...(b.spec as JsonObject) },
})

export const OCP = '4.16.0'
export const RHCOS = '9.6.20251023-0'

export const manual = (value: Json): JsonObject => ({ mode: 'Manual', manual: value })
export const byOcp = (ocpVersion: Json = OCP): JsonObject => manual({ mode: 'OCPVersion', ocpVersion })
export const byRhcos = (rhcosVersion: Json = RHCOS): JsonObject => manual({ mode: 'RHCOSVersion', rhcosVersion })
/** As Drydock sends them: what must not stay is named as null. */
export const ackOcp = (ocpVersion: Json = OCP): JsonObject =>
  skew(manual({ mode: 'OCPVersion', ocpVersion, rhcosVersion: null }))
export const ackRhcos = (rhcosVersion: Json = RHCOS): JsonObject =>
  skew(manual({ mode: 'RHCOSVersion', rhcosVersion, ocpVersion: null }))
export const optOut = skew({ mode: 'None', manual: null })

export const entry = (resource: Json, mode: Json, more: JsonObject = {}): JsonObject => ({
  resource,
  apiGroup: 'machine.openshift.io',
  selection: { mode, ...more },
})
export const sets = (mode: Json, more?: JsonObject): JsonObject => entry('machinesets', mode, more)
export const planes = (mode: Json, more?: JsonObject): JsonObject => entry('controlplanemachinesets', mode, more)
export const list = (...machineManagers: Json[]): JsonObject => ({ machineManagers })
export const managers = (...entries: Json[]): JsonObject => managed(list(...entries))
export const selecting = (machineResourceSelector: Json): JsonObject => ({ partial: { machineResourceSelector } })
export const labelled = selecting({ matchLabels: { pool: 'a' } })
