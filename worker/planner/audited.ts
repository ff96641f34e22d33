import { db } from '@/lib/db/client'
import { objectKey } from '@/lib/kubernetes/paths'
import { mayBeStored } from '@/lib/kubernetes/may-be-stored'
import { OthersWrote, rewrite } from '@/lib/kubernetes/rewrite'
import { KubeError, type KubeObject, type ObjectMeta, type Resource } from '@/lib/kubernetes/types'
import { lastRefusal } from '@/lib/services/audit/last-refusal'
import { recordAudit, type AuditEntry } from '@/lib/services/audit/record'
import { NOT_KNOWN, NOTHING_WRITTEN, UNREAD } from '@/lib/services/audit/not-written'
import { systemCtx } from '@/lib/services/context'
import { stillOwned } from '../owned'
import { FailingReads } from '../refusals'
import type { ClusterView } from '../types'

export interface About {
  /** Of the change, or of the group where it has none. */
  id: string
  /** Written before the call. */
  intent: string
  /** Written after it, with the answer. */
  action: string
  /** Why, on both; what is known only of what is read for it, once it is. */
  reason?: string | (() => string | undefined)
}

/** Thrown by a patch that found, when it looked again, that there is nothing to write: that is on record then. */
export class NothingToWrite extends Error {
  constructor(
    readonly result: 'ok' | 'failed',
    why: string,
  ) {
    super(`${why}: ${NOTHING_WRITTEN}`)
    this.name = 'NothingToWrite'
  }
}

/** Thrown by a patch that could not read what it goes by: nothing was written. */
export class Unread extends Error {
  constructor(readonly error: KubeError) {
    super(error.message)
    this.name = 'Unread'
  }
}

/** What a patch reads before it writes. */
export const reading = <T>(read: Promise<T>): Promise<T> =>
  read.catch((error: unknown) => {
    throw error instanceof KubeError ? new Unread(error) : error
  })

const GONE = new NothingToWrite('ok', 'It is not as it was, or gone')

type Key = Pick<ObjectMeta, 'uid' | 'name' | 'namespace'>
type Named = Pick<KubeObject, 'kind'> & { metadata: Omit<Key, 'uid'> }

/** What is recorded of one write: its intent once, and what came of it. Of a refusal that stands, neither is told again. */
function recorder(view: ClusterView, group: Named, about: About) {
  const { id, intent, action } = about
  const target = { kind: group.kind, id, name: objectKey(group) }
  const cluster = { id: view.clusterId, name: view.name }
  const record = (entry: Pick<AuditEntry, 'action' | 'result' | 'answer'>): Promise<void> =>
    db().$transaction((tx) =>
      recordAudit(tx, systemCtx('planner'), { ...entry, reason: reasonOf(about), target, cluster }),
    )
  const told = () => lastRefusal(action, target, reasonOf(about))
  return {
    /** By the owner of the cluster only. */
    async intent() {
      const known = await told()
      await stillOwned(db(), view.clusterId, view)
      if (known === null) await record({ action: intent })
    },
    stored: ({ metadata }: KubeObject) =>
      record({ action, answer: `stored as resourceVersion ${metadata.resourceVersion}` }),
    nothing: ({ result, message }: NothingToWrite) => record({ action, result, answer: message }),
    async failed(error: KubeError, isRead = false): Promise<Failed> {
      const why = isRead && error.code !== 403 ? 'unread' : mayBeStored(error) ? 'not-known' : 'refused'
      const answer = `${BEGINS[why]}${error.message}`
      if ((await told()) !== answer) await record({ action, result: why === 'refused' ? why : 'failed', answer })
      return { why, words: error.message }
    },
  }
}

const BEGINS = { refused: '', 'not-known': NOT_KNOWN, unread: UNREAD }

const reasonOf = ({ reason }: About): string | undefined => (typeof reason === 'function' ? reason() : reason)

/**
 * A patch of the planner's own: recorded first, by the owner of the cluster, then made, then what the API server
 * answered. Null where the API server refused it, or may not have stored it, or what it goes by could not be read; the planner comes back to it. An outage leaves the intent alone.
 */
export async function audited(
  view: ClusterView,
  group: KubeObject,
  about: About,
  patch: () => Promise<KubeObject>,
): Promise<KubeObject | null> {
  const said = recorder(view, group, about)
  await said.intent()
  try {
    const stored = await patch()
    await said.stored(stored)
    return stored
  } catch (error) {
    if (error instanceof NothingToWrite) await said.nothing(error)
    const isRead = error instanceof Unread
    if (!isRead && !(error instanceof KubeError)) throw error
    await said.failed(isRead ? error.error : error, isRead)
    return null
  }
}

/** Why nothing was written, in which words, or nobody knows whether it was. 'busy': only others wrote to it each time. */
export interface Failed {
  why: 'refused' | 'not-known' | 'unread' | 'busy'
  words: string
}

/** What came of it; null: there was nothing to write. */
export type Rewritten = { stored: KubeObject } | Failed | null

const failing = new FailingReads()

/**
 * An object that is written by what it is right before (lib/kubernetes/rewrite), on record as above where there is something to write.
 * Where the API server refuses it, or what has to be read for it, in which words. A read that fails otherwise is thrown, and tried
 * anew, until it has failed for a while.
 */
export async function auditedRewrite(
  view: ClusterView,
  group: Named,
  about: About,
  [resource, object, make]: [Resource, { metadata: Key }, Parameters<typeof rewrite>[3]],
): Promise<Rewritten> {
  const { uid, name, namespace = '' } = object.metadata
  const said = recorder(view, group, about)
  let answer: unknown
  let isIntended = false
  const key = `${view.clusterId} ${about.action} ${uid}`
  const write = async (call: () => Promise<KubeObject>): Promise<KubeObject> => {
    // It may be somebody else's by the time in which it was read.
    await stillOwned(db(), view.clusterId, view)
    return call().catch((error: unknown) => {
      answer = error
      throw error
    })
  }
  try {
    const now = await view.client.get(resource, name, namespace)
    const isNothing = now.metadata.uid !== uid || !(await make(now))
    failing.ended(key)
    if (isNothing) return null
    await said.intent()
    isIntended = true
    const stored = await rewrite(view.client, resource, { uid, name, namespace }, make, write)
    if (stored) await said.stored(stored)
    else await said.nothing(GONE)
    return stored && { stored }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    // Nobody refused it: it is tried anew with what stands there then.
    if (error instanceof OthersWrote) {
      const busy = 'Others wrote to it again and again'
      await said.nothing(new NothingToWrite('failed', busy))
      return { why: 'busy', words: busy }
    }
    const isRead = error !== answer
    // Gone, or what it belongs to.
    if (isRead && error.code === 404) {
      if (isIntended) await said.nothing(GONE)
      return null
    }
    if (isRead && error.code !== 403 && !failing.isLasting(key)) throw error
    return said.failed(error, isRead)
  }
}
