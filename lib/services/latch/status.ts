import type { LatchFinding } from '@/lib/domain/latch/diff'
import { watchStatus, type WatchNow } from './watch-now'

export type LatchStateName =
  | 'none' // not installed, nothing governed
  | 'unlatched' // groups are governed, but no latch was installed
  | 'unmanaged' // found in the cluster, not installed from here (Git)
  | 'intact'
  | 'missing'
  | 'changed'
  | 'not-ours'
  | 'ineffective' // all there, but a trial write was not held; or a change was seen and could not be paused
  | 'untried' // all there, and the API server refused the trial write before the latch had a say
  | 'watching' // nothing in the API server: Drydock watches and pauses
  | 'not-watching' // it should, and does not at this moment
  | 'unreachable' // the webhook form, and the API server cannot call it: rollout-causing writes are refused
  | 'unknown' // the cluster could not be asked

/** ManagementCluster.latchStatus. */
export interface LatchStatus {
  state: LatchStateName
  message: string
  findings: LatchFinding[]
  /** A dry run of a rollout-causing write: came back held, or not; null where nothing is governed yet. */
  proved: boolean | null
  /** Address of the gate's /latch, for the webhook form. */
  webhookUrl?: string
  /** That address, where somebody chose it. Installing writes it, removing takes it away; a check leaves it. */
  chosenUrl?: string
  /** The webhook form is still there beside the policies, until a person takes it away. */
  beside?: boolean
  /** Of the form in which Drydock watches and pauses. */
  watch?: true
  /** Drydock still watches and pauses beside a stronger form, until a person ends that. */
  watchesBeside?: boolean
  /** Since when it is so, where that is known. */
  since?: string
  /** Where there are pools beside Cluster API's groups: how each is held. `state` is that of whichever needs somebody. */
  parts?: { clusterApi: LatchPart; pools: LatchPart }
}

export interface LatchPart extends Pick<LatchStatus, 'state' | 'message' | 'watch' | 'since'> {
  /** Why it could not be put there, in the API server's words, where that was tried. */
  refused?: string
}

/** As it should be: there is nothing to repair in the cluster. */
export function isWhole({ state, watch, parts }: Pick<LatchStatus, 'state' | 'watch' | 'parts'>): boolean {
  if (parts) return [parts.clusterApi, parts.pools].every((part) => isWhole({ ...part, parts: undefined }))
  return state === 'intact' || state === 'untried' || (watch === true && state !== 'missing')
}

/** What Drydock puts right by itself. */
export const isRepairable = ({ state }: Pick<LatchStatus, 'state'>): boolean => ['missing', 'changed'].includes(state)

/** Of both parts: what can be put right first, then whatever needs somebody, and what is not known of one last. Each says what it is. */
export function ofParts(
  parts: Required<LatchStatus>['parts'],
): Pick<LatchStatus, 'parts' | 'state' | 'message' | 'since'> {
  const both = [parts.clusterApi, parts.pools]
  const fine = ({ state }: LatchPart) => state === 'intact' || state === 'watching'
  const known = both.filter(({ state: its }) => its !== 'untried')
  const needing = both.find(isRepairable) ?? known.find((part) => !fine(part)) ?? both.find((part) => !fine(part))
  const { state, since } = needing ?? parts.clusterApi
  return { parts, state, message: both.map(({ message }) => message).join(' '), ...(since ? { since } : {}) }
}

/** Where governed groups may be unprotected, or nobody can write to them, in a word or two: the fleet and the list of clusters show it loudly. */
const TROUBLE: Partial<Record<LatchStateName, string>> = {
  unlatched: 'latch not installed',
  missing: 'latch incomplete',
  changed: 'latch changed',
  'not-ours': 'latch not Drydock’s',
  ineffective: 'latch without effect',
  untried: 'latch not tried',
  unknown: 'latch not checked',
  'not-watching': 'not watched now',
  unreachable: 'writes refused',
}

/** No worker follows the cluster: whether one answers its webhook is not known then. */
export type Away = { since: string | null } | null

/** What is known of the latch of a cluster with governed groups, from its row, and whether it may not protect them. */
export function latchOf(
  form: string,
  found: unknown,
  watch: WatchNow | undefined,
  away: Away,
): Pick<LatchStatus, 'state' | 'message' | 'since'> & { trouble: string | null } {
  const known = asItIs(form, found as LatchStatus | null, watch, away)
  const state = known?.state ?? (form === 'none' ? 'unlatched' : 'unknown')
  // Groups were chosen since it was looked at: what was nothing then is a lack now.
  const now = state === 'none' ? 'unlatched' : state
  const message = known && now === state ? known.message : messageFor({ state: now, findings: [] })
  const trouble = away && now === 'unreachable' ? 'writes may be refused' : (TROUBLE[now] ?? null)
  return { state: now, message, trouble, ...(known?.since ? { since: known.since } : {}) }
}

/** What was last found; of what Drydock watches and pauses, and of a webhook that perhaps nobody answers, how that is now. */
export function asItIs(
  form: string,
  known: LatchStatus | null,
  watch: WatchNow | undefined,
  away: Away,
): LatchStatus | null {
  if (watch && !watch.poolsOnly && (!known || known.watch || known.state === 'unknown')) return watchStatus(watch)
  const now = watch?.poolsOnly ? withPools(known, watch) : known
  const called = form === 'webhook' || now?.beside === true
  if (!away || !called || now?.state === 'missing') return now
  const { parts, ...rest } = now ?? { findings: [] }
  const unreachable: LatchPart = { state: 'unreachable', message: PERHAPS_UNANSWERED }
  // Of pools that are held by pausing, that nobody does is said besides.
  const told = parts?.pools.watch ? ofParts({ clusterApi: unreachable, pools: parts.pools }) : unreachable
  return { ...rest, ...told, proved: null, ...(away.since ? { since: away.since } : {}) }
}

/** Pools are watched beside the latch of Cluster API's groups: how that is now. */
function withPools(known: LatchStatus | null, watch: WatchNow): LatchStatus | null {
  if (!known?.parts?.pools.watch || known.state === 'unknown') return known
  const { since: _old, ...rest } = known
  return { ...rest, ...ofParts({ ...known.parts, pools: partOf(watchStatus(watch)) }) }
}

export const partOf = ({ state, message, watch, since }: LatchStatus): LatchPart => ({
  ...{ state, message },
  ...(watch ? { watch } : {}),
  ...(since ? { since } : {}),
})

const PERHAPS_UNANSWERED =
  'No worker of Drydock follows this cluster, so nobody knows whether one answers the latch’s webhook: while none does, the API server refuses writes that would roll out governed groups. What is held stays held.'

const WATCHES =
  ' Drydock still watches and pauses, too, for API servers by which the latch does not hold yet: end that when it holds by all of them.'

const BESIDE =
  ' The webhook of before is still there and holds, too, for API servers that have no policies yet: take it away when all of them are upgraded.'

export const besideWords = ({ beside, watchesBeside }: Pick<LatchStatus, 'beside' | 'watchesBeside'>): string =>
  `${beside ? BESIDE : ''}${watchesBeside ? WATCHES : ''}`

export function messageFor(about: Omit<LatchStatus, 'message' | 'proved'>): string {
  const { state, findings, webhookUrl, beside, watchesBeside } = about
  const which = findings
    .filter((f) => f.state !== 'intact')
    .map((f) => `${f.kind} ${f.name}${f.differences.length ? ` (${f.differences.join(', ')})` : ''}`)
    .join('; ')
  switch (state) {
    case 'none':
      return 'No groups are governed.'
    case 'unlatched':
      return 'Groups are chosen to be governed, but the latch is not installed: nothing holds their changes.'
    case 'unmanaged':
      return 'Drydock’s latch is in this cluster, but was not installed from here. Install it to have it checked and repaired.'
    case 'intact':
      return `The latch is in place, as it should be.${besideWords({ beside, watchesBeside })}`
    case 'missing':
      return `Parts of the latch are missing: ${which}.`
    case 'changed':
      return `Parts of the latch were changed: ${which}.`
    case 'not-ours':
      return `Objects that Drydock did not make have the latch’s names: ${which}. Rename or delete them; Drydock does not overwrite them.`
    case 'ineffective':
      return 'The latch is there, but a trial write to a governed group was not held. Is the admission plug-in or feature gate off on this API server?'
    case 'untried':
      return 'The latch stands there; whether it holds could not be tried.'
    case 'unreachable':
      return `The API server cannot reach the latch’s webhook at ${webhookUrl ?? 'its address'}: until it can, writes that would roll out governed groups are refused.`
    case 'watching':
    case 'not-watching':
      return 'Drydock watches the governed groups and pauses what changed.'
    case 'unknown':
      return 'The cluster could not be asked.'
  }
}
