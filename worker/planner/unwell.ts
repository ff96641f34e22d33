import { db } from '@/lib/db/client'
import { illPart, isAllWell, partWords, type PlaneSaid } from '@/lib/domain/control-plane'
import type { Verdict } from '@/lib/domain/verdict'
import type { MachineNow, Progress } from './progress'
import { NEAR_MS } from './went-by'
import type { OwnedGroup } from './verdicts'

type Rows = ReadonlyMap<string, Progress>

const saidOf = ({ plane }: MachineNow) => plane as unknown as PlaneSaid | null

/** Its manager waits where another one is not well either, goes, or is being updated. */
const isAlone = (machine: MachineNow, machines: readonly MachineNow[]): boolean =>
  machines.every((m) => m === machine || (!m.deleting && !m.updating && isAllWell(saidOf(m))))

/**
 * What is not well of an old control plane machine that has not begun, where all others are: Cluster API deletes such a one when its turn
 * comes, and asks nobody. Each look tells it anew until it goes. `still`: nothing may begin, so that it goes for another reason.
 */
export function unwellOf(
  machine: MachineNow,
  before: Progress | undefined,
  { way, machines, still }: { way: Verdict | undefined; machines: readonly MachineNow[]; still: boolean },
): string | null {
  if (machine.deleting) return before?.unwell ?? null
  const said = saidOf(machine)
  const foretold = before?.predicted ?? way
  const isOld = foretold ? foretold.startsWith('in-place') : machine.upToDate === false
  if (!said || !isOld || still || before?.startedAt || machine.updating || machine.node === null) return null
  const bad = illPart(said)
  return bad && isAlone(machine, machines) ? partWords(bad) : null
}

/**
 * Which one goes as its manager deletes what is ill; else whoever goes may have been deleted by somebody. It was found ill in the look
 * before, alone, and that was still so as it was deleted: the status of a condition keeps its time when all that is said is that it goes.
 */
export async function goesAsIll(
  { clusterId, kind, namespace, name }: OwnedGroup,
  { machines, rows, now }: { machines: readonly MachineNow[]; rows: Rows; now: Date },
): Promise<string | null> {
  const found = machines.find((machine) => {
    const { deletingSince } = machine
    const { state, unwell, startedAt, illAt, wentBy } = rows.get(machine.id) ?? {}
    if (state !== 'waiting' || !unwell || startedAt || illAt || wentBy || machine.updating) return false
    if (!deletingSince || Math.abs(now.getTime() - deletingSince.getTime()) > NEAR_MS) return false
    // Clocks differ.
    const wasIll = saidOf(machine)?.parts.some(
      ({ type, status, since }) =>
        status === 'False' &&
        unwell.startsWith(`${type} `) &&
        !!since &&
        Date.parse(since) < deletingSince.getTime() - NEAR_MS,
    )
    return !!wasIll && isAlone(machine, machines)
  })
  if (!found) return null
  const where = { clusterId_kind_namespace_name: { clusterId, kind, namespace, name } }
  const group = await db().group.findUnique({ where, select: { desiredReplicas: true, maxSurge: true } })
  // With fewer than it has at a time, it makes one first.
  return group && machines.length >= group.desiredReplicas + (group.maxSurge === '0' ? 0 : 1) ? found.id : null
}
