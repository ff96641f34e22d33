import { db } from '@/lib/db/client'
import { hasDesired, isObject, safeText, valueAt, type FieldChange, type Revision } from '@/lib/domain/changes'
import type { Updater } from '@/lib/db/generated/client'
import { workerConfig } from '@/lib/domain/changes/kubeadm'
import type { JsonObject } from '@/lib/domain/json'
import { keyedDigest } from '@/lib/seal'
import type { ApprovedPair } from '@/lib/services/changes/approved-pairs'
import type { Resolved } from '@/lib/domain/policies'
import { OPEN } from '@/lib/services/changes/states'
import { snapshotOf } from '@/lib/services/policies/snapshot'
import { coveredBy } from '@/lib/services/updaters/dependents'
import { ofGroup, updatersFor } from '@/lib/services/updaters/for-cluster'
import { inOrderOf } from '@/lib/services/updaters/policy-order'
import { noted } from '@/lib/services/updaters/record'
import { ask, UpdaterError } from '@/lib/services/updaters/transport'
import { BUDGET_MS, Hold, HOOKS } from './constants'
import { approvedInPlace, type Approved } from './approved-in-place'
import { recordRefused, recordStep, type MachineStep } from './progress'
import type { Answered } from './record'
import { subjectOf, type Subject } from './subject'
import { waitsForHold } from './until-held'

/** Cluster API asks again after as long as it is told to: nobody is to be forgotten for years. */
const MOST_SECONDS = 3_600

/** Until what is over is held. */
const HELD_SECONDS = 2

/** Passes an update on to the updater, for machines of a change that somebody approved in place. */
export async function answerUpdate(clusterId: string, request: JsonObject): Promise<Answered> {
  const subject = await subjectOf(clusterId, 'UpdateMachine', request)
  const group = `${subject.namespace}/${subject.name}`
  const machine = subject.machine!
  const approved = await approvedInPlace(subject)
  const { change, edited } = matching(approved, subject.kind, request)
  if (!change) {
    const message = edited ? EDITED : 'this update was not approved in place'
    if (edited) await recordRefused(edited.begunIn, { ...subject, machine }, message)
    // On the page of what goes on there: nobody else says why that machine does not.
    const changeId = edited?.begunIn ?? (await openChangeOf(subject))
    throw new Hold(message, { group, machine, ...(changeId ? { changeId } : {}) })
  }
  const about = { changeId: change.id, group, machine }
  const updaters = await concerned({ ...subject, machine }, change, about)
  const result = await pass(updaters, request)
  await recordStep(change.begunIn, { ...subject, machine }, result)
  if (result.state === 'failed') throw new Hold(result.message, { ...about, failed: true })
  const { state, message } = result
  const waits = state === 'done' && (await waitsForHold(subject))
  const running = state === 'updating' || waits
  const retryAfterSeconds = waits ? HELD_SECONDS : result.retryAfterSeconds
  const said = waits
    ? 'its time is over, and it is called done once its group is held'
    : message || (running ? 'in progress' : 'done')
  return {
    response: {
      ...{ apiVersion: HOOKS, kind: 'UpdateMachineResponse', status: 'Success' },
      ...{ message: waits ? said : message, retryAfterSeconds },
    },
    record: {
      ...about,
      answer: running ? 'passed' : 'done',
      message: updaters.length > 1 ? whoWords(result, said) : said,
    },
  }
}

/** Of several, which one says so, and which are done with it: "a is done; b: in progress", "a and b are done". */
function whoWords({ updater, done }: Pick<MachineStep, 'updater' | 'done'>, said: string): string {
  const names = done ?? []
  const listed = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join('')
  const over = listed && `${listed} ${names.length > 1 ? 'are' : 'is'} done`
  // The last one may have more to say than that.
  const last = said === 'done' ? '' : `: ${said}`
  return updater ? `${over && `${over}; `}${updater}: ${said}` : `${over}${last}`
}

/**
 * Every updater in turn: the next one begins when the one before has said, in this very pass, that it is done; where one
 * fails it ends. So whoever asks after a restart comes to the right one, whatever was remembered.
 */
async function pass(updaters: Updater[], request: JsonObject): Promise<MachineStep> {
  const until = Date.now() + BUDGET_MS - 3_000
  const done: string[] = []
  let message = ''
  for (const updater of updaters) {
    try {
      const answer = await stepOf(updater, request, until - Date.now())
      message = answer.message
      if (answer.retryAfterSeconds > 0) return { state: 'updating', updater: updater.name, done, ...answer }
      done.push(updater.name)
    } catch (error) {
      if (!(error instanceof UpdaterError)) throw error
      return { state: 'failed', updater: updater.name, done, message: error.message, retryAfterSeconds: 0 }
    }
  }
  return { state: 'done', updater: null, done, message, retryAfterSeconds: 0 }
}

/** What one updater says about the machine now. */
const stepOf = (updater: Updater, request: JsonObject, leftMs: number) =>
  noted(updater, 'UpdateMachine', async () => {
    const answer = await ask(updater, 'UpdateMachine', request, Math.max(1, leftMs))
    if (!answer) throw new UpdaterError(`The updater ${updater.name} does not handle UpdateMachine.`)
    const { kind, retryAfterSeconds } = answer
    if (typeof kind === 'string' && kind !== '' && kind !== 'UpdateMachineResponse')
      throw new UpdaterError(`The updater ${updater.name} answered another question, with a ${safeText(kind, 60)}.`)
    const whole = typeof retryAfterSeconds === 'number' && Number.isInteger(retryAfterSeconds)
    if (!whole || retryAfterSeconds < 0)
      throw new UpdaterError(`The updater ${updater.name} answered without retryAfterSeconds.`)
    const message = safeText(String(answer.message ?? ''))
    return [
      { message, retryAfterSeconds: Math.min(retryAfterSeconds, MOST_SECONDS) },
      message || (retryAfterSeconds > 0 ? 'in progress' : 'done'),
    ]
  })

/**
 * The updaters that cover a field of what was approved, in the order that holds now. Where somebody who covers a field is
 * gone the machine must not be called done without them. A field that nobody is known to cover may be any updater's.
 */
async function concerned(
  subject: Subject & { machine: string },
  change: Approved,
  about: Hold['about'],
): Promise<Updater[]> {
  // On record as said: it does not get on before somebody acts.
  const fails = async (updater: string, message: string): Promise<never> => {
    await recordStep(change.begunIn, subject, { state: 'failed', updater, done: null, message, retryAfterSeconds: 0 })
    throw new Hold(message, failed(about))
  }
  const all = inOrderOf(await updatersFor(subject.clusterId), await decidedOrder(change))
  const { names, unsure } = coveredBy(change.approved)
  const gone = [...names].find((name) => !all.some((updater) => updater.name === name))
  if (gone) return fails(gone, `the updater ${gone} is not configured any more, and it covers a part of this`)
  const selected = new Set(unsure ? ofGroup(all, subject).map(({ name }) => name) : [])
  const found = all.filter(({ name }) => names.has(name) || selected.has(name))
  if (found.length === 0) return fails('its updater', 'no updater is configured any more')
  return found
}

/** Whoever is at work on a machine is not overtaken by another word of a policy: the order is that with which it was let go first. */
async function decidedOrder({ id }: Approved): Promise<readonly string[]> {
  const first = await db().decision.findFirst({
    where: { changeId: id, mode: 'in-place', acceptedAt: { not: null } },
    orderBy: { recordedAt: 'asc' },
    select: { policy: true },
  })
  const rules: Partial<Resolved> | undefined = first ? snapshotOf(first)?.rules : undefined
  return rules?.updaterOrder?.value ?? []
}

const failed = (about: Hold['about']) => ({ ...about, failed: true })

async function openChangeOf({ clusterId, groupId }: Subject): Promise<string | undefined> {
  const where = { clusterId, groupId, state: { in: OPEN } }
  return (await db().change.findFirst({ where, orderBy: { detectedAt: 'desc' }, select: { id: true } }))?.id
}

/** Cluster API does not write the config of a machine again that has begun. */
const EDITED =
  'all of it is as it was approved but the bootstrap config of this machine: its template was edited since. Delete this Machine, and a new one takes its place'

/** What the bootstrap provider fills in when the machine joins is not in the digest of the whole. */
const FILLED = /^joinConfiguration\.discovery\.(bootstrapToken|file\.kubeConfig\.cluster)\./

interface Matching {
  change?: Approved | undefined
  /** Nothing but the config as a whole is another one than in some pair of this one. */
  edited?: Approved | undefined
}

function matching(changes: Approved[], kind: Subject['kind'], request: JsonObject): Matching {
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
    ...(kind === 'MachineDeployment' ? { workers: true } : {}),
  }
  // References name the machine's own objects here, not templates.
  const concrete = (path: string): boolean => !/^(infrastructureRef|bootstrap)\b/.test(path)
  const compared = (c: FieldChange): boolean => c.object !== 'machine' || concrete(c.path)
  const wanted = (pair: ApprovedPair): boolean => {
    const whole = isWholeConfig(pair, request)
    // The whole says more than its fields, which the bootstrap provider may have filled in.
    const known = (c: FieldChange) => c.object === 'bootstrap' && whole === true && !FILLED.test(c.path)
    return whole !== false && pair.changes.every((c) => !compared(c) || known(c) || has(pair, c))
  }
  const has = (pair: ApprovedPair, c: FieldChange) => hasDesired(revision, c, pair.fingerprint, keyedDigest)
  const other = (pair: ApprovedPair): boolean =>
    isWholeConfig(pair, request) === false &&
    pair.changes.some((c) => compared(c) && c.object !== 'bootstrap') &&
    pair.changes.every((c) => !compared(c) || c.object === 'bootstrap' || has(pair, c))
  const some = ({ approved }: Approved, is: (pair: ApprovedPair) => boolean) => approved.some((pairs) => pairs.some(is))
  const fitting = changes.filter((change) => some(change, wanted))
  // One that changes nothing but references fits every machine: it is meant where no other is.
  const tells = (change: Approved) => some(change, (pair) => pair.changes.some(compared) && wanted(pair))
  const edited = changes.find((change) => some(change, other))
  return { change: fitting.find(tells) ?? fitting[0], edited }
}

/**
 * Whether a worker's config is as a whole what was approved, also beside the fields that change: its template can be edited,
 * and Cluster API moves machines by what it says then. Null: it is of another kind or version, and nothing can be said.
 */
function isWholeConfig({ config }: ApprovedPair, request: JsonObject): boolean | null {
  const there = valueAt(request, 'desired', 'bootstrapConfig')
  if (!config || !isObject(there) || there.kind !== 'KubeadmConfig' || there.apiVersion !== config.apiVersion)
    return null
  return keyedDigest(workerConfig(isObject(there.spec) ? there.spec : {})) === config.digest
}
