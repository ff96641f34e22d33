import { namedIn } from '@/lib/kubernetes/paths'
import type { Tx } from '@/lib/db/client'
import { ofContent, type RevisionPair } from '@/lib/domain/changes'
import { SENT } from '../changes/answered'
import { pairsApproved } from '../changes/approved-pairs'
import { ServiceError } from '../errors'
import type { GroupIdentity } from './groups'
import { LIVE, OPEN, UNDER_WAY } from '../changes/states'

type Covered = Pick<RevisionPair, 'changes' | 'certainReplace'>

/**
 * Who covers the fields of what was approved, by one decision or by several, the newest first: who covers a field is the word of
 * the newest that has it. `unsure` where of one nobody is known to, so that it may be anybody.
 */
export function coveredBy(approved: readonly (readonly Covered[])[]): { names: Set<string>; unsure: boolean } {
  const fields = new Map<string, Set<string | undefined>>()
  for (const pairs of approved) {
    const newer = new Set(fields.keys())
    const changes = pairs.filter((pair) => !pair.certainReplace).flatMap((pair) => pair.changes)
    for (const { object, path, coveredBy: name } of changes.filter(ofContent)) {
      const field = `${object} ${path}`
      if (!newer.has(field)) fields.set(field, (fields.get(field) ?? new Set()).add(name))
    }
  }
  const names = new Set([...fields.values()].flatMap((each) => [...each]))
  const unsure = fields.size === 0 || names.delete(undefined)
  return { names: names as Set<string>, unsure }
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

const APPROVED = { mode: 'in-place', OR: [{ state: { in: LIVE } }, SENT] }

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
          decisions: { some: APPROVED },
          progress: { some: { state: { in: ['updating', 'failed'] } } },
        },
      ],
    },
    orderBy: [{ detectedAt: 'desc' }, { id: 'asc' }],
    select: {
      ...{ id: true, clusterId: true, state: true, namespace: true, groupName: true, summary: true, changeSet: true },
      ...{ groupKind: true, workloadCluster: true },
      progress: { where: { state: { in: ['updating', 'failed'] } }, select: { machineId: true } },
      decisions: { where: APPROVED, orderBy: { recordedAt: 'desc' }, select: { state: true, pairs: true } },
      cluster: { select: { name: true } },
    },
  })
  const inForce = (row: (typeof rows)[number]) =>
    row.state !== 'superseded' && row.decisions.some(({ state }) => LIVE.includes(state))
  const ids = rows.flatMap((row) => (inForce(row) ? [] : row.progress.map((p) => p.machineId)))
  const machines = await tx.machine.findMany({ where: { id: { in: ids }, updating: true }, select: { id: true } })
  const atWork = new Set(machines.map(({ id }) => id))
  return rows
    .filter((row) => inForce(row) || row.progress.some((p) => atWork.has(p.machineId)))
    .map((row) => {
      const { names, unsure } = coveredBy(row.decisions.map((decision) => pairsApproved(decision, row)))
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
