import { db } from '@/lib/db/client'
import type { KubeObject } from '@/lib/kubernetes/types'
import { isAsked } from '@/lib/domain/changes'
import { STOPPED } from '@/lib/domain/latch/names'
import { changeOf, type Compared, type GroupChange } from '@/lib/providers/cluster-api/changes'
import { managed } from '@/lib/providers/cluster-api'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { holdOf, isHeld } from '@/lib/services/changes/hold-of'
import { awaitsWatch } from '@/lib/services/changes/let-go'
import { goesUnheld, wasLetGo } from '@/lib/services/changes/let-go-outside'
import { plannedOf } from '@/lib/services/changes/planned'
import { LIVE, OPEN, UNDER_WAY } from '@/lib/services/changes/states'
import { anyBegun } from '@/lib/services/changes/take-back'
import type { GateStatus } from '@/lib/services/gate/status'
import { askable } from '@/lib/services/updaters/for-cluster'
import { admit } from './admit'
import { aheadOf, isBackBeforeDate } from './ahead'
import { settleStored } from './adopt'
import { followSuperseded } from './after-end'
import { begin } from './begin'
import { holdsEdited, sourceFor } from './edited'
import { waitsForNamespaces } from './governed'
import { SOON_MS, type PlanContext, type Row } from './common'
import { untilLooked } from './dates'
import { goOn } from './go-on'
import { putOnHold } from './hold'
import { holdsAgain } from './hold-again'
import { keepLetGo } from './keep-let-go'
import { isInPlace, isStillKnown } from './known'
import { isByDate, isLetGoWith, pausedAtDate } from './let-go-with'
import { BY_MEMORY, rememberedBy } from './remembered'
import { reread } from './reread'
import { knownMidway } from './midway'
import { endedUnseen, nothingPending } from './nothing-pending'
import { asPoliciesSay } from './shape'
import { NOBODY_LET_GO } from './stop'
import { goesOnUnread, heldUnread } from './unread'
import { holdsUnplanned } from './unread-date'
import { upcoming } from './upcoming'
import type { OwnedGroup } from './verdicts'

const UNREAD_MS = 5_000
const UNWRITTEN_MS = 5_000
const isUnread = (pairs: GroupChange['pairs']): boolean => pairs.some(({ pair }) => pair.unread)

/** Held, and nothing of it begun, it goes as its policies have it written before that, and no sooner; where it could not be, as it is. */
async function toBeShaped(view: PlanContext['view'], live: KubeObject, open: Row | null): Promise<KubeObject> {
  if (!open || !isHeld(live) || !['waiting', 'rejected'].includes(open.state)) return live
  const said = await asPoliciesSay(view, live, open.shape)
  return said === live || (await anyBegun(db(), open.id)) ? live : said
}

/** What its Cluster has for the group, and what that changes; null: nothing, or of no machine. `later`: it is looked at again. */
async function comingOf({ view, source }: PlanContext, live: KubeObject, open: Row | null) {
  const comes = await upcoming(view, live, open)
  if (comes === null || comes === 'later') return comes
  const group = await asPoliciesSay(view, comes.group)
  const change = await changeOf(group, source, true, true)
  return change.pairs.length > 0 ? { ...comes, group, change } : null
}

/** Brings a group's change row in line with the cluster. Says when to look again; null: when something changes. */
export async function planGroup(context: PlanContext, group: KubeObject): Promise<number | null> {
  const found = await planned(context, group).catch(async (error: unknown) => {
    await holdsUnplanned(context, group, error)
    throw error
  })
  const ahead = untilLooked(group)
  const next = ahead === null ? found : Math.min(found ?? ahead, ahead)
  const under = await followSuperseded(context.view, group.metadata.uid)
  return under ? Math.min(next ?? under, under) : next
}

async function planned(context: PlanContext, live: KubeObject): Promise<number | null> {
  const { view } = context
  if (await settleStored(view, live)) return SOON_MS
  const open = await db().change.findFirst({
    where: { clusterId: view.clusterId, groupId: live.metadata.uid, state: { in: OPEN } },
    orderBy: { detectedAt: 'desc' },
    include: { decisions: { where: { state: { in: LIVE } }, orderBy: { recordedAt: 'desc' }, take: 1 } },
  })
  const { namespace = '', name } = live.metadata
  const key: OwnedGroup = { clusterId: view.clusterId, kind: live.kind, namespace, name, fence: view.fence }
  const shaped = await toBeShaped(view, live, open)
  const ahead = await aheadOf(live, open)
  const found = await changeOf(shaped, sourceFor(context.source, open), ...ahead).catch(async (error: unknown) => {
    await goesOnUnread(context, live, key, open, error)
    throw error
  })
  const isBack = open?.digest !== found.digest && (await isBackBeforeDate(view.clusterId, live, found))
  const now = isBack ? { ...found, pairs: [], fingerprint: '' } : found
  const coming = now.pairs.length === 0 ? await comingOf(context, live, open) : null
  const comes = coming === 'later' ? null : coming
  if (comes && !(await keepLetGo(view, live, now.digest))) return SOON_MS
  const { group, change } = comes ?? { group: live, change: now }
  const { digest } = change
  if (await awaitsWatch(view.clusterId, live, now.digest)) return SOON_MS
  // It could be read before: what is known of it stays until it can be again.
  if (open?.digest === digest && isUnread(change.pairs) && !changeSetOf(open).pairs.some(({ unread }) => unread))
    return (await heldUnread(context, live, key, open)) ?? UNREAD_MS
  if (change.pairs.length === 0) {
    const unseen = open && (await endedUnseen(open, digest, isHeld(group)))
    // What it goes with by now counts as what it was let go with only once its end is written.
    const kept = isHeld(group) || (!unseen && (await keepLetGo(view, group, digest)))
    const next = await nothingPending(context, group, key, open, change.replicas, digest, unseen)
    const again = coming === 'later' ? Math.min(next ?? UNREAD_MS, UNREAD_MS) : next
    return kept ? again : SOON_MS
  }
  const { kind } = key
  const of = { clusterId: view.clusterId, kind, namespace, name }
  const governed = { ...of, workloadCluster: workloadClusterOf(group), groupKind: kind, groupName: name }
  const [{ updaters, unknown }, cluster] = await Promise.all([
    askable(view.clusterId, governed),
    db().managementCluster.findUnique({
      where: { id: view.clusterId },
      select: { gateState: true, gateStatus: true },
    }),
  ])
  const registered = cluster?.gateState === 'registered'
  const gate = registered ? (cluster.gateStatus as unknown as GateStatus | null) : null
  const { clusterId, capabilities } = view
  const look = (compared: Compared) =>
    unknown === null
      ? context.book.look(compared, updaters, context.later)
      : { coverage: { unknown }, by: new Map<string, string>() }
  const wanted = await plannedOf(
    { clusterId, capabilities, updaters: updaters.map(({ name }) => name), gate, look },
    change,
  )
  if (open && (await reread(view, open, wanted))) return SOON_MS
  // What is replaced in any case (a restart by rollout.after) is asked of nobody: the gate does not hold it.
  const asked = change.pairs.some(({ pair }) => isAsked(pair))
  const kept = comes ? 'hook' : holdOf(capabilities, group, registered && asked)
  const goes = open?.digest === digest && kept !== 'latch' && kept !== 'hook'
  const edited = goes ? await holdsEdited(view, open, wanted) : null
  if (edited === 'held') return SOON_MS
  // What was edited begins nothing by what its change was let go with: until that can be held, it is followed as what it is.
  const { pairs } = wanted.changeSet
  const moved = open !== null && kept === 'latch' && isInPlace(open) && (await anyBegun(db(), open.id))
  const isKnown = edited !== null || (open !== null && isStillKnown(open, kept, pairs, moved))
  const same = open?.digest === digest && isKnown
  const decided = open?.decisions.some(({ mode }) => mode !== 'reject') && same
  const begins = !open || !same
  if (!begins && (await holdsAgain(view, group, open, kept))) return SOON_MS
  const atDate =
    begins && kept === 'person' ? await pausedAtDate(view.clusterId, group, { ...change, pairs }, open) : null
  const held = atDate?.words === null ? 'none' : kept
  if (begins && held === 'none' && (await waitsForNamespaces(view))) return SOON_MS
  // A date in what it was let go with comes later, and moves machines then.
  const byDate = pairs.some(isByDate)
  const again = begins && held === 'none' && (await isLetGoWith(view.clusterId, group, digest, byDate))
  const unheld = held === 'none' && (await goesUnheld(group.metadata.uid, digest, begins ? null : open))
  if ((held === 'none' && !unheld) || (held === 'gate' && decided)) await keepLetGo(view, group, digest)
  // What only the gate's answers or somebody's own pause keep back must not depend on them alone; unless those who may
  // took the hold away, or nothing held it when it began: whoever pauses that lets it go on as well.
  const begun = same && open !== null && UNDER_WAY.includes(open.state)
  const keptBack =
    held === 'person' ? !begun && !open?.decisions.length : held === 'gate' && (begins || !open.decisions.length)
  const freed = async () => open !== null && same && (open.heldBy === 'latch' || (await wasLetGo(open)))
  const remembered = keptBack && held === 'gate' ? await rememberedBy(context, group, pairs) : null
  // A control plane in the middle of replacing a machine would hang: it is held as soon as that one is through.
  const hold = keptBack && !(await freed())
  const midway = hold && begun && (await knownMidway(view, open))
  // By what Cluster API remembers it goes, whatever the gate would say.
  let goesUnasked = remembered === 'this'
  if (hold && !midway) {
    // What could not be held when it began is held in a later look, for the same reason.
    const stands = begins || begun || kept !== 'person'
    const why = stands ? atDate : await pausedAtDate(view.clusterId, group, { ...change, pairs }, open)
    const gated = begun ? `${STOPPED}${NOBODY_LET_GO.gated}` : (why?.words ?? undefined)
    const words = remembered && !begun ? BY_MEMORY : gated
    const put = await putOnHold(view, group, words, begun ? open : undefined, remembered !== null)
    // It is under way until it is held, and held as what it is.
    if ((begun || remembered) && put === 'again') return SOON_MS
    goesUnasked &&= put !== 'held'
  }
  const by = goesUnasked ? 'none' : held
  const author = comes ? comes.author : managed(group)
  const next = begins
    ? await begin(context, group, wanted, { hold: by, again, author, unasked: goesUnasked }, open)
    : // While it is in the middle of that, it goes on as it did.
      await goOn(context, group, key, wanted, midway ? 'none' : by, open)
  if (by === 'latch' || by === 'gate') await admit(view, group.metadata.uid)
  // Refused, it is written by nobody, and seen by no watch.
  const toWrite = shaped !== live && (open?.state === 'waiting' || open?.dueMode) ? UNWRITTEN_MS : null
  const soon = midway ? SOON_MS : toWrite
  return soon === null ? next : Math.min(next ?? soon, soon)
}
