import { db } from '@/lib/db/client'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import type { JsonObject } from '@/lib/domain/json'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { sendEvent } from '@/lib/services/changes/events'
import { groupResource } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'

const WHY = 'Waiting for approval in Drydock: this was already pending when the latch came'

/**
 * A change that somebody's own pause kept back before there was a latch: put on hold, so that taking that pause away
 * does not let it go unapproved. The pause keeps its value; where only spec.paused stands, the hold pauses as well.
 */
export async function putOnHold(view: ClusterView, group: KubeObject): Promise<void> {
  const { uid, name, namespace, resourceVersion, annotations = {} } = group.metadata
  if (HELD in annotations) return
  const [row, cluster] = await Promise.all([
    db().group.findUnique({ where: { id: uid }, select: { governed: true } }),
    db().managementCluster.findUnique({ where: { id: view.clusterId }, select: { latchForm: true } }),
  ])
  if (!row?.governed || !cluster || cluster.latchForm === 'none') return
  await stillOwned(db(), view.clusterId, view)
  const pause: JsonObject = PAUSED in annotations ? {} : { [PAUSED]: PAUSED_BY_DRYDOCK }
  const body: JsonObject = { metadata: { resourceVersion, annotations: { ...pause, [HELD]: WHY } } }
  try {
    const resource = groupResource(group.kind, group.apiVersion)
    const stored = await view.client.patch(resource, name, namespace, 'merge', body)
    await sendEvent(view.client, stored, 'DrydockHeld', WHY)
    await db().$transaction((tx) =>
      recordAudit(tx, systemCtx('planner'), {
        action: 'change.held',
        target: { kind: group.kind, id: uid, name: `${namespace}/${name}` },
        cluster: { id: view.clusterId, name: view.name },
        answer: `stored as resourceVersion ${stored.metadata.resourceVersion}`,
      }),
    )
  } catch (error) {
    // Changed since it was seen: the watch shows it again, and then it is put on hold.
    if (!(error instanceof KubeError && (error.code === 409 || error.code === 404))) throw error
  }
}
