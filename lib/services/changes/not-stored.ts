import { db } from '@/lib/db/client'
import { mayBeStored } from '@/lib/kubernetes/may-be-stored'
import type { KubeClient, KubeError, KubeObject } from '@/lib/kubernetes/types'
import { heldBy } from './claim-decision'
import { restoreLetGo } from './let-go'
import type { DecisionRow as Row } from './overtake'
import { DECISION, groupResource } from './patch-for'

/** A refusal; or an error of its own, of admission, or with the object written by others since: then this patch is too old. */
export async function surelyNotStored(
  error: KubeError,
  row: Row,
  patched: KubeObject,
  client: KubeClient,
): Promise<boolean> {
  if (!mayBeStored(error)) return true
  const { groupKind, groupName, namespace } = row.change
  try {
    const { metadata } = await client.get(groupResource(groupKind, patched.apiVersion), groupName, namespace)
    return metadata.annotations?.[DECISION] !== row.id && metadata.resourceVersion !== patched.metadata.resourceVersion
  } catch {
    return false
  }
}

/** The API server surely did not store it. What an earlier attempt may have sent stays on record. */
export async function notSent(row: Row, letGo: string | null): Promise<void> {
  if (row.sentAt) return
  const { count } = await db().decision.updateMany({ where: heldBy(row), data: { sentAt: null } })
  if (count > 0) await restoreLetGo(row.change.clusterId, row.change.groupId, letGo)
}
