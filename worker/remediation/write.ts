import { db, type Tx } from '@/lib/db/client'
import { namesChange, restoring, skipping, SKIP_MARK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import { sendEvent } from '@/lib/services/changes/events'
import { patchMachine, type MachineKey } from '@/lib/services/remediation/patch-machine'
import { noteTaken } from '@/lib/services/remediation/taken'
import { stillOwned } from '../owned'
import { owned, type Owning } from '../planner/common'
import type { ClusterView } from '../types'
import { standsNow, type Stands, type Work } from './work'

const MACHINES = 'machines.cluster.x-k8s.io'
type Marks = Parameters<typeof patchMachine>[3]

const write = (view: ClusterView, machine: MachineKey, of: Marks, before = () => Promise.resolve()) =>
  patchMachine(view.client, view.capabilities.resources[MACHINES] ?? 'v1beta2', machine, of, async () => {
    await stillOwned(db(), view.clusterId, view)
    await before()
  })

const noted = (view: Owning, work: (tx: Tx) => Promise<unknown>): Promise<void> =>
  db().$transaction(async (tx) => {
    await owned(tx, view)
    await work(tx)
  })

/** Whether anything was written. */
export async function skipOne(view: ClusterView, work: Work): Promise<boolean> {
  const { changeId, machineId } = work
  const id = { changeId_machineId: { changeId, machineId } }
  const known = await db().remediationSkip.findUnique({ where: id })
  const before = known?.state === 'set' || known?.state === 'ended'
  const stored = await write(view, work, (annotations) => skipping(annotations, changeId, before))
  if (!stored) return false
  // It may have been taken since.
  await noted(view, (tx) =>
    tx.remediationSkip.updateMany({ where: { changeId, machineId, state: 'setting' }, data: { state: 'set' } }),
  )
  const words = 'Its remediation is skipped while Drydock has it updated in place'
  await sendEvent(view.client, stored, 'DrydockSkipsRemediation', words)
  return true
}

/** The change that is named on the machine itself. */
export async function markOf(view: ClusterView, machine: MachineKey): Promise<string | undefined> {
  let mark: string | undefined
  await write(view, machine, (annotations) => {
    mark = annotations[SKIP_MARK]
    return null
  })
  return mark
}

/** Thrown before a write: the mark is to stay. */
class Kept extends Error {}

/** Whether anything was written. It is asked anew right before: a disconnect that was refused meanwhile takes nothing. */
export async function restoreOne(view: ClusterView, work: Work): Promise<boolean> {
  const { machineId } = work
  let [mark, ours] = [work.changeId, false]
  let stands: Stands = { kept: false, left: false, through: false }
  const of: Marks = (annotations) => {
    const patch = restoring(annotations)
    // The watch may be late: another change may have it by now.
    mark = annotations[SKIP_MARK] ?? work.changeId
    ours = patch !== null && SKIPS_REMEDIATION in patch
    return patch
  }
  const before = async (): Promise<void> => {
    stands = await standsNow(view.clusterId, machineId, mark)
    if (stands.kept) throw new Kept()
    if (stands.left && ours) await noteTaken(machineId, mark)
  }
  const stored = await write(view, work, of, before).catch((error: unknown) => {
    if (error instanceof Kept) return null
    throw error
  })
  // What was taken as its cluster was to be left is marked again where it is not left.
  if (stands.kept || stands.left) return stored !== null
  if (namesChange(mark))
    await noteRestored(view, { machineId, changeId: mark }, stored !== null, ours && !stands.through)
  if (stored) await sendEvent(view.client, stored, 'DrydockMindsRemediation', 'Its remediation is as it was before')
  return stored !== null
}

/** `seen`: the mark was there, whatever was noted before. `again`: it was held before its turn came, and is marked again when it comes. */
async function noteRestored(
  view: Owning,
  where: { machineId: string; changeId: string },
  seen: boolean,
  again: boolean,
): Promise<void> {
  await noted(view, (tx) =>
    seen && again
      ? tx.remediationSkip.deleteMany({ where })
      : // What somebody else decided stays decided.
        tx.remediationSkip.updateMany({
          where: seen ? where : { ...where, state: { not: 'taken' } },
          data: { state: 'ended' },
        }),
  )
}
