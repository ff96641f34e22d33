import { unapprovedThen } from '@/lib/domain/latch/approved-then'
import { GATE_ALONE_PLANE, madeUnaskedWords, UNASKED_BY_GATE } from '@/lib/domain/latch/gate-alone'
import {
  asLatched,
  BACK,
  NOT_NOW,
  PENDING_BEFORE,
  plainReason,
  SEEN_STORED,
  STOPPED,
  WAITING,
} from '@/lib/domain/latch/names'
import { isSinceLetGo } from '@/lib/domain/latch/since-let-go'
import type { OwnPause } from '@/lib/domain/rows'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { happenedWords, letGoBy } from './outcome-words'
import { isOver } from './machine-words'
import { isFree } from './standing-words'
import { ENDED_WHY } from './ended-words'
import { LET_GO } from './words'

type Held = Pick<
  UpdateDetail,
  | 'state'
  | 'heldBy'
  | 'groupKind'
  | 'decision'
  | 'decisions'
  | 'outcome'
  | 'letGoOutside'
  | 'letGoBefore'
  | 'beganUnheld'
  | 'movedBy'
  | 'machinesList'
  | 'firstSeen'
  | 'ended'
  | 'heldWords'
  | 'held'
> &
  Partial<
    Pick<
      UpdateDetail,
      | 'stopped'
      | 'governance'
      | 'heldAgainAt'
      | 'detectedAt'
      | 'begunUnapproved'
      | 'approvedThen'
      | 'unapproved'
      | 'madeUnasked'
    >
  >

/** What holds the change, or how it came that nothing does: only what is known. */
export function heldWords(change: Held): string {
  const { state, heldBy, decision, letGoOutside } = change
  switch (state) {
    case 'waiting':
    case 'rejected':
      return holdWords(change)
    case 'superseded':
      return change.ended === 'deleted' || change.ended === 'disconnected'
        ? `Before this was over, ${ENDED_WHY[change.ended]}.`
        : 'A newer change took its place.'
    case 'reverted':
      return 'The group was changed back: of this change there is nothing left to hold.'
    case 'approved':
      if (decision?.unanswered)
        return 'It is approved, and that was sent to the cluster; whether it took it is not known yet. Drydock tries it again.'
      return decision?.acceptedAt
        ? `${decision.byItself ? 'Its policy' : 'The approval'} let it go: the cluster has accepted it.`
        : 'It is approved, and held until the cluster has accepted that.'
  }
  // What was approved, stopped, and then let go by others was not let go by that approval.
  const approval = decision && decision.mode !== 'reject' && (decision.acceptedAt || decision.seenAt)
  if (approval && !(letGoOutside && decision.state === 'voided'))
    return decision.byItself ? 'Its policy asks nobody, and let it go.' : 'The approval let it go.'
  if (letGoOutside) return 'Its hold was taken away outside Drydock.'
  if (decision?.mode === 'reject' && !neverLetGo(change))
    return `An approval let it go, and ${decision.actorName} rejected it since: what had begun by then goes on to its end.`
  const { letGoBefore } = change
  if (letGoBefore?.stood) {
    const approved = `${letGoBefore.name} approved it ${letGoBefore.mode === 'replace' ? 'replacing' : 'in place'} before its cluster was disconnected, and`
    return letGoBefore.edited
      ? `${approved} the configuration of its machines was edited since.`
      : `${approved} that let it go.`
  }
  if (change.movedBy) return `${change.movedBy} disconnected its cluster, and it moved by that.`
  if (change.unapproved === 'by-date') return 'Its date is about to come, and nothing holds it yet.'
  if (heldBy === 'none') return 'It began without having been held.'
  return 'No decision made here let it go.'
}

const AT_HOOK =
  'Its Cluster has this version for it, and it has not got it yet: it is neither paused nor touched. Cluster API asks Drydock ' +
  'before it gives a version to the control plane, and to the first of the worker groups. A group that gets one unapproved ' +
  'is held from that very write on.'

type Freed = Pick<
  Held,
  'letGoOutside' | 'letGoBefore' | 'beganUnheld' | 'movedBy' | 'decisions' | 'outcome' | 'machinesList' | 'stopped'
> &
  Partial<
    Pick<UpdateDetail, 'firstSeen' | 'heldAgainAt' | 'detectedAt' | 'approvedThen' | 'governance' | 'held' | 'outlook'>
  >

/** No decision made here ever let it go, nor before its cluster was disconnected: whatever moved did so without one. */
const neverLetGo = ({ decisions, letGoBefore }: Freed): boolean =>
  !letGoBefore && !decisions.some(({ mode, acceptedAt }) => mode !== 'reject' && acceptedAt !== null)

const saidThen = (change: Freed): string => unapprovedThen(change.approvedThen ?? null, !neverLetGo(change))

/** Also what has begun and is not through: the outcome counts what is. */
function movedWords(change: Freed): string {
  const coming = change.machinesList.filter(
    ({ state, progress }) => state && progress?.state === 'created' && !progress.finishedAt,
  )
  const deleting = change.machinesList.filter(
    ({ state, progress }) => state && progress?.state === 'deleting' && !progress.ill && !progress.byOthers,
  ).length
  const { outcome } = change
  const happened = outcome && { ...outcome, deleting: 0, deleted: Math.max(0, outcome.deleted - deleting) }
  return [
    happenedWords({ outcome: happened }),
    deleting > 0 && `${deleting} being deleted`,
    coming.length > 0 && `${coming.length} being created`,
  ]
    .filter(Boolean)
    .join(', ')
}

type Moved = Freed & Pick<Held, 'state' | 'heldWords' | 'groupKind' | 'ended' | 'begunUnapproved' | 'madeUnasked'>

/** What moved of what waits, before anybody approved it, or of what is over, and nobody did. Null: nothing did. */
export function movedUnapproved(change: Moved): string | null {
  const { state, letGoOutside, heldWords, madeUnasked = [] } = change
  const happened = movedWords(change)
  const waits = state === 'waiting' || state === 'rejected'
  if (waits && change.groupKind === 'MachineConfigPool') return nodesUnapproved(change)
  // Once its hold was taken away more moved than that.
  if (madeUnasked.length > 0 && !letGoOutside)
    return `${madeUnaskedWords(madeUnasked.length, !neverLetGo(change))} (${namedWords(madeUnasked)}): ${UNASKED_BY_GATE}.`
  // Of a pool by the nodes that are on record; one that was never held has none there.
  if (isOver(state)) return wereUnapproved(change) ?? (happened ? overUnapproved(change, happened) : null)
  const stopped = letGoOutside || !!heldWords?.startsWith(STOPPED)
  if (!waits || !happened || !stopped || !neverLetGo(change)) return null
  return `${unapprovedWords(change)}: ${happened}.`
}

type Stuck = Pick<UpdateDetail, 'state' | 'stuckReason'> & Partial<Pick<UpdateDetail, 'groupKind' | 'machinesList'>>

/**
 * Held, and what it had begun hangs all the same: also where no more is known than that. Or one hangs that has not begun; of a pool also
 * nodes that had begun with what was wanted before.
 */
export function begunStuck({ state, stuckReason, groupKind, machinesList = [] }: Stuck): string | null {
  if (state === 'stuck' || isOver(state)) return null
  if (stuckReason) {
    const on = machinesList.find(({ name }) => stuckReason.startsWith(`${name}: `))
    return `${on?.progress?.startedAt === null ? 'Stuck besides' : 'What it had begun is stuck'}: ${stuckReason}`
  }
  if (groupKind !== 'MachineConfigPool' || (state !== 'waiting' && state !== 'rejected')) return null
  const stuck = machinesList.flatMap((node) => (node.stuck ? [`${node.name}: ${node.stuck}`] : []))
  if (stuck.length === 0) return null
  const nodes =
    stuck.length === 1 ? 'A node of the pool is stuck' : `${stuck.length} nodes of the pool are stuck, among them`
  return `${nodes}${stuck.length === 1 ? ':' : ''} ${stuck[0]}`
}

const unapprovedWords = (change: Freed): string =>
  `${saidThen(change)} when it moved, for ${change.letGoOutside ? 'its hold was taken away outside Drydock' : 'nothing held it then'}`

/** By name: nobody looks for what moved among the machines of what is over. */
function overUnapproved(change: Moved, happened: string): string | null {
  const { letGoOutside, beganUnheld, machinesList } = change
  const names = machinesList.flatMap(({ name, progress }) =>
    progress?.startedAt && !progress.byOthers && !progress.ill ? [name] : [],
  )
  if (!(letGoOutside || beganUnheld) || !neverLetGo(change) || names.length === 0) return null
  return `${unapprovedWords(change)}: ${happened} (${namedWords(names)}).`
}

/** Of a pool each node is known that began before the pool was paused. */
function nodesUnapproved(change: Freed): string | null {
  const begun = change.machinesList.flatMap(({ name, progress }) =>
    progress?.startedAt ? [{ name, at: progress.startedAt }] : [],
  )
  if (begun.length === 0 || !neverLetGo(change)) return null
  const taken = change.letGoOutside ? ', for its hold was taken away outside Drydock' : ''
  return `${saidThen(change)} when ${begunNodes(
    begun.map(({ name }) => name),
    taken,
  )} ${pausedWhen(change, begun)}; what has begun goes through to the end.`
}

/** Somebody may have taken that pause away since. */
function pausedWhen({ heldAgainAt, detectedAt }: Freed, begun: readonly { at: string }[]): string {
  if (!heldAgainAt) return 'The pool was paused only after that'
  const first = detectedAt === undefined ? Infinity : Date.parse(detectedAt) + NEAR_MS
  return begun.every(({ at }) => Date.parse(at) > first)
    ? 'Drydock had paused the pool before that, somebody took that away, and it is paused again'
    : 'Drydock paused the pool, somebody took that away meanwhile, and it is paused again'
}

/** What was approved since, or never, and is over: by what is on record. */
function wereUnapproved(change: Moved): string | null {
  const { begunUnapproved: names = [], outcome, ended, state } = change
  if (names.length === 0) return null
  const followed = state === 'superseded' && ended === 'newer'
  const end = !followed
    ? ''
    : outcome?.begun
      ? ' What had begun goes through to the end, although a newer change took its place.'
      : outcome?.failed
        ? ''
        : ' What had begun went through to the end, although a newer change took its place.'
  return `${saidThen(change)} when ${begunNodes(names)}${end}`
}

/** "2 nodes began to take it up: a, b." */
function begunNodes(names: readonly string[], why = ''): string {
  return `${names.length === 1 ? 'a node' : `${names.length} nodes`} began to take it up${why}: ${namedWords(names)}.`
}
const NAMED = 5
const namedWords = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`

function holdWords(change: Held): string {
  const { heldBy, groupKind, letGoOutside, heldWords, held } = change
  if (heldBy === 'person') {
    const why = letGoOutside ? 'its hold was taken away outside Drydock' : 'it is not governed here'
    const what = groupKind === 'MachineConfigPool' ? 'pool' : 'group'
    const moves = `Somebody paused the ${what}, and ${why}: it moves as soon as that pause is taken away`
    return isFree(change) ? `${moves}.` : `${moves}, whatever is decided here.`
  }
  if (heldBy === 'none') return 'Nothing holds it.'
  if (heldBy === 'hook') return AT_HOOK
  if (groupKind === 'MachineConfigPool')
    return `${poolSince(heldWords, change)} While it is held, its nodes take up nothing else either; ${change.governance?.latchForm === 'watch' ? 'whoever may patch the pool can resume it, and Drydock pauses it again, but not while it is down.' : releases(change)}`
  const side =
    groupKind === 'KubeadmControlPlane'
      ? 'it neither scales nor remediates its machines'
      : held?.scaling
        ? 'new machine sets are not made'
        : 'it does not scale, and new machine sets are not made'
  if (heldBy === 'latch') return `${heldSince(heldWords, change)} While it is held, ${side}; ${releases(change)}`
  return `The update gate answers Cluster API with an error until it is decided; the group itself is not paused.${groupKind === 'KubeadmControlPlane' ? ` ${GATE_ALONE_PLANE}` : ''}`
}

/** Its guard went with the latch. */
const releases = ({ governance, groupKind }: Held): string =>
  governance?.latchForm === 'none'
    ? `nothing guards that: no latch is installed there, and anybody who may edit the ${groupKind === 'MachineConfigPool' ? 'pool' : 'group'} can let it go.`
    : 'no outage of Drydock releases it.'

/** The same of a pool: how strongly it was held shows here. */
function poolSince(said: string | null, change: Freed): string {
  const words = said && asLatched(said)
  const starts = change.machinesList.flatMap(({ progress }) => progress?.startedAt ?? [])
  const begun = starts.length
  const paused =
    change.outlook?.pool?.image === undefined
      ? 'Drydock paused the pool when it saw the configuration, after that was stored'
      : 'Drydock paused the pool when it saw which OS image is wanted, which no write to the pool says'
  if (words === SEEN_STORED && change.heldAgainAt)
    return `${paused}, and paused it again after somebody had taken that away: ${begunSince(starts, change.heldAgainAt, change.detectedAt)}, and go through to the end.`
  if (words === SEEN_STORED)
    return begun > 0
      ? `${paused}: ${begun === 1 ? 'a node' : `${begun} nodes`} had begun by then, and go through to the end.`
      : `${paused}: up to maxUnavailable nodes may have begun, and go through to the end.`
  if (words?.startsWith(WAITING))
    // By then the pool may have been paused for the one before it.
    return `The API server itself held the configuration in the write that brought it${begun > 0 ? '' : ': no node has begun it'}.`
  return heldSince(words, change).replaceAll('the group', 'the pool').replaceAll('The group', 'The pool')
}

/** Where the pause was taken away meanwhile: what began before that is told apart where it was seen well before. */
function begunSince(starts: readonly string[], heldAgainAt: string, detectedAt?: string): string {
  if (starts.length === 0) return 'up to maxUnavailable nodes may have begun each time'
  const again = Date.parse(heldAgainAt)
  const all = starts.map((start) => Date.parse(start))
  const before = all.filter((start) => start < again).length
  const near = all.some((start) => Math.abs(again - start) < NEAR_MS && start < again)
  const sure = !near && detectedAt !== undefined && again - Date.parse(detectedAt) > NEAR_MS
  const apart = !sure ? '' : `, ${before === 0 ? 'none' : before} of them before that`
  return `${starts.length === 1 ? 'a node has' : `${starts.length} nodes have`} begun by now${apart}`
}
/** So long a node's beginning may take to be seen. */
const NEAR_MS = 5_000

/** Of a group that was not governed any more, and kept its hold: the latch held nothing of it anew. */
const cameToHold = ({ governance, held, detectedAt, firstSeen }: Freed): boolean =>
  governance?.governed === false &&
  !firstSeen &&
  Date.parse(held?.since ?? '') < Date.parse(detectedAt ?? '') - WRITTEN_MS
/** What a write brings is seen so long after it, at the most. */
const WRITTEN_MS = 60_000

/** Who put the hold there, by its own words: the latch, Drydock itself, or a rejection. */
function heldSince(said: string | null, change: Freed): string {
  const words = said && asLatched(said)
  if (words === PENDING_BEFORE)
    return 'Drydock put the group on hold when it found it: the change was already pending when the latch came.'
  if (words?.startsWith(STOPPED)) {
    const why = words.slice(STOPPED.length)
    // Connected anew, how it had come to that is not known.
    if (change.firstSeen && neverLetGo(change) && !change.letGoOutside && !change.beganUnheld)
      return `Drydock held it already when it first saw it here: ${plainReason(words).replace(/\.$/, '')}.`
    const wasLetGo = isSinceLetGo(why) && !change.beganUnheld && !change.letGoOutside
    if (neverLetGo(change) && !wasLetGo) {
      const happened = movedWords(change)
      // It was held before anything of it began.
      if (!happened && !change.beganUnheld && !change.letGoOutside && !change.movedBy)
        return `Drydock holds it: ${plainReason(words).replace(/\.$/, '')}.`
      const [went, again] = change.letGoOutside
        ? ['Its hold was taken away outside Drydock, and it went', ' again']
        : change.movedBy
          ? [`${change.movedBy} disconnected its cluster, and it went`, ' again']
          : ['It began without having been held, and went', '']
      const told = `${went} ${change.approvedThen ? 'before it was let go' : 'without an approval'}${happened && `: ${happened}`}.`
      return `${told} Drydock holds it${again}: ${plainReason(words).replace(/\.$/, '')}.`
    }
    // Where it stopped by itself, and why, stands above.
    if (change.stopped && why.endsWith(change.stopped.why))
      return 'Drydock holds it again after it had been let go: it stopped by itself.'
    return why.startsWith(NOT_NOW)
      ? `Drydock holds it again after it had been let go: ${why.slice(NOT_NOW.length)}.`
      : `Drydock stopped it after it had been let go: ${why}.`
  }
  if (words === SEEN_STORED)
    return 'Drydock paused the group when it saw the change, after that was stored: this API server can carry no latch.'
  if (words?.startsWith(BACK)) return 'Drydock paused the group in the write that took it back.'
  if (words?.startsWith(WAITING))
    return cameToHold(change)
      ? 'The group was held already when this change came.'
      : 'The API server itself paused the group in the write that brought the change.'
  return 'The group is paused on the API server.'
}

/** What whoever paused a group themselves has to remove, by its names; of what was not read yet there are none. */
export const pausedAt = (own: OwnPause | null): string[] => [
  ...(own?.annotation ? ['cluster.x-k8s.io/paused'] : []),
  ...(own?.spec ? ['spec.paused'] : []),
]

/** Let go by a decision that the cluster has accepted, and nothing but that pause keeps it. */
export const goesOn = (change: Pick<UpdateDetail, 'state' | 'decision' | 'paused' | 'stopped' | 'step'>): boolean => {
  const { state, paused, stopped, step } = change
  const decision = letGoBy(change)
  const accepted = decision !== null && ['accepted', 'seen'].includes(decision.state)
  return LET_GO.includes(state) && accepted && !paused && !stopped && !step
}

/** Behind that: when it can be removed, and what comes of it. `goesOn`: nothing else keeps it. */
export function pauseGoesWords(own: OwnPause | null, goesOn: boolean): string {
  const what = own ? '' : 'it'
  if (own?.annotation && own.guarded)
    return ', once Drydock’s own hold is gone: until then the API server lets nobody remove that annotation.'
  return goesOn ? `${what}. That is enough: it goes on then.` : `${what}.`
}

/** Behind what a pause of its Cluster is taken away with: what comes of that. */
export function clusterGoesWords(change: Parameters<typeof goesOn>[0] & Pick<UpdateDetail, 'heldBy' | 'held'>): string {
  const { state, heldBy, held } = change
  if (held?.theirs === 'cluster' && goesOn(change)) return '. That is enough: it goes on then.'
  return state === 'waiting' && heldBy !== 'person' && heldBy !== 'none'
    ? '. Approved before that, it begins only then.'
    : '.'
}

/** Of a pool: the same, before and after its page. What lets its change go leaves a person's pause, and takes away what keeps people from resuming. */
export const poolPauseWords = (own: OwnPause | null, goesOn: boolean): [before: string, after: string] =>
  own?.guarded
    ? [
        'Somebody paused the pool themselves, and letting this change go leaves that pause. Resuming the pool comes after that, on ',
        ' or in the cluster; before, Drydock’s own hold stays.',
      ]
    : [
        'Somebody paused the pool themselves: it is resumed on ',
        goesOn ? ', or in the cluster. That is enough: it goes on then.' : ', or in the cluster.',
      ]

/** Where no node is left that has not begun. */
export const PAUSE_STOPS_NONE =
  'Somebody paused the pool themselves. That stops no node that has begun, and no other is left: whatever configuration comes next waits.'
