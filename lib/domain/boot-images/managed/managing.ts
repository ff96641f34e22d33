import { platformWords } from '../../skew/platform-words'
import { managesBootImages } from '../../skew/effective'
import { firstManaging, releaseFacts } from '../../skew/releases'
import { NO_PLATFORM, type Managers, type Platform, type SkewState } from '../../skew/types'
import { parseVersion } from '../../skew/version'

/** What the served MachineConfiguration has of managed boot images, by its schema. */
export interface ManagedSchema {
  /** spec.managedBootImages */
  spec: boolean
  /** status.managedBootImagesStatus: which machine sets the operator manages. */
  status: boolean
  /** The mode None of a selection. */
  none: boolean
}

/** Which machine sets of a cluster are managed, as lists and filters call it. */
export const MANAGED_WORDS = {
  all: 'all machine sets',
  partial: 'some machine sets',
  none: 'off',
  'not-managed': 'not on this platform',
  'not-told': 'not told',
} as const
export type ManagedMode = keyof typeof MANAGED_WORDS
export const MANAGED_MODES = Object.keys(MANAGED_WORDS) as ManagedMode[]

/** How managed boot images are chosen on a cluster, and whether they can be. */
export interface Managing {
  /** Nothing is managed there, whatever is written. */
  never: boolean
  /** What is not known of it: neither its release nor what is served, or what it runs on; null: that is. */
  unknown: 'version' | 'platform' | null
  /** Why nothing can be chosen, and what to do; null: it can. */
  refused: { message: string; hint: string } | null
  /** The operator says which sets it manages; where it does not, it goes by spec and nothing else. */
  says: boolean
  /** "No machine set" is the mode None; before there was one, it is the empty list. */
  none: boolean
  /** All are managed where nothing is said of them. */
  byDefault: boolean
}

interface Cluster {
  version: string | null
  platform: Platform
  /** The platform as people tell it apart. */
  named: string
}

/** By what is served, and by the release where that tells nothing. `schema`: absent where it could not be read. */
export function managingOf(schema: ManagedSchema | null | undefined, { version, platform, named }: Cluster): Managing {
  const facts = releaseFacts(version)
  const support = facts?.machineSets[named]
  const says = schema?.status ?? facts?.says ?? true
  const known = managesBootImages(platform)
  const noVersion = !schema && !(version && parseVersion(version))
  const tooOld = schema?.spec === false || (!facts && !schema && !noVersion)
  const unknown = tooOld ? null : !platform.type ? 'platform' : known && noVersion ? 'version' : null
  const never = tooOld || (unknown !== 'platform' && (!known || (facts !== null && !support)))
  return {
    ...{ never, unknown, says, none: schema?.none ?? says, byDefault: !facts || support === 'on' },
    refused: refusal(),
  }

  function refusal(): Managing['refused'] {
    const release = version ? `OpenShift ${version.split('.').slice(0, 2).join('.')}` : 'The operator'
    const byHand = facts?.limit === 'enforced' ? ', then acknowledge the version.' : '.'
    const refused = { hint: `The API server refuses it there. Update the images by hand${byHand}` }
    const first = firstManaging(named)
    const since = first ? `: the first that does is ${first}` : ''
    if (unknown === 'platform')
      return {
        message: `${NO_PLATFORM}, and so not whether its operator updates boot images.`,
        hint: 'Try again when Infrastructure/cluster has been read.',
      }
    if (!known && platform.type)
      return { ...refused, message: `The operator does not update boot images on ${platformWords(named)}.` }
    if (unknown === 'version')
      return {
        message: 'The version of this cluster is not known, and so not whether its operator updates boot images.',
        hint: 'Try again when ClusterVersion has been read.',
      }
    if (tooOld) return { ...refused, message: `${release} does not know managed boot images.` }
    if (facts && !support)
      return { ...refused, message: `${release} does not update boot images on ${platformWords(named)}${since}.` }
    if (!says && support === 'preview')
      return {
        message: `${release} updates boot images on ${platformWords(named)} only as a technology preview.`,
        hint: 'Without the preview’s feature set what is written is stored and changes nothing, and nothing here tells whether it is on.',
      }
    return null
  }
}

/** What the operator goes by; undefined: nothing tells. */
export const goesBy = (
  { managers, effectiveManagers }: Pick<SkewState, 'managers' | 'effectiveManagers'>,
  { says, refused }: Pick<Managing, 'says' | 'refused'>,
): Managers => (says ? effectiveManagers : refused ? undefined : (managers ?? []))
