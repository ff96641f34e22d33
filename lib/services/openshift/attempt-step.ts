import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { notStored, pathsOf } from '@/lib/domain/openshift/stored'
import { KubeError, KubeUnreachable, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { writtenAt } from '@/lib/providers/written-by'
import { kubeClientFor } from '../clusters/connection'
import { serverWords } from '../server-words'
import { bound, patchOf, type ActionStep, type ApiCall } from './action-row'
import { stepsOf, unanswered } from './row-steps'
import { changesSince } from './changes-since'
import { failureOf, type Failure } from './failure'
import type { ActionKind, Target } from './kind'
import { onceMore } from './once-more'
import { keepWritten } from './looked-at'
import { oursSince } from './ours'
import { isStoredAlone } from './settle-lost'
import { whatStands } from './what-stands'

export type StepResult = { made: ApiCall[] } & Outcome

interface Stored {
  outcome: 'stored'
  answer: string
  generation: number | null
  uid: string
  resourceVersion: string
}
type Outcome = Stored | { outcome: 'waits' } | ({ outcome: 'failed' } & Failure)

/** Writes of its status come between reading and writing as often as the operator is at work. */
const TRIES = 4
/** Where Drydock itself fails it is tried again so often. */
const MOST_ATTEMPTS = 5

/** Makes the step that is next. Unexpected errors are thrown, and it is tried again when the claim has run out. */
export async function attemptStep(row: OpenShiftAction, kind: ActionKind): Promise<StepResult> {
  const made: ApiCall[] = []
  const target = kind.target(row.target)
  let client: KubeClient | undefined
  let attempt: Attempt | undefined
  try {
    client = await kubeClientFor(row.clusterId)
    attempt = new Attempt(row, kind, target, client, made)
    return { made, ...(await attempt.run()) }
  } catch (error) {
    if (attempt && error instanceof KubeUnreachable && made.length === 0) return { made, ...attempt.unheard() }
    return {
      made,
      outcome: 'failed',
      ...(await failureOf(error, kind, target, client, whatStands(row)).catch((e: unknown) => own(e, row, kind))),
    }
  }
}

function own(error: unknown, row: OpenShiftAction, kind: ActionKind): Failure {
  if (row.attempts < MOST_ATTEMPTS) throw error
  const sentence = `Drydock itself failed, and gave up after ${row.attempts} tries; its log says why. ${onceMore(kind).do}: the object is read again first.`
  return { sentence, answer: null, code: null }
}

const storedAs = ({ metadata }: KubeObject, answer: string): Stored => {
  const { generation = null, uid, resourceVersion } = metadata
  return { outcome: 'stored', answer, generation, uid, resourceVersion }
}

class Attempt {
  private readonly step: ActionStep
  private readonly body: JsonObject
  private readonly waits: boolean
  /** As the object told it before the step; null: it told nothing; undefined: it was not read. */
  private wroteBefore: string | null | undefined
  private oursSince: string | null | undefined

  constructor(
    private readonly row: OpenShiftAction,
    private readonly kind: ActionKind,
    private readonly target: Target,
    private readonly client: KubeClient,
    private readonly made: ApiCall[],
  ) {
    this.step = stepsOf(row)[row.step]!
    this.body = this.step.body
    this.waits = this.step.waitsFor !== undefined
  }

  async run(): Promise<Outcome> {
    const { row, step } = this
    let resourceVersion = row.resourceVersion ?? ''
    if (row.step > 0 || row.attempts > 1) {
      const now = await this.read()
      const known = this.stored(now) ?? this.conflict(now)
      if (known) return known
      if (this.waits && !this.kind.ready?.(now, row.step, row)) return { outcome: 'waits' }
      if (this.sameAsSeen(now)) ({ resourceVersion } = now.metadata)
    } else await this.read().catch(() => undefined)
    const outlived = step.cancels ? null : await this.kind.still?.(row, this.client)
    if (outlived) return { outcome: 'failed', sentence: outlived, answer: null, code: 409 }
    for (let tries = 1; ; tries++) {
      const call = patchOf(this.target, bound(this.body, resourceVersion))
      try {
        return this.readBack(call, await this.patch(call))
      } catch (error) {
        if (!(error instanceof KubeError) || error.code !== 409) throw error
        const now = await this.read()
        const earlier = this.stored(now)
        if (earlier) return earlier
        if (tries === TRIES || !this.sameAsSeen(now)) return this.told(error, now)
        ;({ resourceVersion } = now.metadata)
      }
    }
  }

  /** The cluster did not even let itself be read: what waits goes on waiting. */
  unheard(): Outcome {
    if (this.waits && !unanswered(this.row)) return { outcome: 'waits' }
    const sentence = unanswered(this.row)
      ? `The cluster does not answer, so it is still not known whether it took the change. ${onceMore(this.kind).do}: it is read again first.`
      : `The cluster does not answer. Nothing was sent: ${onceMore(this.kind).then}.`
    return { outcome: 'failed', sentence, answer: null, code: null }
  }

  private async read(): Promise<KubeObject> {
    const object = await this.client.get(this.target.resource, this.target.name, this.target.namespace)
    this.wroteBefore = writtenAt(object.metadata) ?? null
    this.oursSince = oursSince(this.body, object.metadata)
    return object
  }

  private async patch(call: ApiCall): Promise<KubeObject> {
    const { resource, name, namespace } = this.target
    try {
      return await this.client.patch(resource, name, namespace, 'merge', call.body)
    } catch (error) {
      const answer = error instanceof KubeError ? { code: error.code, answer: serverWords(error) } : {}
      this.note(call, { ...answer, oursSince: this.oursSince })
      throw error
    }
  }

  private note(
    call: ApiCall,
    answer: Pick<ApiCall, 'code' | 'answer' | 'generation' | 'storedAt' | 'oursSince'>,
  ): void {
    const { step, attempts: attempt } = this.row
    this.made.push({ ...call, at: new Date().toISOString(), step, attempt, ...answer })
  }

  /** A success counts for what is stored, not for its code. */
  private readBack(call: ApiCall, object: KubeObject): Outcome {
    const missing = notStored(this.body, object)
    const { generation } = object.metadata
    if (missing.length === 0) {
      keepWritten(object, this.row.resourceVersion ?? '')
      const answer = `stored as resourceVersion ${object.metadata.resourceVersion}`
      this.note(call, { code: 200, answer, generation, storedAt: this.changedAt(object) })
      return storedAs(object, answer)
    }
    const answer = `not as sent: ${missing.join(', ')}`
    this.note(call, { code: 200, answer, generation })
    const { unknownField } = this.kind.words
    const { generation: seen } = this.row
    const changed = seen !== null && BigInt(generation ?? 0) !== seen
    const sentence =
      missing.length < pathsOf(this.body).length
        ? `The API server stored a part of the change and dropped ${missing.join(' and ')}: ${unknownField}.`
        : changed
          ? `The API server stored something else than was sent as ${missing.join(' and ')}: look how it stands.`
          : `The API server answered with success but did not store the change: ${unknownField}.`
    return { outcome: 'failed', sentence, answer, code: 200 }
  }

  /** Of a write that changed nothing, or only took fields away, the object tells when an earlier one was. */
  private changedAt({ metadata }: KubeObject): string | undefined {
    const at = writtenAt(metadata)
    return at !== undefined && this.wroteBefore !== undefined && at > (this.wroteBefore ?? '') ? at : undefined
  }

  /** An earlier attempt of ours got through, and its answer was lost. */
  private stored(now: KubeObject): Outcome | null {
    if (!unanswered(this.row) || !isStoredAlone(this.row, this.body, now)) return null
    return storedAs(now, 'An earlier attempt had already been stored.')
  }

  /** The spec is the one that the step is bound to; what the operator wrote to the status since then does not matter. */
  private sameAsSeen(now: KubeObject): boolean {
    const { uid, generation } = this.row
    if (this.kind.otherwise?.(now, this.row)) return false
    return uid === now.metadata.uid && generation !== null && BigInt(now.metadata.generation ?? 0) === generation
  }

  /** Deleted meanwhile, and another made under its name: its generation counts from one again. */
  private madeAnew({ metadata }: KubeObject): boolean {
    return this.row.uid !== null && this.row.uid !== metadata.uid
  }

  private conflict(now: KubeObject): Outcome | null {
    const known = this.row.uid !== null && this.row.generation !== null
    if (!this.madeAnew(now) && (!known || this.sameAsSeen(now))) return null
    return this.told(null, now)
  }

  private told(error: KubeError | null, now: KubeObject): Outcome {
    const { row, kind, target } = this
    const since = changesSince(kind, now, row, this.body)
    const what = this.madeAnew(now)
      ? `${target.words} was deleted in the meantime, and another made under its name`
      : `Somebody else changed ${target.words} in the meantime`
    const sentence = `${what}. ${whatStands(row, now)}: look again and decide again. ${since}`
    return { outcome: 'failed', sentence, answer: error && serverWords(error), code: 409 }
  }
}
