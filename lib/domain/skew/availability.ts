import type { Floor } from './floors'
import { FIRST_LIMIT, releaseFacts } from './releases'
import type { SkewState } from './types'
import { minorOf } from './version'

/** Whether a cluster holds its boot images to a limit at all, and if not, what is missing. */
export const AVAILABILITIES = [
  'enforced',
  'not-filled-yet',
  'no-field',
  'field-without-operator',
  'hosted',
  'no-configuration',
  'not-read',
] as const
export type Availability = (typeof AVAILABILITIES)[number]

export interface Available {
  availability: Availability
  /** Why the mode is not available, one sentence; null: it is. */
  why: string | null
}

export interface AvailabilityInput {
  /** The served MachineConfiguration has spec.bootImageSkewEnforcement; null: its schema could not be read. */
  supported: boolean | null
  /** null: no release that this cluster runs or goes to has an operator that acts on it. */
  floor: Floor | null
  /** null: there is no MachineConfiguration, or it may not be read. */
  state: Pick<SkewState, 'mode'> | null
  topology: string
  release: string | null
}

/** By what is served and said first, by the version last: a patch of a field that nobody acts on is stored and changes nothing. */
export function availabilityOf({ supported, floor, state, topology, release }: AvailabilityInput): Available {
  const named = `OpenShift ${(release && minorOf(release)) ?? 'of this version'}`
  if (topology === 'External' && !state?.mode)
    return no('hosted', 'The control plane is hosted elsewhere: boot images are replaced with their node pools there.')
  // Without a schema the release tells: before the first that has a limit nobody acts on the field, also where it is there.
  if (supported === false || (supported === null && !floor))
    return no('no-field', `${named} does not know a limit for boot images: the first that does is ${FIRST_LIMIT}.`)
  if (!floor) {
    const set = releaseFacts(release)?.featureSet
    return no(
      'field-without-operator',
      `The API of ${named} has the fields${set ? ` (${set})` : ''}, but no operator of that release acts on them: what is written there is stored and changes nothing.`,
    )
  }
  if (!state)
    return no(
      'no-configuration',
      'MachineConfiguration/cluster is missing: the Machine Config Operator has not made it yet.',
    )
  if (state.mode === null && supported === null)
    return no(
      'not-read',
      'Whether the API server knows a limit for boot images could not be read, and its operator does not say: whether boot images keep updates closed is not known.',
    )
  if (state.mode === null)
    return no('not-filled-yet', 'The operator has not said yet which mode applies; until then it blocks nothing.')
  return { availability: 'enforced', why: null }
}

const no = (availability: Availability, why: string): Available => ({ availability, why })

/** Whether an acknowledgement, an opt-out or a return would be acted on by anybody. */
export const canAct = (availability: Availability): boolean =>
  availability === 'enforced' || availability === 'not-filled-yet'
