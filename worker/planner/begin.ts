import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { summaryOf, versionsOf } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { managed } from '@/lib/providers/cluster-api'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { sendEvent } from '@/lib/services/changes/events'
import { keepBaseline } from './baseline'
import { json, LATER_MS, owned, SOON_MS, type Hold, type PlanContext, type Row } from './common'
import { end } from './end'
import type { Planned } from './read'
import { writeVerdicts } from './verdicts'

/** A change that was not there; it takes the place of the one before. */
export async function begin(
  context: PlanContext,
  group: KubeObject,
  planned: Planned,
  hold: Hold,
  before: Row | null,
): Promise<number> {
  const { view } = context
  const state = hold === 'none' ? 'running' : 'waiting'
  const { from, to } = versionsOf(planned.changeSet.fields)
  const created = await db().$transaction(async (tx) => {
    await owned(tx, view)
    if (before) await end(tx, view, before, 'superseded')
    const row = await tx.change.create({
      data: {
        clusterId: view.clusterId,
        groupId: group.metadata.uid,
        groupKind: group.kind,
        namespace: group.metadata.namespace ?? '',
        groupName: group.metadata.name,
        workloadCluster: workloadClusterOf(group),
        fingerprint: planned.change.fingerprint,
        digest: planned.change.digest,
        state,
        summary: summaryOf(planned.changeSet.fields),
        fromVersion: from,
        toVersion: to,
        changeSet: json(planned.changeSet),
        outlook: json(planned.outlook),
        heldBy: hold,
        resourceVersion: group.metadata.resourceVersion,
        machines: planned.changeSet.pairs.reduce((sum, pair) => sum + pair.machines, 0),
        author: managed(group),
        startedAt: state === 'running' ? new Date() : null,
      },
    })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ids: [row.id] })
    return row
  })
  await writeVerdicts(
    { clusterId: view.clusterId, kind: group.kind, namespace: created.namespace, name: created.groupName },
    planned.verdicts,
  )
  if (hold !== 'none') await keepBaseline(created.id)
  if (hold === 'latch')
    await sendEvent(view.client, group, 'DrydockHeld', `${created.summary} waits for approval in Drydock.`)
  return state === 'running' ? SOON_MS : LATER_MS
}
