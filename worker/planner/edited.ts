import { db } from '@/lib/db/client'
import { configsEdited, editedIn, isRule, movesNow, sameContent, type RevisionPair } from '@/lib/domain/changes'
import { SINCE_LET_GO } from '@/lib/domain/latch/since-let-go'
import { capital } from '@/lib/domain/text'
import { namedIn } from '@/lib/kubernetes/paths'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { wholeWanted, type ObjectSource } from '@/lib/providers/cluster-api/changes'
import { recordAudit } from '@/lib/services/audit/record'
import { pairsApproved, type ApprovedPair } from '@/lib/services/changes/approved-pairs'
import { continuedOfChange } from '@/lib/services/changes/continued'
import { movingUnapproved, NOT_HELD } from '@/lib/services/changes/let-go-outside'
import { outlookIn } from '@/lib/services/changes/change-row'
import { bringsSpare, type Planned } from '@/lib/services/changes/planned'
import { standsAtDate } from '@/lib/services/changes/policy-forbids'
import { UNDER_WAY } from '@/lib/services/changes/states'
import { withConfig } from '@/lib/services/changes/with-config'
import { systemCtx } from '@/lib/services/context'
import { log } from '../log'
import type { ClusterView } from '../types'
import { owned, type Row } from './common'
import { isNearDate } from './dates'
import { isSettled, wantsElse } from './hold-again'
import { knownMidway } from './midway'
import { NotHeld, stop } from './stop'

/** Cluster API makes each machine by what its template says then: of what goes, that is read so often. */
const GOING_MS = 5_000

/** Templates of what is let go are not taken from memory for long. */
export const sourceFor = (source: ObjectSource, open: Row | null): ObjectSource =>
  open && UNDER_WAY.includes(open.state)
    ? { ...source, template: (ref, namespace) => source.template(ref, namespace, GOING_MS) }
    : source

/**
 * What its machines are to be was edited since it was let go, or what was let go in place would be replaced by now: what has not begun is
 * held again, for nobody approved that. Whether what differs is another says nothing of that: a template of before may be gone, or its date
 * have come. 'midway': it is held once the machine that is in a move is through. 'refused': the API server does not let Drydock hold it;
 * that is tried again each time. Until it is held it is followed. Null: it is what was approved.
 */
export async function holdsEdited(
  view: ClusterView,
  open: Row,
  planned: Planned,
): Promise<'held' | 'midway' | 'refused' | null> {
  const approved = await approvedOf(open)
  if (!approved) return null
  const why = whyHeld(approved, planned, outlookIn(open).spareFirst) ?? (await whyNotAtDate(open, planned))
  return why === null ? null : holdsFor(view, open, why, approved.since)
}

/**
 * The same where it cannot be compared, for what its machines were made from cannot be read: whether what they are to be was edited since,
 * as far as that can.
 */
export async function holdsEditedUnread(view: ClusterView, open: Row, group: KubeObject, source: ObjectSource) {
  const approved = await approvedOf(open)
  if (!approved) return null
  const { whole, read } = await wholeWanted(group, sourceFor(source, open))
  const now = approved.pairs.map(({ from }) => withConfig({ from }, whole))
  const isEdited = editedIn(approved, { pairs: now }).some((part) => read.includes(part))
  return isEdited ? holdsFor(view, open, SINCE_LET_GO.edited, approved.since) : null
}

async function holdsFor(
  view: ClusterView,
  open: Row,
  why: string,
  since: Date,
): Promise<'held' | 'midway' | 'refused'> {
  if (await knownMidway(view, open)) return 'midway'
  try {
    await stop(view, open, why, {
      isPast: open.decisions.length > 0 ? wantsElse(open) : isSettled(view.clusterId, open),
    })
    return 'held'
  } catch (error) {
    if (!(error instanceof NotHeld || error instanceof KubeError)) throw error
    log.error({ cluster: view.name, change: open.id, err: error }, 'what is not what was let go any more is not held')
    await recordNotHeld(view, open, why, since)
    return 'refused'
  }
}

interface Approved {
  pairs: readonly ApprovedPair[]
  since: Date
  inPlace: boolean
}

/** What it goes by, and since when: the decision in force, or the one that was when its cluster was disconnected. Null: by none. */
async function approvedOf(open: Row): Promise<Approved | null> {
  const [decision] = open.decisions
  if (decision) {
    const isInForce = decision.mode !== 'reject' && ['accepted', 'seen'].includes(decision.state)
    const inPlace = decision.mode === 'in-place'
    return isInForce ? { pairs: pairsApproved(decision, open), since: decision.recordedAt, inPlace } : null
  }
  if ((await movingUnapproved(db(), [open.id])).get(open.id) !== 'left') return null
  if ((await db().group.count({ where: { id: open.groupId, governed: true } })) === 0) return null
  const { approved: pairs, letGoBy } = (await continuedOfChange(db(), open.id)) ?? {}
  return pairs ? { pairs, since: open.detectedAt, inPlace: letGoBy?.mode === 'in-place' } : null
}

/** Null: it goes on as it was approved. */
function whyHeld({ pairs, inPlace }: Approved, planned: Planned, spareFirst?: boolean): string | null {
  if (configsEdited({ pairs }, planned.changeSet) || isOfAnother(pairs, planned)) return SINCE_LET_GO.edited
  if (!inPlace) return null
  if (spareFirst === false && bringsSpare(planned.change)) return SINCE_LET_GO.spare
  const now = planned.changeSet.pairs
  const prints = new Set(pairs.map(({ fingerprint }) => fingerprint))
  if (now.some(({ lost, fingerprint }) => lost && !prints.has(fingerprint))) return SINCE_LET_GO.lost
  if (now.some((pair) => isRuledSince(pairs, pair))) return SINCE_LET_GO.ruled
  const plane = planned.change.owner.kind === 'KubeadmControlPlane'
  return plane && now.some((pair) => isUnaskedSince(pairs, pair)) ? SINCE_LET_GO.unasked : null
}

/** Before its date: by its approvals does not go what that moves by now. */
async function whyNotAtDate(
  open: Row,
  { change: { replicas }, changeSet: { pairs } }: Planned,
): Promise<string | null> {
  const [decision] = open.decisions
  const { notBefore } = outlookIn(open)
  if (!decision || !notBefore || !isNearDate(notBefore) || pairs.some(movesNow)) return null
  return (await standsAtDate({ ...decision, change: open }, { pairs, replicas })) ? null : SINCE_LET_GO.byDate
}

/** What was approved of it; of one that came since, of all. */
const before = (approved: readonly ApprovedPair[], from: string): readonly ApprovedPair[] => {
  const was = approved.filter((pair) => pair.from === from)
  return was.length > 0 ? was : approved
}

/** It would have been updated where it stands, and is replaced by now. What cannot be read, or made, says nothing of that. */
export const isUnaskedSince = (
  approved: readonly ApprovedPair[],
  { from, certainReplace, later, unread, missing }: Omit<RevisionPair, 'machines'>,
): boolean =>
  certainReplace !== undefined &&
  !(later ?? unread ?? missing) &&
  !before(approved, from).some((pair) => pair.certainReplace)

/** By another rule than was known of it, or of those before it, when it was approved: that has its date, and goes by the same approval. */
export function isRuledSince(
  approved: readonly ApprovedPair[],
  { from, changes, later }: Pick<RevisionPair, 'from' | 'changes' | 'later'>,
): boolean {
  const known = new Set(before(approved, from).flatMap((pair) => pair.changes.map(({ path }) => path)))
  return !later && changes.some((change) => isRule(change) && !known.has(change.path))
}

/** A machine set or machine that came since has another configuration than any that was approved. */
export function isOfAnother(
  approved: readonly ApprovedPair[],
  { changeSet: { pairs } }: Pick<Planned, 'changeSet'>,
): boolean {
  const from = new Set(approved.map((pair) => pair.from))
  const configs = approved.flatMap(({ config }) => (config ? [config] : []))
  const templates = new Set(approved.flatMap((pair) => pair.templates ?? []))
  return pairs
    .filter((pair) => !from.has(pair.from))
    .some(
      (pair) =>
        (configs.length > 0 && pair.config && !configs.some((config) => sameContent(config, pair.config))) ||
        (templates.size > 0 && pair.templates && !templates.has(pair.templates)),
    )
}

/** Once for each word that let it go: it goes on with what nobody approved, until the API server lets Drydock hold it. */
async function recordNotHeld(view: ClusterView, open: Row, why: string, since: Date): Promise<void> {
  const { id, groupKind, namespace, groupName, summary } = open
  const of = { action: NOT_HELD, reason: `${capital(why)}, and the API server does not let Drydock hold it.` }
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    if ((await tx.auditEvent.count({ where: { ...of, targetKind: groupKind, targetId: id, at: { gte: since } } })) > 0)
      return
    await recordAudit(tx, systemCtx('planner'), {
      ...of,
      target: { kind: groupKind, id, name: namedIn(namespace, groupName) },
      cluster: { id: view.clusterId, name: view.name },
      details: { summary },
    })
  })
}
