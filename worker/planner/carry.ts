import { db, type Tx } from '@/lib/db/client'
import type { Approval, Change, Decision } from '@/lib/db/generated/client'
import { json } from '@/lib/db/json'
import { canonical, isRule, type RevisionPair } from '@/lib/domain/changes'
import type { Json } from '@/lib/domain/json'
import { namedIn } from '@/lib/kubernetes/paths'
import { SENT } from '@/lib/services/changes/answered'
import { pairsApproved, pairsToKeep, type ApprovedPair } from '@/lib/services/changes/approved-pairs'
import { outlookIn } from '@/lib/services/changes/change-row'
import { standsAtDate } from '@/lib/services/changes/policy-forbids'
import { wasLetGo } from '@/lib/services/changes/let-go-outside'
import { letGoByWords } from '@/lib/services/changes/let-go-by'
import { LETS_GO, NOT_OVERRIDDEN } from '@/lib/services/changes/states'
import { recordAudit } from '@/lib/services/audit/record'
import { ITS_APPROVAL, pausedBeforeDate, STANDS_NO_MORE, STEPS_OVER } from '@/lib/services/policies/timing'
import { systemCtx } from '@/lib/services/context'
import type { ClusterView } from '../types'

type Of = Pick<Change, 'clusterId' | 'groupId' | 'digest'>

/** The decision in force by which a group went, of a change that is over. */
export interface Carried {
  decision: Decision
  approvals: Approval[]
  pairs: readonly ApprovedPair[]
  /** One machine at a time. */
  steps: boolean
  /** That it does not wait for its times: of what is under way still, and not of what is over. */
  override: Pick<Change, 'overrideBy' | 'overrideReason' | 'overrideAt'>
}

/**
 * What a group was let go with moves machines once more, by a date in it: the decision that let it go, for the change that begins by that.
 * So freezes, windows, waves, pauses and thresholds count for it as for anything approved, and what was edited since is held; while the
 * change of before is over as soon as its machines are, and no wave waits a year for certificates. `before`: the change in whose place
 * it comes. Null: none is in force, that one is kept back, it was not the last word on its group, more would move by it than was
 * approved, or policies do not let that go by now.
 */
export async function carriedOf(
  { clusterId, groupId, digest }: Of,
  { pairs: now, replicas }: { pairs: readonly RevisionPair[]; replicas: number },
  before: Pick<Change, 'id'> | null,
): Promise<Carried | null> {
  const ofGroup = { clusterId, groupId }
  const [last, sent] = await Promise.all([
    db().change.findFirst({
      where: { ...ofGroup, digest },
      orderBy: { detectedAt: 'desc' },
      include: { decisions: { orderBy: { recordedAt: 'desc' }, take: 1 } },
    }),
    db().decision.findFirst({
      where: { change: ofGroup, mode: { not: 'reject' }, ...SENT },
      orderBy: { recordedAt: 'desc' },
      select: { change: { select: { digest: true } } },
    }),
  ])
  const [decision] = last?.decisions ?? []
  if (!last || !decision || sent?.change.digest !== digest) return null
  if (decision.mode === 'reject' || !LETS_GO.state.in.includes(decision.state)) return null
  if (last.pausedAt ?? (last.id === before?.id && last.stoppedAt)) return null
  const isAllRules = now.every(({ changes }) => changes.length > 0 && changes.every(isRule))
  if (last.countedDoneAt && !isAllRules) return null
  const pairs = pairsApproved(decision, last)
  const prints = new Set(pairs.map(({ fingerprint }) => fingerprint))
  const isOfIt = ({ fingerprint, changes }: RevisionPair) =>
    prints.has(fingerprint) || (changes.length > 0 && changes.every(isRule))
  if (!now.every(isOfIt)) return null
  // In place, none goes that was not approved to be replaced: by no rule, and by no date.
  const replaced = new Set(pairs.flatMap((pair) => (pair.certainReplace ? [pair.from] : [])))
  if (decision.mode === 'in-place' && now.some((pair) => pair.certainReplace && !replaced.has(pair.from))) return null
  if (!(await standsAtDate({ ...decision, change: last }, { pairs: now, replicas }))) return null
  const approvals = await db().approval.findMany({ where: { decisionId: decision.id, endedAt: null } })
  const { overrideBy, overrideReason, overrideAt } = last
  const override = last.id === before?.id ? { overrideBy, overrideReason, overrideAt } : NOT_OVERRIDDEN
  return { decision, approvals, pairs, steps: last.steps !== null, override }
}

/**
 * What is in force no more lets nothing go, and who approved it machine by machine none that nobody looks at: it is held, and waits for
 * people.
 */
export async function untilHeld(tx: Tx, of: Of, before: Change | null, carried: Carried | null, now: Date) {
  if (carried && !carried.steps) return null
  const by: By | null = carried ? [carried.decision.actorName, STEPS_OVER] : await pausedBefore(tx, of, before)
  const [pausedBy, pausedReason] = by ?? [ITS_APPROVAL, STANDS_NO_MORE]
  return { pausedBy, pausedReason, pausedAt: now, pausedUntilHeld: true }
}

type By = [by: string, why: string]

/** Who keeps back what was let go; null: nobody does. */
async function pausedBefore(tx: Tx, { clusterId, groupId, digest }: Of, before: Change | null): Promise<By | null> {
  const where = { clusterId, groupId, digest }
  // As it was read: with its decision, such a pause ends.
  const same = before?.digest === digest ? before : null
  const last = same ?? (await tx.change.findFirst({ where, orderBy: { detectedAt: 'desc' } }))
  if (!last?.pausedAt || !last.pausedBy) return null
  return [last.pausedBy, last.pausedUntilHeld ? (last.pausedReason ?? '') : pausedBeforeDate(last.pausedReason)]
}

/** Who paused what the group had last, be it at its very end: where the same begins as held, no policy lets that go. */
export async function stillPaused(tx: Tx, { clusterId, groupId, digest }: Of) {
  const last = await tx.change.findFirst({ where: { clusterId, groupId }, orderBy: { detectedAt: 'desc' } })
  if (last?.digest !== digest || !last.pausedAt || last.pausedUntilHeld) return null
  const { pausedBy, pausedReason, pausedAt } = last
  return { pausedBy, pausedReason, pausedAt }
}

/** Somebody outside had taken its hold away when it went last. */
export async function wasTaken(of: Of): Promise<boolean> {
  const last = await db().change.findFirst({
    ...{ where: of, orderBy: { detectedAt: 'desc' } },
    include: { decisions: { where: LETS_GO, take: 1 } },
  })
  // It was approved after that.
  return last !== null && last.decisions.length === 0 && (await wasLetGo(last))
}

/** The same word on another change: who approved, when, and by which rules. */
export async function carry(tx: Tx, view: ClusterView, change: Change, carried: Carried): Promise<void> {
  const { id: changeId, fingerprint } = change
  const { id: _, changeId: __, calls: ___, plan: ____, pairs: _____, ...word } = carried.decision
  const kept = (pairsToKeep(change).pairs ?? []) as unknown as ApprovedPair[]
  const { id: decisionId } = await tx.decision.create({
    data: {
      ...word,
      ...{ changeId, fingerprint, state: 'seen', awaitsTime: false, policy: json(word.policy) },
      // The object bears the one of before, which stays the newest that was sent to it.
      recordedAt: new Date(word.recordedAt.getTime() - 1),
      pairs: json(kept.map((pair) => asApproved(pair, carried.pairs))),
    },
  })
  await tx.approval.createMany({
    data: carried.approvals.map(({ id: _, ...one }) => {
      // Nothing has begun by it, and the machines that were too many by then are gone.
      const showed = { begun: false, replicas: fewest(one.replicas, outlookIn(change).replicas) }
      return { ...one, ...showed, changeId, fingerprint, decisionId }
    }),
  })
  const rules = kept.flatMap(({ changes }) => changes.filter(isRule))
  const why = rules.some(({ path }) => path === 'rollout.after') ? DATED : rules.length > 0 ? RULED : THERE_AGAIN
  await recordAudit(tx, systemCtx('planner'), {
    action: 'change.dated',
    target: { kind: change.groupKind, id: changeId, name: namedIn(change.namespace, change.groupName) },
    cluster: { id: view.clusterId, name: view.name },
    reason: `${why} It was ${letGoByWords(word)}.`,
    details: { summary: change.summary },
  })
}

const fewest = (showed: number | null, now: number | undefined): number | null =>
  showed === null ? null : Math.min(showed, now ?? showed)

const DATED = 'The date comes that it was let go with.'
const RULED = 'It was let go with a rule that replaces machines once more.'
const THERE_AGAIN = 'Machines that are not what it was let go with are there again.'

/**
 * A machine set or machine that was made since, with what was approved for the configuration of those before it. Where that was more than
 * one, none of them is it.
 */
function asApproved(pair: ApprovedPair, approved: readonly ApprovedPair[]): ApprovedPair {
  const was = approved.find(({ from }) => from === pair.from)
  const { config: _, templates: __, ...rest } = pair
  const config = was ? was.config : only(approved.map((one) => one.config))
  const templates = was ? was.templates : only(approved.map((one) => one.templates))
  return {
    ...rest,
    ...(config === undefined ? {} : { config: config ?? { apiVersion: '', digest: '' } }),
    ...(templates === undefined ? {} : { templates: templates ?? '' }),
  }
}

/** Undefined: none is known. Null: there are several. */
function only<T extends Json | object>(all: readonly (T | undefined)[]): T | null | undefined {
  const known = new Map(all.flatMap((one) => (one === undefined ? [] : [[canonical(one as Json), one] as const])))
  return known.size > 1 ? null : known.values().next().value
}
