import type { JsonObject } from '../json'
import type { MachineManager, Managers, VersionKind } from './types'
import { spoken } from './verdict'

export const SKEW_ACTIONS = ['acknowledge', 'opt-out', 'automatic'] as const
export type SkewActionName = (typeof SKEW_ACTIONS)[number]

export interface SkewRequest {
  action: SkewActionName
  versionKind?: VersionKind
  version?: string
  /** With `automatic`: have all machine sets managed in the same patch. The list in spec, since a merge patch replaces it whole. */
  manageAll?: { current: Managers }
}

/** The part under spec.bootImageSkewEnforcement. Siblings are named as null: without that the outcome depends on what is stored. */
export function skewStanza(request: SkewRequest): JsonObject | null {
  if (request.action === 'automatic') return null
  if (request.action === 'opt-out') return { mode: 'None', manual: null }
  const version = request.version ?? ''
  return {
    mode: 'Manual',
    manual:
      request.versionKind === 'RHCOSVersion'
        ? { mode: 'RHCOSVersion', rhcosVersion: version, ocpVersion: null }
        : { mode: 'OCPVersion', ocpVersion: version, rhcosVersion: null },
  }
}

/** A decision as one step of an action, in words. */
export function skewLabel({ action, versionKind, version = '' }: SkewRequest): string {
  if (action === 'opt-out') return 'Switch enforcement off'
  if (action === 'automatic') return 'Let the operator decide'
  return `Record ${spoken(versionKind === 'RHCOSVersion' ? { rhcosVersion: version } : { ocpVersion: version })}`
}

/** The merge patch, to be bound to the resourceVersion that was looked at. */
export function skewPatch(request: SkewRequest): JsonObject {
  const spec: JsonObject = { bootImageSkewEnforcement: skewStanza(request) }
  if (request.action === 'automatic' && request.manageAll)
    spec.managedBootImages = { machineManagers: manageAllSets(request.manageAll.current) as unknown as JsonObject[] }
  return { spec }
}

/** All machine sets managed; entries for other resources kept as they are. */
export const manageAllSets = (current: Managers): MachineManager[] => [
  { resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } },
  ...(current ?? []).filter((m) => m.resource !== 'machinesets'),
]

/** Whether a stored stanza is what a request asked for. */
export function stanzaShows(stored: unknown, request: SkewRequest): boolean {
  const wanted = skewStanza(request)
  const have = (stored ?? null) as JsonObject | null
  if (wanted === null) return have === null
  if (have === null || have.mode !== wanted.mode) return false
  if (wanted.manual === null) return have.manual === undefined || have.manual === null
  const [a, b] = [have.manual as JsonObject | undefined, wanted.manual as JsonObject]
  return !!a && ['mode', 'ocpVersion', 'rhcosVersion'].every((key) => (a[key] ?? null) === (b[key] ?? null))
}
