import { db } from '@/lib/db/client'
import { lookAtGate } from '@/lib/services/gate/look'
import { EXTENSION_RESOURCE } from '@/lib/services/gate/manifest'
import { planWaiting } from './planner'
import { stopInPlace, unasked } from './planner/stop'
import type { ClusterView, Consumer } from './types'

/**
 * Follows the gate's registration, apart from the plans and without waiting for rows: where nobody would be asked any
 * more, what was approved in place is stopped at once. What fails is repeated until it is done.
 */
export const registrationConsumer: Consumer = {
  name: 'registration',
  resources: [EXTENSION_RESOURCE],
  afterRows: false,
  onSynced: look,
  onChanges: look,
}

async function look(view: ClusterView): Promise<void> {
  if (!view.capabilities.resources[EXTENSION_RESOURCE]) return
  let status
  try {
    status = await lookAtGate(view.clusterId)
  } catch (error) {
    // Where the gate was never registered there is nothing to look after, and maybe no certificate to compare with.
    const where = { id: view.clusterId, gateState: 'registered' }
    if ((await db().managementCluster.count({ where })) === 0) return
    throw error
  }
  const why = unasked(status)
  if (why) await stopInPlace(view, why)
  // What can be approved depends on the registration.
  await planWaiting(view.clusterId)
}
