import {
  NO_PLATFORM,
  type HistoryEntry,
  type MachineManager,
  type Managers,
  type Platform,
  type Recorded,
  type SkewMode,
  type SkewSpec,
  type VersionKind,
} from './types'
import { threeParts } from './version'
import { platformWords } from './platform-words'

const MANAGED_PLATFORMS = ['AWS', 'GCP', 'Azure', 'VSphere']
const CONTROL_PLANE_PLATFORMS = ['AWS', 'GCP', 'Azure']

/** Whether the operator manages boot images of machine sets on this platform at all. */
export const managesBootImages = (platform: Platform): boolean =>
  MANAGED_PLATFORMS.includes(platform.type) && !(platform.type === 'Azure' && platform.azureStack)

/** Oldest completed entry of the cluster's history; with none, its oldest; "0.0.0" where nothing can be read. */
export function installVersion(history: readonly HistoryEntry[] | undefined): string {
  const entry = history?.filter((h) => h.state === 'Completed').at(-1) ?? history?.at(-1)
  return threeParts(entry?.version ?? '') ?? '0.0.0'
}

const manager = (resource: string, mode: string): MachineManager => ({
  resource,
  apiGroup: 'machine.openshift.io',
  selection: { mode },
})

const find = (managers: Managers, resource: string): MachineManager | undefined =>
  managers?.find((m) => m.resource === resource)

/** What the operator makes of spec.managedBootImages; `kept` (its status) where it does not write it: platforms that it does not manage. `unsaid`: what of machine sets, where nothing is said of them. */
export function effectiveManagers(
  spec: Managers,
  platform: Platform,
  kept: Managers,
  controlPlaneGate = true,
  unsaid: 'All' | 'None' = 'All',
): Managers {
  if (!managesBootImages(platform)) return kept
  if (spec && spec.length === 0) return []
  const sets = merged(kept ?? [], find(spec, 'machinesets') ?? manager('machinesets', unsaid))
  if (!controlPlaneGate || !CONTROL_PLANE_PLATFORMS.includes(platform.type)) return sets
  return merged(sets, find(spec, 'controlplanemachinesets') ?? manager('controlplanemachinesets', 'None'))
}

/** Status keeps its order, and entries that the operator has no say in any more. */
function merged(list: MachineManager[], entry: MachineManager): MachineManager[] {
  const at = list.findIndex((m) => m.resource === entry.resource && m.apiGroup === entry.apiGroup)
  return at < 0 ? [...list, entry] : list.with(at, entry)
}

/** Whether the operator opts the cluster in by itself, which it notes in an annotation. */
export function optsInByItself(spec: Managers, platform: Platform, before: Managers): boolean {
  if (!managesBootImages(platform) || (spec && spec.length === 0) || find(spec, 'machinesets')) return false
  return before === undefined || find(before, 'machinesets')?.selection.mode === 'None'
}

export interface EffectiveInput {
  spec: SkewSpec | null
  managers: Managers
  platform: Platform
  history: readonly HistoryEntry[] | undefined
  /** What status says now: an automatic record is kept while the mode stays Automatic. */
  before: { mode: SkewMode | null; recorded: Recorded }
}

export interface Effective {
  mode: SkewMode
  recorded: Recorded & { mode?: VersionKind }
  /** Why this mode: which of the operator's rules applied. */
  why: string
}

/** The mode that the operator arrives at, and what it records on the way in; its rules in its order. */
export function effectiveSkew(input: EffectiveInput): Effective {
  const { spec, platform } = input
  const install = installVersion(input.history)
  if (spec && spec.mode !== 'Manual' && says(spec))
    return { mode: 'None', recorded: {}, why: 'Enforcement is switched off in the configuration.' }
  if (spec?.mode === 'Manual')
    return {
      mode: 'Manual',
      recorded: (spec.manual ?? {}) as Effective['recorded'],
      why: 'The configuration carries an acknowledged version.',
    }
  if (platform.type === 'BareMetal' && !platform.provisioningUrl)
    return {
      mode: 'None',
      recorded: {},
      why: 'On bare metal the release itself has a boot image, and Provisioning names no other: the operator enforces nothing.',
    }
  if (platform.topology === 'SingleReplica')
    return { mode: 'None', recorded: {}, why: 'Single-node clusters are not held to a boot image.' }
  if (managesBootImages(platform) && managesAll(input.managers)) {
    const recorded = input.before.mode === 'Automatic' ? input.before.recorded : { ocpVersion: install }
    return {
      mode: 'Automatic',
      recorded,
      why: 'The operator updates the boot images of all machine sets and records them.',
    }
  }
  return {
    mode: 'Manual',
    recorded: { mode: 'OCPVersion', ocpVersion: install },
    why: whyManual(platform),
  }
}

function whyManual(platform: Platform): string {
  const records = 'it records the version that the cluster was installed with.'
  if (!platform.type) return `${NO_PLATFORM}. Where the operator does not update all machine sets there, ${records}`
  return managesBootImages(platform)
    ? `Machine sets are not managed as a whole, so ${records}`
    : `The operator does not update boot images on ${platformWords(platform.type)}, so ${records}`
}

/** A stanza with nothing in it is none; whatever else it says than Manual is taken for None. */
const says = ({ mode, manual }: SkewSpec): boolean =>
  [mode, manual?.mode, manual?.ocpVersion, manual?.rhcosVersion].some(Boolean)

/** Whether all machine sets are managed on a platform where that is the default. */
export function managesAll(managers: Managers): boolean {
  if (!managers) return true
  return managers.length > 0 && (find(managers, 'machinesets')?.selection.mode ?? 'All') === 'All'
}
