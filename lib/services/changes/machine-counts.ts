import { db } from '@/lib/db/client'
import type { OutlookInput, RevisionPair } from '@/lib/domain/changes'
import type { MachineRow } from '@/lib/domain/rows'
import { MOVED } from '@/lib/providers/cluster-api'
import type { GroupChange } from '@/lib/providers/cluster-api/changes'
import { OPEN } from './states'

/** Of those that stay: a machine that goes already is counted by its MachineSet until it is gone, and nothing is left to do with it. */
export interface MachineCounts extends Required<
  Pick<OutlookInput, 'machines' | 'deleting' | 'updating' | 'outOfService' | 'unavailable'>
> {
  awayIn: (sets: readonly string[]) => NonNullable<OutlookInput['away']>
  staying: (pair: Pick<RevisionPair, 'from' | 'machines'>) => number
}

type Owner = GroupChange['owner']
type Counted = Pick<MachineRow, 'machineSet' | 'deleting' | 'updating' | 'available' | 'state'>

/** As the rows of a group say it. */
export async function countsOf(clusterId: string, { uid, namespace, kind, name }: Owner): Promise<MachineCounts> {
  const of = { clusterId, namespace, groupKind: kind, groupName: name }
  const [rows, failed] = await Promise.all([
    db().machine.groupBy({
      by: ['machineSet', 'deleting', 'updating', 'available', 'state'],
      where: of,
      _count: true,
    }),
    failedOf(uid),
  ])
  const begins = { ...of, id: { in: failed }, updating: true, deleting: false, state: { not: 'failed' } }
  const notAtWork = failed.length > 0 ? await db().machine.count({ where: begins }) : 0
  const moved = { ...of, updating: true, deleting: false, sentence: { startsWith: MOVED } }
  const outOfService = rows.some(({ updating }) => updating) ? await db().machine.count({ where: moved }) : 0
  return counted(rows, { notAtWork, outOfService })
}

/** The same of machines as they are read now. */
export async function countsIn(rows: readonly MachineRow[], { uid }: Pick<Owner, 'uid'>): Promise<MachineCounts> {
  const failed = new Set(await failedOf(uid))
  const busy = rows.filter(({ updating, deleting }) => updating && !deleting)
  return counted(
    rows.map((row) => ({ ...row, _count: 1 })),
    {
      notAtWork: busy.filter(({ id, state }) => failed.has(id) && state !== 'failed').length,
      outOfService: busy.filter(({ sentence }) => sentence.startsWith(MOVED)).length,
    },
  )
}

/** `notAtWork`: their updater said that it failed: until that is asked again nothing is at work. */
function counted(
  rows: readonly (Counted & { _count: number })[],
  { notAtWork, outOfService }: { notAtWork: number; outOfService: number },
): MachineCounts {
  const count = (which: (row: Counted) => boolean) => rows.filter(which).reduce((sum, row) => sum + row._count, 0)
  const going = new Set(rows.flatMap(({ deleting, machineSet }) => (deleting && machineSet ? [machineSet] : [])))
  const stays = ({ deleting }: { deleting: boolean }) => !deleting
  return {
    machines: count(stays),
    deleting: count((row) => row.deleting),
    updating: count((row) => stays(row) && row.updating && row.state !== 'failed') - notAtWork - outOfService,
    outOfService,
    unavailable: count((row) => stays(row) && (row.updating || !row.available)),
    awayIn: (sets) => {
      const away = (which: (set: string | null) => boolean) =>
        count((row) => stays(row) && !row.updating && !row.available && which(row.machineSet))
      return {
        current: away((set) => set === null || !sets.includes(set)),
        olds: new Map(sets.map((of) => [of, away((set) => set === of)])),
      }
    },
    staying: ({ from, machines }) =>
      going.has(from)
        ? Math.min(
            machines,
            count((row) => stays(row) && row.machineSet === from),
          )
        : machines,
  }
}

async function failedOf(groupId: string): Promise<string[]> {
  const where = { state: 'failed', updater: { not: null }, change: { groupId, state: { in: OPEN } } }
  return (await db().machineProgress.findMany({ where, select: { machineId: true } })).map((row) => row.machineId)
}
