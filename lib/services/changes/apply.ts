import { namedIn } from '@/lib/kubernetes/paths'
import { db, type Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { log } from '@/lib/log'
import type { Prisma } from '@/lib/db/generated/client'
import { isPaused, isPool } from '@/lib/domain/latch/hold'
import { configsEdited } from '@/lib/domain/changes/configs'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { Json } from '@/lib/domain/json'
import { KubeError, KubeUnreachable, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { clientSource, type ClientSource, type GroupChange } from '@/lib/providers/cluster-api/changes'
import { recordAudit } from '../audit/record'
import { kubeClientFor } from '../clusters/connection'
import { cameLater, snapshotOf } from '../policies/snapshot'
import { rulesFor } from '../policies/rules-for'
import { closedWords, timingOf } from '../policies/timing'
import { systemCtx, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { serverWords } from '../server-words'
import { pairsApproved } from './approved-pairs'
import { cannotBe } from './cannot-be'
import { certainByNow } from './certain-by-now'
import { claimDecision, heldBy, whileClaimed } from './claim-decision'
import { callsOf, changeSetOf, type DecisionCall, type DecisionMode } from './change-row'
import { failureOf, type Failure } from './failure'
import { groupChange } from './group-change'
import { lockChange } from './lock-change'
import { AnswerLost, apiVersionOf, isOvertaken, noAnswer, type DecisionRow as Row } from './overtake'
import { forbidsStored, policyForbids, whyForbidden } from './policy-forbids'
import { forgetLetGo, letGoOf } from './let-go'
import { withConfig } from './with-config'
import { isMomentary } from './momentary'
import { waitsOn } from './nodes-away'
import { notSent, surelyNotStored } from './not-stored'
import { callFor, DECISION, groupResource, patchFor } from './patch-for'
import { deletionsByNow } from './deletions-by-now'
import { tellDecided } from './tell-decided'
import { MOST_ATTEMPTS, pauseAfter, triesAgain, triesIn, TRIES } from './tries'

/** `told`: tells people with kubectl, once it is written down. */
type Accepted = { ok: true; answer: string; told?: () => Promise<void> }
/** `awaitsTime`: only its calendar keeps it, and its approvals stand. */
type Outcome = Accepted | ({ ok: false; void?: boolean; awaitsTime?: true } & Failure)
type Result = { calls: DecisionCall[] } & Outcome

/**
 * Applies a recorded decision: whoever claims it first, the verb itself or the worker after a crash. The object is read
 * and compared anew, and the patch carries its resourceVersion: what is let go is what was looked at, or nothing.
 */
export async function applyDecision(
  decisionId: string,
  claimedBy: string,
  ctx: Ctx = systemCtx('applier'),
): Promise<void> {
  const row = await claimDecision(decisionId, claimedBy)
  if (!row) return
  const calls: DecisionCall[] = []
  const made = await whileClaimed(row, () => attempt(row, calls)).catch(async (error: unknown) => {
    if (error instanceof AnswerLost) await waits(row, calls)
    throw error
  })
  const result = await inItsTime(row, made)
  const written = await finish(row, ctx, result)
  if (written && result.ok && result.told) await result.told()
}

/** For the verbs: what Drydock itself fails at is left to the worker, and the decision stays recorded. */
export async function applyOrLeave(decisionId: string, claimedBy: string, ctx: Ctx): Promise<void> {
  try {
    await applyDecision(decisionId, claimedBy, ctx)
  } catch (error) {
    log().error({ err: error, decisionId }, 'a recorded decision could not be applied; the worker takes it up')
  }
}

/** Of endless tries the last ones. */
const MOST_CALLS = 20
const allCalls = (row: Row, calls: readonly DecisionCall[]): Prisma.InputJsonValue =>
  [...callsOf(row).filter((call) => call.at), ...calls].slice(-MOST_CALLS) as unknown as Prisma.InputJsonValue

/** Until it is tried again; what became of it, the watch may say before. What was asked and answered is on record at once. */
async function waits(row: Row, calls: readonly DecisionCall[]): Promise<void> {
  const { id, changeId, change, claimedBy } = row
  await db().$transaction(async (tx) => {
    if (calls.length > 0)
      await tx.decision.updateMany({ where: { id, claimedBy }, data: { calls: allCalls(row, calls) } })
    const claimedUntil = new Date((await databaseNow(tx)).getTime() + pauseAfter(row))
    await tx.decision.updateMany({ where: heldBy(row), data: { claimedUntil } })
    await announce(tx, { topic: 'changes', cluster: change.clusterId, ids: [changeId] })
    await announce(tx, { topic: 'decisions', cluster: change.clusterId, ids: [id] })
  })
}

/**
 * Nobody is there to retry what went when its time came: where something was not to be had for a moment, and nothing was sent, it
 * is due again. Then it is decided anew, by what holds then.
 */
async function inItsTime(row: Row, result: Result): Promise<Result> {
  if (result.ok || result.void || !cameLater(row)) return result
  // What may not be read stays held, and goes by its approvals when it may.
  const isUnread = result.code === 403 && result.calls.length === 0
  const momentary = result.momentary ?? (isUnread ? UNREAD : undefined)
  if (result.code !== null && !momentary) return result
  const { sentAt } = await db().decision.findUniqueOrThrow({ where: { id: row.id }, select: { sentAt: true } })
  if (sentAt !== null) return result
  const sentence = momentary ? `${momentary} Nothing was released; it is tried again by itself.` : result.sentence
  return { ...result, sentence, void: true, awaitsTime: true, ...(momentary && { momentary }) }
}
const UNREAD = 'Drydock may not read what has to be compared.'

async function attempt(row: Row, calls: DecisionCall[]): Promise<Result> {
  const target = `${row.change.groupKind} ${namedIn(row.change.namespace, row.change.groupName)}`
  try {
    const client = await kubeClientFor(row.change.clusterId)
    for (let attempt = 1; ; attempt++) {
      const made = await once(row, client, target, calls)
      if (made !== 'again') return { calls, ...made }
      if (attempt === TRIES) {
        const momentary = `${target} is being changed by somebody else all the time.`
        if (row.sentAt !== null && cameLater(row)) throw new AnswerLost(target, momentary)
        const sentence = `${momentary} Nothing was released; retry.`
        return { calls, ok: false, sentence, answer: calls.at(-1)?.answer ?? null, code: 409, momentary }
      }
    }
  } catch (error) {
    if (error instanceof AnswerLost) throw error
    if (row.sentAt !== null && isKnownLater(error, row)) throw new AnswerLost(target, error)
    return { calls, ok: false, ...known(error, target, row.attempts) }
  }
}

/** What was sent may be stored: that is known when the cluster answers again, or, by the clock, when policies can be asked again. */
const isKnownLater = (error: unknown, row: Row): boolean =>
  (error instanceof KubeUnreachable && triesAgain(row)) ||
  (cameLater(row) && (error instanceof ServiceError || isMomentary(error)))

function known(error: unknown, target: string, attempts: number): Failure {
  try {
    return failureOf(error, target)
  } catch (unexpected) {
    if (attempts < MOST_ATTEMPTS) throw unexpected
    const sentence = `Drydock itself failed, and gave up after ${attempts} tries; its log says why. Retry: ${target} is read again first.`
    return { sentence, answer: null, code: null }
  }
}

type Once = 'again' | Outcome

async function once(row: Row, client: KubeClient, target: string, calls: DecisionCall[]): Promise<Once> {
  const { change } = row
  const resource = groupResource(change.groupKind, await apiVersionOf(change))
  const object = await client.get(resource, change.groupName, change.namespace)
  const decided = { ...row, mode: row.mode as DecisionMode }
  // An earlier attempt got through and its answer was lost: doing it again could release what came after.
  if (object.metadata.annotations?.[DECISION] === row.id && object.metadata.uid === change.groupId) {
    // Forbidden by now, it is held again (worker/planner/adopt.ts).
    const why = await forbidsStored(row)
    if (why) return { ok: false, void: true, sentence: why, answer: null, code: null }
    return {
      ok: true,
      answer: 'An earlier attempt had already been stored.',
      told: () => tellDecided(client, object, row),
    }
  }
  // What a group does not want yet keeps its hook waiting, and is looked at when it has it.
  const atHook = decided.mode === 'reject' && change.heldBy === 'hook' && object.metadata.uid === change.groupId
  const refused = await whyNot(row, { object, client, target, atHook })
  // What was sent is not retried: it may be stored yet, and whoever wants it decides anew.
  const over = row.sentAt === null ? {} : { void: true as const }
  if (refused)
    return (await isOvertaken(row, object, client, calls)) ? { ...refused, ...over, answer: null, code: null } : 'again'
  // What it was let go with before is over from here on, unless the patch is surely not stored.
  const letGo = decided.mode === 'reject' ? null : await forgetLetGo(change.clusterId, change.groupId)
  const body = patchFor(decided, object, atHook)
  const call = callFor(resource, object, body)
  const at = new Date().toISOString()
  try {
    const stored = await client.patch(resource, change.groupName, change.namespace, 'merge', body)
    const answer = `stored as resourceVersion ${stored.metadata.resourceVersion}`
    calls.push({ ...call, at, code: 200, answer })
    return { ok: true, answer, told: () => tellDecided(client, stored, row) }
  } catch (error) {
    if (error instanceof KubeUnreachable) calls.push({ ...call, at, answer: noAnswer(error) })
    if (error instanceof KubeUnreachable && triesAgain(row)) throw new AnswerLost(target, error)
    if (!(error instanceof KubeError)) throw error
    calls.push({ ...call, at, code: error.code, answer: serverWords(error) })
    if (await surelyNotStored(error, row, object, client)) await notSent(row, letGo)
    else if (isKnownLater(error, row)) throw new AnswerLost(target, error)
    if (error.code === 409) return 'again'
    throw error
  }
}

type Refused = { ok: false; sentence: string; void?: true; awaitsTime?: true }
interface Read {
  object: KubeObject
  client: KubeClient
  target: string
  atHook: boolean
}

/** Why nothing is to be released, asked of what is there now; null: from here on it counts as sent. */
async function whyNot(row: Row, { object, client, target, atHook }: Read): Promise<Refused | null> {
  const mode = row.mode as DecisionMode
  if (object.metadata.uid !== row.change.groupId)
    return { ok: false, void: true, sentence: `${target} is another object of the same name by now.` }
  const { source, read } = readerOf(row, object, client)
  const now = atHook ? null : await read()
  const other = now && (await otherThanApproved(row, { object, target, now, source }))
  if (other) return { ok: false, void: true, sentence: other }
  const why = mode === 'reject' ? null : await cannotBe(mode, row.change)
  if (why) return { ok: false, sentence: `Nothing was released: ${why}` }
  const deletions = (way: 'in-place' | 'replace') =>
    now && !isPool(object) ? deletionsByNow(row.change.clusterId, way, object, source, now) : 0
  const forbidden = mode === 'reject' ? null : await policyForbids(row, object, () => deletions(mode))
  if (forbidden) {
    const { why: sentence, ...waits } = forbidden
    return { ok: false, void: true, sentence, ...waits }
  }
  return noLongerSaid(row)
}

/** What the cluster has of the group, read anew. */
function readerOf({ change, mode }: Row, object: KubeObject, client: KubeClient) {
  const { clusterId, cluster } = change
  const resources = (cluster.discovery as unknown as Capabilities | null)?.resources ?? {}
  // What cannot be read can be rejected all the same, and stays held.
  const strictly = mode === 'reject' ? {} : { strict: true as const }
  return {
    source: { ...clientSource({ client, resources, letGo: (uid) => letGoOf(clusterId, uid) }), ...strictly },
    read: async () => {
      const waits = isPool(object) ? { waits: await waitsOn(object, change) } : {}
      return groupChange(object, { clusterId, client, resources, ...strictly, ...waits })
    },
  }
}

/** Why the object must not be touched: it wants something else by now. */
async function otherThanApproved(
  row: Row,
  { object, target, now, source }: Pick<Read, 'object' | 'target'> & { now: GroupChange; source: ClientSource },
): Promise<string | null> {
  const { change } = row
  const rejects = row.mode === 'reject'
  const { pairs } = changeSetOf(change)
  const known = new Set(pairs.map((pair) => pair.fingerprint))
  const same = now.digest === change.digest
  // Who says no to what every machine has by now is heard: it is not done by itself.
  if (now.pairs.length === 0 && isPaused(object) && !(rejects && same))
    return same
      ? `Every machine of ${target} has it by now: nothing is left to let go.`
      : `${target} wants again what it already has: there is nothing left to decide.`
  if (!same || (!rejects && !now.pairs.every(({ pair }) => known.has(pair.fingerprint))))
    return `The desired state of ${target} changed since this was decided. Nothing was released: look at the new change and decide again.`
  // Scaling is no change of its own, but what it deletes is let go with this, and was not shown.
  if (!rejects && row.replicas !== null && now.replicas < row.replicas)
    return `${target} wants fewer machines by now (${now.replicas}, and ${row.replicas} when this was decided): those that are too many would be deleted with it. Nothing was released: look at it again and decide anew.`
  const wanted = now.pairs.map((compared) => withConfig(compared.pair, compared))
  if (!rejects && configsEdited({ pairs: pairsApproved(row, change) }, { pairs: wanted }))
    return `The configuration of the machines of ${target} was edited since it was last looked at here, beside what differs. Nothing was released: look at it again and decide anew.`
  return rejects || isPool(object) ? null : certainByNow(row, { group: object, source }, now.pairs, pairs)
}

/**
 * Asked last: reading may have taken long, and the decision may have been voided meanwhile. From here on it counts as
 * sent: what the API server, and Cluster API after it, were told is not forgotten with the decision.
 */
async function noLongerSaid(row: Row): Promise<Refused | null> {
  const no = (sentence: string, more: Pick<Refused, 'awaitsTime'> = {}): Refused => ({
    ...{ ok: false, void: true, sentence },
    ...more,
  })
  return db().$transaction(async (tx) => {
    // Whoever pauses or stops it was before this, or finds it sent.
    await lockChange(tx, row.changeId)
    const now = await databaseNow(tx)
    if (row.expiresAt && row.expiresAt < now) return no('The approval has expired. Nothing was released: decide again.')
    const not = row.mode === 'reject' ? null : await notNow(tx, row, now)
    if (not) return no(...not)
    const { count } = await tx.decision.updateMany({
      where: heldBy(row),
      data: { sentAt: row.sentAt ?? new Date() },
    })
    return count > 0
      ? null
      : no('The decision was voided, or taken over, while it was being applied. Nothing was released.')
  })
}

/** By the policies of this moment, and who may still approve by them: both may be others than when its machines began to be counted. */
async function notNow(tx: Tx, row: Row, now: Date): Promise<[string, Pick<Refused, 'awaitsTime'>?] | null> {
  const change = await tx.change.findUniqueOrThrow({ where: { id: row.changeId } })
  const rules = await rulesFor(tx, change)
  const why = await whyForbidden(tx, row, rules, { now })
  if (why) return [`${why} Nothing was released.`]
  const timing = timingOf(rules, change, now)
  if (timing.open) return null
  return [`It is ${closedWords(timing)}. Nothing was released; it goes by itself then.`, { awaitsTime: true }]
}

/** The planner saw it on the object before its answer came, and has said so. */
const isAdopted = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.decision.count({ where: { id, state: { in: ['accepted', 'seen'] } } })) > 0

/** Null: it is due again for what it was put off for before, and that is on record. */
function actionOf(row: Row, result: Result): string | null {
  if (result.ok) return 'decision.accepted'
  const before = snapshotOf(row)?.putOff ?? []
  if (!result.awaitsTime || before.length === 0) return 'decision.failed'
  if (before.some(({ error }) => error === result.sentence)) return null
  // People were told that it did not go.
  return result.momentary ? 'decision.put-off' : 'decision.failed'
}

/** False: somebody else has said already what became of it. */
async function finish(row: Row, ctx: Ctx, result: Result): Promise<boolean> {
  const { change } = row
  const calls = allCalls(row, result.calls)
  return db().$transaction(async (tx) => {
    await lockChange(tx, change.id)
    const { count } = await tx.decision.updateMany({
      where: heldBy(row),
      data: {
        state: result.ok ? 'accepted' : result.void ? 'voided' : 'failed',
        calls,
        error: result.ok ? null : result.sentence,
        awaitsTime: !result.ok && (result.awaitsTime ?? false),
        // What has begun goes on to its end, however long that takes.
        ...(result.ok ? { acceptedAt: await databaseNow(tx), expiresAt: null } : { acceptedAt: null }),
        claimedUntil: null,
      },
    })
    // The claim ran out and another took over, or the decision was voided: that says what became of it. What the API
    // server was asked meanwhile, and answered, is on record all the same.
    const late = count === 0
    if (late && (result.calls.length === 0 || (result.ok && (await isAdopted(tx, row.id))))) return false
    if (!late && !result.ok)
      await tx.change.updateMany({
        where: { id: change.id, state: { in: ['approved', 'rejected'] } },
        data: { state: 'waiting' },
      })
    await announce(tx, { topic: 'changes', cluster: change.clusterId, ids: [change.id] })
    await announce(tx, { topic: 'decisions', cluster: change.clusterId, ids: [row.id] })
    // What was sent, or asked too late, stands nowhere else: of its calls a decision keeps the last ones.
    const action = actionOf(row, result) ?? (late || result.calls.length > 0 ? 'decision.put-off' : null)
    if (!action) return true
    const tries = triesIn(snapshotOf(row)?.putOff ?? [])
    await recordAudit(tx, ctx, {
      action,
      target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
      cluster: { id: change.clusterId, name: change.cluster.name },
      result: result.ok ? 'ok' : result.code === null || result.momentary ? 'failed' : 'refused',
      answer: result.ok ? result.answer : (result.answer ?? result.sentence),
      details: {
        ...{ decision: row.id, mode: row.mode, attempt: row.attempts },
        ...(tries > 0 ? { tries: tries + 1 } : {}),
        ...(late ? { late: 'voided or taken over meanwhile' } : {}),
      } satisfies Record<string, Json>,
    })
    return true
  })
}
