import { hasDesired, isObject, safeText, valueAt, type Revision } from '@/lib/domain/changes'
import type { Change, Updater } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { keyedDigest } from '@/lib/seal'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { updatersFor } from '@/lib/services/updaters/for-cluster'
import { ask, UpdaterError } from '@/lib/services/updaters/transport'
import { BUDGET_MS, Hold, HOOKS } from './constants'
import { approvedInPlace } from './decisions'
import { recordProgress } from './progress'
import type { Answered } from './record'
import { subjectOf } from './subject'

/** Passes an update on to the updater, for machines of a change that somebody approved in place. */
export async function answerUpdate(clusterId: string, request: JsonObject): Promise<Answered> {
  const subject = await subjectOf(clusterId, 'UpdateMachine', request)
  const group = `${subject.namespace}/${subject.name}`
  const machine = subject.machine!
  const change = matching(await approvedInPlace(subject), request)
  if (!change) throw new Hold('this update was not approved in place', { group, machine })
  const about = { changeId: change.id, group, machine }
  const updaters = await concerned(clusterId, change)
  if (updaters.length === 0) throw new Hold('no updater is configured any more', { ...about, failed: true })
  try {
    const { message, retryAfterSeconds } = await pass(updaters, request)
    const running = retryAfterSeconds > 0
    await recordProgress(change.id, clusterId, subject.namespace, machine, running ? 'updating' : 'done', message)
    return {
      response: { apiVersion: HOOKS, kind: 'UpdateMachineResponse', status: 'Success', message, retryAfterSeconds },
      record: { ...about, answer: running ? 'passed' : 'done', message: message || (running ? 'in progress' : 'done') },
    }
  } catch (error) {
    if (!(error instanceof UpdaterError)) throw error
    await recordProgress(change.id, clusterId, subject.namespace, machine, 'failed', error.message)
    throw new Hold(error.message, { ...about, failed: true })
  }
}

/** Every updater in turn: the next one begins when the one before is done. */
async function pass(updaters: Updater[], request: JsonObject): Promise<{ message: string; retryAfterSeconds: number }> {
  const until = Date.now() + BUDGET_MS - 3_000
  let message = ''
  for (const updater of updaters) {
    const answer = await ask(updater, 'UpdateMachine', request, Math.max(1, until - Date.now()))
    if (!answer) throw new UpdaterError(`The updater ${updater.name} does not handle UpdateMachine.`)
    message = safeText(String(answer.message ?? ''))
    const { retryAfterSeconds } = answer
    if (typeof retryAfterSeconds !== 'number' || !Number.isInteger(retryAfterSeconds) || retryAfterSeconds < 0)
      throw new UpdaterError(`The updater ${updater.name} answered without retryAfterSeconds.`)
    if (retryAfterSeconds > 0) return { message, retryAfterSeconds }
  }
  return { message, retryAfterSeconds: 0 }
}

/** The updaters that cover a field of the change; all of them where none is named. */
async function concerned(clusterId: string, change: Change): Promise<Updater[]> {
  const all = await updatersFor(clusterId)
  const names = new Set(changeSetOf(change).pairs.flatMap((pair) => pair.changes.map((c) => c.coveredBy)))
  const named = all.filter((updater) => names.has(updater.name))
  return named.length > 0 ? named : all
}

function matching(changes: Change[], request: JsonObject): Change | undefined {
  const spec = (key: string): JsonObject | undefined => {
    const value = valueAt(request, 'desired', key, 'spec')
    return isObject(value) ? value : undefined
  }
  const machine = spec('machine')
  if (!machine) throw new Hold('the request has no desired machine')
  const infrastructure = spec('infrastructureMachine')
  const bootstrap = spec('bootstrapConfig')
  const revision: Revision = {
    machine,
    ...(infrastructure ? { infrastructure } : {}),
    ...(bootstrap ? { bootstrap } : {}),
  }
  // References name the machine's own objects here, not templates.
  const concrete = (path: string): boolean => !/^(infrastructureRef|bootstrap)\b/.test(path)
  return changes.find((change) =>
    changeSetOf(change).pairs.some((pair) =>
      pair.changes.every(
        (c) => (c.object === 'machine' && !concrete(c.path)) || hasDesired(revision, c, pair.fingerprint, keyedDigest),
      ),
    ),
  )
}
