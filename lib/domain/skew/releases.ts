import { WHY_NO_PLATFORM, type Managers } from './types'
import { compareVersions, minorOf, parseVersion } from './version'
import { platformWords } from './platform-words'

/** Where a platform's support stands in a release: opt-in, on by default, or a preview that has to be switched on for the whole cluster. */
type Support = 'preview' | 'opt-in' | 'on'

/** What a minor release of OpenShift knows of boot images, read from its operator and its API. */
export interface ReleaseFacts {
  release: string
  /** Platforms whose machine sets the operator can update. */
  machineSets: Readonly<Record<string, Support>>
  controlPlanes: 'none' | 'preview' | 'opt-in'
  /** field: its API has the limit behind a feature set, and no operator acts on it. */
  limit: 'none' | 'field' | 'enforced'
  /** Feature set that the field needs. */
  featureSet?: string
  /** Whether it says which machine sets it manages (status.managedBootImagesStatus). */
  says: boolean
  /** What else is to be known of this release: where machine sets are managed, or on some platforms as long as nothing is said of them there. */
  notes?: readonly { words: string; unchosenOn?: readonly string[] }[]
}

/** An operator of 4.17 or 4.18, as far as both do the same. */
const EARLY = [
  { words: 'A machine set that belongs to another object makes the whole operator degraded here.' },
  {
    words:
      'Each managed machine set is given the user data secret worker-user-data-managed: what is in one of your own is not used by new machines any more.',
  },
]

const FOUR: ReleaseFacts['machineSets'] = { AWS: 'on', GCP: 'on', Azure: 'on', VSphere: 'on' }

/** One entry per minor release whose operator was read; a newer one is taken to be as the newest. */
const RELEASES: readonly ReleaseFacts[] = [
  { release: '4.16', machineSets: { GCP: 'preview' }, controlPlanes: 'none', limit: 'none', says: false },
  {
    release: '4.17',
    machineSets: { GCP: 'opt-in', AWS: 'preview' },
    controlPlanes: 'none',
    limit: 'none',
    says: false,
    notes: EARLY,
  },
  {
    release: '4.18',
    machineSets: { GCP: 'opt-in', AWS: 'opt-in' },
    controlPlanes: 'none',
    limit: 'none',
    says: false,
    notes: [
      ...EARLY,
      {
        words:
          'Before the update to 4.19 an administrator has to acknowledge that machine sets are managed from there on, or say in MachineConfiguration whether they are.',
        unchosenOn: ['AWS', 'GCP'],
      },
    ],
  },
  { release: '4.19', machineSets: { GCP: 'on', AWS: 'on' }, controlPlanes: 'none', limit: 'none', says: true },
  {
    release: '4.20',
    machineSets: { GCP: 'on', AWS: 'on', VSphere: 'preview' },
    controlPlanes: 'none',
    limit: 'field',
    featureSet: 'DevPreviewNoUpgrade',
    says: true,
  },
  {
    release: '4.21',
    machineSets: { GCP: 'on', AWS: 'on', VSphere: 'opt-in', Azure: 'opt-in' },
    controlPlanes: 'preview',
    limit: 'field',
    featureSet: 'TechPreviewNoUpgrade',
    says: true,
    notes: [
      {
        words:
          'Before the update to 4.22 an administrator has to acknowledge what it does to boot images, or say in MachineConfiguration whether machine sets are managed.',
        unchosenOn: ['Azure', 'VSphere'],
      },
    ],
  },
  { release: '4.22', machineSets: FOUR, controlPlanes: 'opt-in', limit: 'enforced', says: true },
  { release: '4.23', machineSets: FOUR, controlPlanes: 'opt-in', limit: 'enforced', says: true },
  { release: '5.0', machineSets: FOUR, controlPlanes: 'opt-in', limit: 'enforced', says: true },
  { release: '5.1', machineSets: FOUR, controlPlanes: 'opt-in', limit: 'enforced', says: true },
]

/** First release whose operator holds boot images to a limit. */
export const FIRST_LIMIT = '4.22'

/** What a release knows; null: it is older than all that were read, or no version. */
export function releaseFacts(version: string | null | undefined): ReleaseFacts | null {
  const minor = (version ? parseVersion(version) : undefined)?.slice(0, 2)
  if (!minor) return null
  return RELEASES.filter((r) => compareVersions(parseVersion(r.release)!, minor) <= 0).at(-1) ?? null
}

/** First release that updates machine sets on a platform without a preview; undefined: none does. */
export const firstManaging = (platform: string): string | undefined =>
  RELEASES.find(({ machineSets }) => ['opt-in', 'on'].includes(machineSets[platform] ?? ''))?.release

/** What else is to be known of a cluster's release. `platform` as `platformName` has it; `managers` as the cluster's spec has them. */
export function releaseNotes(version: string | null, platform: string, managers: Managers): string[] {
  const facts = releaseFacts(version)
  if (!facts?.notes || !facts.machineSets[platform]) return []
  // Before the mode None an empty list is a choice as well, and the only one against it.
  const chosen = facts.says ? managers?.some(({ resource }) => resource === 'machinesets') : managers !== undefined
  return facts.notes.flatMap(({ words, unchosenOn }) =>
    !unchosenOn || (unchosenOn.includes(platform) && !chosen) ? [words] : [],
  )
}

const SUPPORT: Record<Support, string> = {
  on: 'unless that is switched off',
  'opt-in': 'where that is switched on',
  preview: 'only as a technology preview',
}

/** "OpenShift 4.19 updates the boot images of machine sets on AWS, unless that is switched off." */
export function managingInWords(version: string | null, platform: string): string | null {
  const facts = releaseFacts(version)
  if (!facts || !version) return null
  const minor = minorOf(version)
  const support = facts.machineSets[platform]
  if (!platform) return WHY_NO_PLATFORM
  if (!support)
    return `OpenShift ${minor} does not update the boot images of machine sets on ${platformWords(platform)}.`
  return `OpenShift ${minor} updates the boot images of machine sets on ${platformWords(platform)}, ${SUPPORT[support]}.`
}
