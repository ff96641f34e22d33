import { db } from '@/lib/db/client'
import { objectKey } from '@/lib/kubernetes/paths'
import { OthersWrote, rewrite } from '@/lib/kubernetes/rewrite'
import { KubeError, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import { lastRefusal } from '@/lib/services/audit/last-refusal'
import { recordAudit, type AuditEntry } from '@/lib/services/audit/record'
import { NOTHING_WRITTEN } from '@/lib/services/audit/nothing-written'
import { systemCtx } from '@/lib/services/context'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'

export interface About {
  /** Of the change, or of the group where it has none. */
  id: string
  /** Written before the call. */
  intent: string
  /** Written after it, with the answer. */
  action: string
  /** Why, on both. */
  reason?: string
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

/**
 * A patch of the planner's own: recorded first, by the owner of the cluster, then made, then what the API server
 * answered. Null where the API server refused it; the planner comes back to it. An outage leaves the intent alone.
 */
export async function audited(
  view: ClusterView,
  group: KubeObject,
  about: About,
  patch: () => Promise<KubeObject>,
): Promise<KubeObject | null> {
  const target = { kind: group.kind, id: about.id, name: objectKey(group) }
  const cluster = { id: view.clusterId, name: view.name }
  const record = (entry: Pick<AuditEntry, 'action' | 'result' | 'answer'>): Promise<void> =>
    db().$transaction((tx) =>
      recordAudit(tx, systemCtx('planner'), { ...entry, reason: about.reason, target, cluster }),
    )
  const told = await lastRefusal(about.action, target)
  await stillOwned(db(), view.clusterId, view)
  if (told === null) await record({ action: about.intent })
  try {
    const stored = await patch()
    await record({ action: about.action, answer: `stored as resourceVersion ${stored.metadata.resourceVersion}` })
    return stored
  } catch (error) {
    if (error instanceof NothingToWrite)
      await record({ action: about.action, result: error.result, answer: error.message })
    if (!(error instanceof KubeError)) throw error
    if (told !== error.message) await record({ action: about.action, result: 'refused', answer: error.message })
    return null
  }
}

/** What came of it; null: there was nothing to write. `busy`: others wrote to it each time. */
export type Rewritten = { stored: KubeObject } | { refused: string } | { busy: true } | null

/**
 * An object that is written by what it is right before (lib/kubernetes/rewrite), on record as above. Where the API server refuses
 * it, in which words. What others kept writing to is no refusal: it is looked at anew, in a moment.
 */
export async function auditedRewrite(
  view: ClusterView,
  group: KubeObject,
  about: About,
  [resource, object, make]: [Resource, KubeObject, Parameters<typeof rewrite>[3]],
): Promise<Rewritten> {
  const { uid, name, namespace = '' } = object.metadata
  let refused = ''
  let isBusy = false
  const write = async (): Promise<KubeObject> => {
    // It may be somebody else's by the time in which it was read.
    const mine = () => stillOwned(db(), view.clusterId, view)
    const stored = await rewrite(view.client, resource, { uid, name, namespace }, make, mine).catch(
      (error: unknown) => {
        if (!(error instanceof KubeError)) throw error
        // Nobody refused it: it is tried anew with what stands there then.
        if (error instanceof OthersWrote) {
          isBusy = true
          throw new NothingToWrite('failed', 'Others wrote to it again and again')
        }
        refused = error.message
        throw error
      },
    )
    if (!stored) throw new NothingToWrite('ok', 'It is not as it was, or gone')
    return stored
  }
  try {
    const stored = await audited(view, group, about, write)
    return stored ? { stored } : { refused }
  } catch (error) {
    if (error instanceof NothingToWrite) return isBusy ? { busy: true } : null
    throw error
  }
}
