import { db } from '@/lib/db/client'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { sendEvent } from '@/lib/services/changes/events'
import { groupResource } from '@/lib/services/changes/patch-for'
import { systemCtx } from '@/lib/services/context'
import type { GateStatus } from '@/lib/services/gate/status'
import { log } from '../log'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'

const WHY = 'Stopped by Drydock: its registration is gone, and without it the rest would be replaced'
const TRIES = 5

/**
 * Without the registration Cluster API takes "nobody answers" for "replace": what was approved in place is stopped, by
 * putting the hold back. A machine that has begun stays as it is until the gate is registered again.
 */
export async function stopInPlace(view: ClusterView, status: GateStatus): Promise<void> {
  if (status.state !== 'unregistered' && status.state !== 'handlers-missing') return
  const running = await db().change.findMany({
    where: {
      clusterId: view.clusterId,
      state: { in: ['approved', 'running', 'stuck'] },
      decisions: { some: { mode: 'in-place', state: { in: ['applying', 'accepted', 'seen'] } } },
    },
  })
  // All at once: each of them may go on at any moment.
  await Promise.all(
    running.map(async (change) => {
      try {
        await stop(view, change)
      } catch (error) {
        log.error({ err: error, group: change.groupName }, 'an in-place rollout without a gate could not be stopped')
      }
    }),
  )
}

interface Running {
  id: string
  groupId: string
  groupKind: string
  groupName: string
  namespace: string
}

async function stop(view: ClusterView, change: Running): Promise<void> {
  const { groupId, groupKind, groupName, namespace } = change
  const api = groupKind === 'KubeadmControlPlane' ? 'controlplane.cluster.x-k8s.io' : 'cluster.x-k8s.io'
  const row = await db().group.findUnique({ where: { id: groupId }, select: { apiVersion: true } })
  const resource = groupResource(groupKind, row?.apiVersion ?? `${api}/v1beta2`)
  for (let attempt = 1; ; attempt++) {
    const object = await view.client.get(resource, groupName, namespace)
    const { uid, resourceVersion, annotations = {} } = object.metadata
    if (uid !== groupId || PAUSED in annotations) return
    await stillOwned(db(), view.clusterId, view)
    const body = { metadata: { resourceVersion, annotations: { [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: WHY } } }
    try {
      const stored = await view.client.patch(resource, groupName, namespace, 'merge', body)
      const answer = `stored as resourceVersion ${stored.metadata.resourceVersion}`
      await sendEvent(view.client, stored, 'DrydockHeld', WHY)
      return void (await db().$transaction((tx) =>
        recordAudit(tx, systemCtx('planner'), {
          action: 'change.stopped',
          target: { kind: groupKind, id: change.id, name: `${namespace}/${groupName}` },
          cluster: { id: view.clusterId, name: view.name },
          reason: 'The registration of the update gate is gone.',
          answer,
        }),
      ))
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 409) || attempt === TRIES) throw error
    }
  }
}
