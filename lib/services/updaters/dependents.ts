import { namedIn } from '@/lib/kubernetes/paths'
import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { ofContent } from '@/lib/domain/changes'
import { SENT } from '../changes/answered'
import { changeSetOf } from '../changes/change-row'
import { ServiceError } from '../errors'
import type { GroupIdentity } from './groups'
import { LIVE, OPEN, UNDER_WAY } from '../changes/states'

/** Who covers the fields of a change; `unsure` where of one nobody is known to, so that it may be anybody. */
export function coveredBy(change: Pick<Change, 'changeSet'>): { names: Set<string>; unsure: boolean } {
  const pairs = (changeSetOf(change).pairs ?? []).filter((pair) => !pair.certainReplace)
  const fields = pairs.flatMap((pair) => pair.changes).filter(ofContent)
  return {
    names: new Set(fields.flatMap(({ coveredBy: name }) => name ?? [])),
    unsure: fields.length === 0 || fields.some(({ coveredBy: name }) => !name),
  }
}

export interface Dependent {
  changeId: string
  clusterName: string
  group: string
  identity: GroupIdentity
  summary: string
}

/** Why it cannot be done while machines are at work. */
export function inUse(dependents: readonly Dependent[], why: string): ServiceError {
  const n = dependents.length
  return new ServiceError('conflict', `${n} change${n === 1 ? ' is' : 's are'} being updated in place right now.`, {
    hint: `Wait until ${n === 1 ? 'it is' : 'they are'} done (${dependents
      .slice(0, 3)
      .map(({ clusterName, group }) => `${group} in ${clusterName}`)
      .join(', ')}${n > 3 ? ', …' : ''}): ${why}`,
  })
}

/** The changes of `inPlaceChanges` that the updater has a part in, as far as is known. */
export async function dependentsOf(tx: Tx, updater: Asked): Promise<Dependent[]> {
  return (await inPlaceChanges(tx, updater.clusterId)).filter((change) => change.hasPart(updater)).map(dependentOf)
}

/** An updater, and for which management cluster it is; null: for all. */
interface Asked {
  name: string
  clusterId: string | null
}

interface InPlaceChange extends Dependent {
  hasPart(updater: Asked): boolean
}

/** Without what only the server can tell. */
export const dependentOf = ({ hasPart: _, ...dependent }: InPlaceChange): Dependent => dependent

/**
 * The changes of one management cluster, or of all, that were approved in place and are not over. Those that a newer
 * change took the place of count while a machine of theirs is at work.
 */
export async function inPlaceChanges(tx: Tx, clusterId: string | null): Promise<InPlaceChange[]> {
  const rows = await tx.change.findMany({
    where: {
      ...(clusterId ? { clusterId } : {}),
      OR: [
        {
          state: { in: UNDER_WAY },
          decisions: { some: { mode: 'in-place', state: { in: LIVE } } },
        },
        {
          // Also one that was stopped, or rejected since: what is begun goes on to its end.
          state: { in: ['superseded', ...OPEN] },
          decisions: { some: { mode: 'in-place', OR: [{ state: { in: LIVE } }, SENT] } },
          progress: { some: { state: { in: ['updating', 'failed'] } } },
        },
      ],
    },
    orderBy: [{ detectedAt: 'desc' }, { id: 'asc' }],
    select: {
      ...{ id: true, clusterId: true, state: true, namespace: true, groupName: true, summary: true, changeSet: true },
      ...{ groupKind: true, workloadCluster: true },
      progress: { where: { state: { in: ['updating', 'failed'] } }, select: { machineId: true } },
      decisions: { where: { mode: 'in-place', state: { in: LIVE } }, select: { id: true }, take: 1 },
      cluster: { select: { name: true } },
    },
  })
  const inForce = (row: (typeof rows)[number]) => row.state !== 'superseded' && row.decisions.length > 0
  const ids = rows.flatMap((row) => (inForce(row) ? [] : row.progress.map((p) => p.machineId)))
  const machines = await tx.machine.findMany({ where: { id: { in: ids }, updating: true }, select: { id: true } })
  const atWork = new Set(machines.map(({ id }) => id))
  return rows
    .filter((row) => inForce(row) || row.progress.some((p) => atWork.has(p.machineId)))
    .map((row) => {
      const { names, unsure } = coveredBy(row)
      return {
        changeId: row.id,
        clusterName: row.cluster.name,
        group: namedIn(row.namespace, row.groupName),
        identity: { kind: row.groupKind, namespace: row.namespace, workloadCluster: row.workloadCluster },
        summary: row.summary,
        hasPart: ({ name, clusterId: only }) =>
          (only === null || only === row.clusterId) && (unsure || names.has(name)),
      }
    })
}
