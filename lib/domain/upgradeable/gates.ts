import type { HistoryEntry } from '../skew/types'
import { compareVersions, parseVersion } from '../skew/version'
import type { Form, Gate, GateState, UpgradeFacts } from './types'

/** First release whose Cluster Version Operator reports risks (openshift/cluster-version-operator, pkg/risk). */
const FIRST_WITH_RISKS = [4n, 23n] as const

/** By the release that is at work, which during an update is the one to come; what cannot be read counts as new. */
export function formOf(desired: string | null): Form {
  const version = desired === null ? undefined : parseVersion(desired)
  return version && compareVersions(version.slice(0, 2), FIRST_WITH_RISKS) < 0 ? 'conditions' : 'risks'
}

/**
 * The version that gates are compared with. Up to 4.22 the newest completed one, and the oldest of all before one was; from 4.23 on
 * that of the Cluster Version Operator itself, so that during an update the gates of the release to come hold already.
 * Source: GetCurrentVersion (precondition/clusterversion), adminack.New.
 */
export function gatedVersion(form: Form, history: readonly HistoryEntry[], desired: string | null): string | null {
  if (form === 'risks') return desired
  return (history.find((h) => h.state === 'Completed') ?? history.at(-1))?.version ?? null
}

const NAME = /^ack-([4-5][.][0-9]+)-[^-]/

const secondOf = (version: string): string => version.split('.')[1] ?? ''

/**
 * Whether a gate stops clusters of this version. Up to 4.22 only the text between first and second dot is compared ("5.21" stops 4.21,
 * "4.08" stops nothing), from 4.23 on major and minor as numbers, and one with a zero in front is malformed.
 */
export function gateApplies(form: Form, name: string, version: string): 'yes' | 'no' | 'malformed' {
  const release = releaseOf(name)
  if (release === null) return 'malformed'
  if (form === 'conditions') return secondOf(release) === secondOf(version) ? 'yes' : 'no'
  if (/[.]0[0-9]/.test(release)) return 'malformed'
  const [a, b] = [parseVersion(release), parseVersion(version)]
  return a && b && compareVersions(a, b.slice(0, 2)) === 0 ? 'yes' : 'no'
}

export const releaseOf = (name: string): string | null => NAME.exec(name)?.[1] ?? null

/** The only value that counts: neither "True" nor "yes" does. */
export const ACKNOWLEDGED = 'true'

/** Names are whatever somebody wrote, also what every object has. */
const own = (data: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(data, name) ? data[name] : undefined

/** Every gate, and every acknowledgement without one, in the order in which a person has to look at them. */
export function judgeGates(form: Form, facts: Pick<UpgradeFacts, 'history' | 'desired' | 'gates' | 'acks'>): Gate[] {
  const version = gatedVersion(form, facts.history, facts.desired)
  const acks = facts.acks ?? {}
  const gates = Object.entries(facts.gates ?? {}).map(([name, text]): Gate => {
    const ack = own(acks, name) ?? null
    const known = facts.acks === undefined ? undefined : ack
    return { name, text, release: releaseOf(name), ack, state: stateOf(form, name, text, known, version) }
  })
  // Of gates that cannot be read nobody knows which are not asked for any more.
  const alone = Object.entries(facts.gates === undefined ? {} : acks)
    .filter(([name]) => own(facts.gates ?? {}, name) === undefined)
    .map(([name, ack]): Gate => ({ name, text: '', release: releaseOf(name), ack, state: 'no-gate' }))
  return [...gates, ...alone].sort((a, b) => ORDER[a.state] - ORDER[b.state] || (a.name < b.name ? -1 : 1))
}

function stateOf(
  form: Form,
  name: string,
  text: string,
  ack: string | null | undefined,
  version: string | null,
): GateState {
  // Before there is any history, the operator compares nothing.
  const applies = version === null ? (releaseOf(name) ? 'no' : 'malformed') : gateApplies(form, name, version)
  if (applies === 'malformed') return version === null && form === 'conditions' ? 'other-release' : 'malformed'
  if (applies === 'no') return 'other-release'
  if (text === '') return 'empty'
  if (ack === undefined) return 'unknown'
  return ack === ACKNOWLEDGED ? 'acknowledged' : 'waiting'
}

const ORDER: Record<GateState, number> = {
  waiting: 0,
  malformed: 1,
  empty: 2,
  unknown: 3,
  acknowledged: 4,
  'other-release': 5,
  'no-gate': 6,
}

/** Whether a gate in this state keeps updates closed. */
export const stops = (state: GateState): boolean => ORDER[state] < ORDER.unknown

/** The merge patch on admin-acks that acknowledges a gate, or takes that back. */
export const ackPatch = (name: string, acknowledged: boolean) => ({
  data: { [name]: acknowledged ? ACKNOWLEDGED : null },
})
