import { db } from '@/lib/db/client'
import { askedBetween, fingerprint, isObject, refusal, revisionOf, type Question } from '@/lib/domain/changes'
import type { Change } from '@/lib/db/generated/client'
import type { Json, JsonObject } from '@/lib/domain/json'
import { pairsApproved } from '@/lib/services/changes/approved-pairs'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { canUpdate } from '@/lib/services/updaters/can-update'
import { coveredBy } from '@/lib/services/updaters/dependents'
import { updatersFor } from '@/lib/services/updaters/for-cluster'
import { inPolicyOrder } from '@/lib/services/updaters/policy-order'
import { UpdaterError } from '@/lib/services/updaters/transport'
import { BUDGET_MS, Hold, HOOKS } from './constants'
import { decidedFor, requireInTime } from './decisions'
import { requireSpare } from './etcd'
import type { Answered } from './record'
import { takeStep } from './step'
import { subjectOf } from './subject'

/** The fingerprint of a question: the same that the planner computed from the live objects. */
export function fingerprintOfQuestion(
  owner: { uid: string; namespace: string; name: string; kind: string },
  hook: Question,
  request: JsonObject,
): string {
  const { current, desired } = request
  if (!isObject(current) || !isObject(desired)) throw new Hold('the request has no current and desired objects')
  return fingerprint(owner, askedBetween(revisionOf(hook, current), revisionOf(hook, desired)))
}

/**
 * The kind that some object would have, where it has another one now. Cluster API asks about specs only; told yes, it would
 * write the new kind under the old machine's name, and fail at that for ever.
 */
function otherKindIn({ current, desired }: JsonObject): string | null {
  const kindOf = (side: Json | undefined, part: string) => {
    const object = isObject(side) ? side[part] : undefined
    if (!isObject(object) || typeof object.kind !== 'string') return null
    return `${object.kind}.${String(object.apiVersion ?? '').split('/')[0]}`
  }
  const parts = isObject(desired) ? Object.keys(desired) : []
  for (const part of parts) {
    const [had, wanted] = [kindOf(current, part), kindOf(desired, part)]
    if (had !== null && wanted !== null && had !== wanted) return wanted
  }
  return null
}

/** Whether it was known to be of another kind when it was approved: fingerprints speak of contents. */
const isOtherKind = (change: Pick<Change, 'changeSet'>, asked: string): boolean =>
  changeSetOf(change).pairs.some((pair) => pair.fingerprint === asked && pair.otherKind)

/** Answers "can this be updated in place": with patches, with "no" (replace), or not at all. */
export async function answerCanUpdate(clusterId: string, hook: Question, request: JsonObject): Promise<Answered> {
  const subject = await subjectOf(clusterId, hook, request)
  const { groupId: uid, namespace, name, kind } = subject
  const asked = fingerprintOfQuestion({ uid, namespace, name, kind }, hook, request)
  const { change, decision } = await decidedFor(subject, asked)
  const about = { changeId: change.id, group: `${namespace}/${name}`, machine: subject.machine }
  await requireInTime(change, about)
  await requireSpare(subject, change, about)
  const base = { apiVersion: HOOKS, kind: `${hook}Response`, status: 'Success', message: '' }
  const other = otherKindIn(request)
  // Whoever waited, for etcd or for updaters, answers by what is said by now.
  const begins = async (): Promise<void> => {
    const now = await decidedFor(subject, asked)
    if (now.decision.id !== decision.id) throw new Hold('decided anew meanwhile', about)
    await requireInTime(now.change, about)
    await takeStep(now.change, about)
  }
  const no = async (message: string): Promise<Answered> => {
    await begins()
    return { response: { ...base, ...refusal(hook) }, record: { ...about, answer: 'replace', message } }
  }
  if (other && decision.mode === 'in-place' && !isOtherKind(change, asked))
    throw new Hold(`it would be ${other}, of another kind than was approved`, about)
  if (other) return no(`nothing becomes ${other} in place`)
  if (decision.mode === 'replace') return no('approved replacing')
  if (decision.mode !== 'in-place') throw new Hold('the decision is of a kind that the gate does not know', about)
  try {
    const updaters = await inPolicyOrder(db(), await updatersFor(clusterId, subject), {
      ...subject,
      groupKind: kind,
      groupName: name,
    })
    const result = await canUpdate(updaters, hook, request, BUDGET_MS - 5_000)
    if (!result.covered)
      throw new Hold(`approved in place, but no updater covers ${result.uncovered.slice(0, 5).join('; ')}`, about)
    // Whoever was not known to have a part in it when it was approved would not be asked to do that part.
    const { names, unsure } = coveredBy([pairsApproved(decision, change)])
    const other = unsure ? undefined : [...result.touched].find((name) => !names.has(name))
    if (other)
      throw new Hold(`the updater ${other} would do a part of it, which was not so when it was approved`, about)
    await requireSpare(subject, change, about)
    await begins()
    return {
      response: { ...base, ...result.patches },
      record: { ...about, answer: 'in-place', message: 'approved in place' },
    }
  } catch (error) {
    if (error instanceof UpdaterError) throw new Hold(error.message, { ...about, failed: true })
    throw error
  }
}
