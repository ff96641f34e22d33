import { db } from '@/lib/db/client'
import { restoring, skipping, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import { parseResource } from '@/lib/kubernetes/paths'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { sendEvent } from '@/lib/services/changes/events'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'
import type { Work } from './work'

const MACHINES = 'machines.cluster.x-k8s.io'
const TRIES = 5

type Annotations = Record<string, string>

/** Whether anything was written. */
export async function skipOne(view: ClusterView, work: Work): Promise<boolean> {
  const { changeId, machineId } = work
  const id = { changeId_machineId: { changeId, machineId } }
  const known = await db().remediationSkip.findUnique({ where: id })
  const before = known?.state === 'set' || known?.state === 'ended'
  const stored = await patchMachine(view, work, (annotations) => skipping(annotations, changeId, before))
  if (!stored) return false
  await db().remediationSkip.updateMany({ where: { changeId, machineId }, data: { state: 'set' } })
  const words = 'Its remediation is skipped while Drydock has it updated in place'
  await sendEvent(view.client, stored, 'DrydockSkipsRemediation', words)
  return true
}

/** Whether anything was written. */
export async function restoreOne(view: ClusterView, work: Work): Promise<boolean> {
  const { machineId } = work
  let ours = false
  const stored = await patchMachine(view, work, (annotations) => {
    const patch = restoring(annotations)
    ours = patch !== null && SKIPS_REMEDIATION in patch
    return patch
  })
  // One that was held before its turn came is marked again when it comes; what somebody else decided stays decided.
  if (ours && !work.through) await db().remediationSkip.deleteMany({ where: { machineId } })
  else await db().remediationSkip.updateMany({ where: { machineId }, data: { state: 'ended' } })
  if (stored) await sendEvent(view.client, stored, 'DrydockMindsRemediation', 'Its remediation is as it was before')
  return stored !== null
}

/** Reads, and writes exactly what that asks for; who wrote in between is read anew. Null: nothing was to be written. */
async function patchMachine(
  view: ClusterView,
  { machineId, namespace, name }: Work,
  of: (annotations: Annotations) => Record<string, string | null> | null,
): Promise<KubeObject | null> {
  const resource = parseResource(MACHINES, view.capabilities.resources[MACHINES] ?? 'v1beta2')
  for (let attempt = 1; ; attempt++) {
    const machine = await view.client.get(resource, name, namespace).catch((error: unknown) => {
      if (error instanceof KubeError && error.code === 404) return null
      throw error
    })
    // Gone, or another one of the name.
    if (machine?.metadata.uid !== machineId) return null
    const annotations = of(machine.metadata.annotations ?? {})
    if (!annotations) return null
    await stillOwned(db(), view.clusterId, view)
    const body = { metadata: { resourceVersion: machine.metadata.resourceVersion, annotations } }
    try {
      return await view.client.patch(resource, name, namespace, 'merge', body)
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 409) || attempt === TRIES) throw error
    }
  }
}
