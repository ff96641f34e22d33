import * as z from 'zod'
import { fleetTotals, lastDecision, workloadRows, type Totals, type WorkloadRow } from '@/lib/db/queries/fleet'
import { clusterHulls, hullKey } from '@/lib/db/queries/hulls'
import { leftHeldRows, type LeftHeldRow } from '@/lib/db/queries/left-held'
import { withMissing, type HullData } from '@/lib/domain/hull'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ROW_CELLS } from '../groups/change-hulls'
import { needsYou, type Need } from './needs-you'

export interface WorkloadDto extends WorkloadRow {
  /** With the machines that its groups want and that are not there: a cluster that is short of one is not whole. */
  controlPlane: HullData
  workers: HullData
  wanted: number
}

export interface Fleet {
  needs: Need[]
  /** Disconnected, with groups that stay held. */
  left: LeftHeldRow[]
  last: { at: string; who: string; group: string } | null
  totals: Totals
  workloads: WorkloadDto[]
  after: string | null
}

const Input = z.object({
  cluster: z.string().max(253, 'A name has at most 253 characters.').optional(),
  workload: z.string().max(253, 'A name has at most 253 characters.').optional(),
  after: z.string().max(400, 'This is not a place in the list; begin at its top.').optional(),
})
const PAGE = 50
const NONE: HullData = { total: 0, cells: [], counts: [] }

/** The first page: what needs this person, and every workload cluster. */
export async function getFleet(ctx: Ctx, input: unknown): Promise<Fleet> {
  requirePermission(ctx, 'fleet:read')
  const { after, ...scope } = parseInput(Input, input)
  const [needs, left, last, totals, rows] = await Promise.all([
    needsYou(ctx, scope),
    leftHeldRows(scope.cluster ?? null),
    lastDecision(),
    fleetTotals(scope),
    workloadRows(scope, after ?? null, PAGE + 1),
  ])
  const page = rows.slice(0, PAGE)
  const hulls = await clusterHulls(
    page.map((row) => ({ ...row, workload: row.name })),
    ROW_CELLS,
  )
  const hullOf = (row: WorkloadRow, controlPlane: boolean, wanted: number) => {
    const hull = hulls.get(hullKey({ ...row, workload: row.name }, controlPlane)) ?? NONE
    return withMissing(hull, wanted - hull.total, ROW_CELLS)
  }
  const whole = (row: WorkloadRow): WorkloadDto => {
    const controlPlane = hullOf(row, true, row.planeWanted)
    const workers = hullOf(row, false, row.workersWanted)
    return { ...row, controlPlane, workers, wanted: controlPlane.total + workers.total }
  }
  const end = page.at(-1)
  return {
    needs,
    left,
    last,
    totals,
    workloads: page.map(whole),
    after: rows.length > PAGE && end ? `${end.name}/${end.id}` : null,
  }
}
