import { deletionsComing } from '@/lib/domain/changes'
import type { MachineRow } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import { projectMachine } from '@/lib/providers/cluster-api'
import type { ClientSource, GroupChange } from '@/lib/providers/cluster-api/changes'
import { inTurn } from './in-turn'
import { countsIn } from './machine-counts'
import { numbersOf } from './numbers-of'

/**
 * How many machines would be deleted, right before a group is released in place, or replacing: asked of the API server. While a decision
 * is on its way, what was said of its change stays; and what the rows say is as old as the last watch.
 */
export async function deletionsByNow(
  clusterId: string,
  mode: 'in-place' | 'replace',
  group: KubeObject,
  source: ClientSource,
  now: GroupChange,
): Promise<number> {
  const counts = await countsIn(await machinesIn(group, source), now.owner)
  const pairs = now.pairs.map(({ pair }) => ({ ...pair, machines: counts.staying(pair) }))
  // Approved in place, what updaters cover was asked for that.
  const coverage = new Map(pairs.map(({ from }) => [from, { uncovered: [] }]))
  const input = { ...(await numbersOf(now, pairs, counts)), coverage }
  return deletionsComing(await inTurn(clusterId, now, { pairs, fields: [] }, input), mode === 'in-place')
}

async function machinesIn(group: KubeObject, source: ClientSource): Promise<MachineRow[]> {
  const context = { find: () => undefined, governed: () => null, now: Date.now() }
  const rowOf = (machine: KubeObject): MachineRow[] => {
    const row = projectMachine(machine, context).machine
    return row ? [row] : []
  }
  if (group.kind === 'KubeadmControlPlane') return (await source.machines(group)).flatMap(rowOf)
  const rows = (await source.workers(group)).flatMap(rowOf)
  const sets = new Set((await source.machineSets(group)).map(({ metadata }) => metadata.name))
  return rows.filter(({ machineSet }) => machineSet !== null && sets.has(machineSet))
}
