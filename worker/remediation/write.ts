import { db } from '@/lib/db/client'
import { restoring, skipping, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import { sendEvent } from '@/lib/services/changes/events'
import { patchMachine } from '@/lib/services/remediation/patch-machine'
import { noteTaken } from '@/lib/services/remediation/taken'
import { stillOwned } from '../owned'
import type { ClusterView } from '../types'
import type { Work } from './work'

const MACHINES = 'machines.cluster.x-k8s.io'
type Marks = Parameters<typeof patchMachine>[3]

const write = (view: ClusterView, work: Work, of: Marks, before = () => Promise.resolve()) =>
  patchMachine(view.client, view.capabilities.resources[MACHINES] ?? 'v1beta2', work, of, async () => {
    await stillOwned(db(), view.clusterId, view)
    await before()
  })

/** Whether anything was written. */
export async function skipOne(view: ClusterView, work: Work): Promise<boolean> {
  const { changeId, machineId } = work
  const id = { changeId_machineId: { changeId, machineId } }
  const known = await db().remediationSkip.findUnique({ where: id })
  const before = known?.state === 'set' || known?.state === 'ended'
  const stored = await write(view, work, (annotations) => skipping(annotations, changeId, before))
  if (!stored) return false
  await db().remediationSkip.updateMany({ where: { changeId, machineId }, data: { state: 'set' } })
  const words = 'Its remediation is skipped while Drydock has it updated in place'
  await sendEvent(view.client, stored, 'DrydockSkipsRemediation', words)
  return true
}

/** Whether anything was written. */
export async function restoreOne(view: ClusterView, work: Work): Promise<boolean> {
  const { machineId, changeId } = work
  let [ours, taken] = [false, false]
  const of: Marks = (annotations) => {
    const patch = restoring(annotations)
    ours = patch !== null && SKIPS_REMEDIATION in patch
    return patch
  }
  const stored = await write(view, work, of, async () => {
    taken = (ours && (await noteTaken(machineId, changeId))) || taken
  })
  if (taken) return stored !== null
  // One that was held before its turn came is marked again when it comes; what somebody else decided stays decided.
  if (ours && !work.through) await db().remediationSkip.deleteMany({ where: { machineId } })
  // What was taken as its cluster was to be left is so still: where it is not left, it is marked again.
  else
    await db().remediationSkip.updateMany({ where: { machineId, state: { not: 'taken' } }, data: { state: 'ended' } })
  if (stored) await sendEvent(view.client, stored, 'DrydockMindsRemediation', 'Its remediation is as it was before')
  return stored !== null
}
