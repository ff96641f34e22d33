import { db, pool } from '@/lib/db/client'
import { namedIn } from '@/lib/kubernetes/paths'

/**
 * Where the group of a change is, as far as Drydock knows: listed (`here`), no longer listed (`gone`), of a cluster that
 * nobody asks any more (`disconnected`), or of one whose groups are not listed yet (`unheard`).
 */
export type GroupPlace = 'here' | 'gone' | 'disconnected' | 'unheard'

interface Of {
  clusterId: string
  groupKind: string
  namespace: string
  groupName: string
}

export async function placeOfGroup(of: Of, listed: boolean): Promise<{ place: GroupPlace; stillHeld: boolean }> {
  const { clusterId } = of
  if ((await db().clusterCredential.count({ where: { clusterId } })) === 0)
    return { place: 'disconnected', stillHeld: await leftHeld(of) }
  if (listed) return { place: 'here', stillHeld: false }
  const resource = { startsWith: `${of.groupKind.toLowerCase()}s.` }
  const lists = await db().stream.count({ where: { clusterId, resource, state: 'watching' } })
  return { place: lists > 0 ? 'gone' : 'unheard', stillHeld: false }
}

/** On record: it was held when its cluster was disconnected. */
async function leftHeld({ clusterId, groupKind, namespace, groupName }: Of): Promise<boolean> {
  return (await groupsLeft(clusterId)).held.includes(`${groupKind} ${namedIn(namespace, groupName)}`)
}

/** The same of all groups of a cluster that was disconnected, as "MachineDeployment shop/web", what was under way, and goes on, and what was let move by it. */
export async function groupsLeft(clusterId: string): Promise<{ held: string[]; going: string[]; moving: string[] }> {
  const end = await db().auditEvent.findFirst({
    where: {
      ...{ targetKind: 'ManagementCluster', targetId: clusterId },
      ...{ action: 'cluster.disconnected', result: 'ok' },
    },
    orderBy: { id: 'desc' },
    select: { details: true },
  })
  const { staysHeld, goesOn, moves } = (end?.details ?? {}) as Record<string, unknown>
  return { held: namesIn(staysHeld), going: namesIn(goesOn), moving: namesIn(moves) }
}

const namesIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((group) => typeof group === 'string') : []

const COUNTS = `
SELECT DISTINCT ON (target_id) target_id AS id, 
  CASE WHEN jsonb_typeof(details->'staysHeld') = 'array' THEN jsonb_array_length(details->'staysHeld') END AS n FROM audit_event
WHERE target_kind = 'ManagementCluster' AND target_id = ANY($1) AND action = 'cluster.disconnected' AND result = 'ok'
ORDER BY target_id, audit_event.id DESC`

/** How many there are, of many clusters; absent: that is not on record. */
export async function countsLeftHeld(clusterIds: readonly string[]): Promise<Map<string, number>> {
  if (clusterIds.length === 0) return new Map()
  const { rows } = await pool().query<{ id: string; n: number | null }>(COUNTS, [clusterIds])
  return new Map(rows.map(({ id, n }) => [id, n ?? 0]))
}
