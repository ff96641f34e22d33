import type { Pool } from 'pg'
import type { Governs } from '@/lib/db/read-model/watched'
import { isNeverHeld } from '@/lib/domain/latch/hold'
import { GOVERNED_KINDS } from '@/lib/domain/latch/table'
import type { GroupRow, ProjectedGroup } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'

const GOVERNABLE = new Set(GOVERNED_KINDS)

/** Whether the policy of the cluster governs a group: the same choice that the latch's match conditions make. */
export function isGoverned(policy: Governs, group: KubeObject, namespace: KubeObject | undefined): boolean {
  if (!GOVERNABLE.has(group.kind)) return false
  if (isNeverHeld(group)) return false
  if (policy.governs === 'all') return true
  if (policy.governs === 'object-label') return matches(policy, group.metadata.labels)
  if (policy.governs === 'namespace-label') return matches(policy, namespace?.metadata.labels)
  return false
}

function matches({ labelKey, labelValue }: Governs, labels: Record<string, string> = {}): boolean {
  if (!labelKey || !(labelKey in labels)) return false
  return labelValue === null || labelValue === '' || labels[labelKey] === labelValue
}

/**
 * The same by what is heard of so far; null: it is not known, as the policy was not read yet, or the namespace, whose labels say so, not
 * heard of. `all`: every namespace is.
 */
export function governedSoFar(
  policy: Governs | null,
  group: KubeObject,
  { namespace, all }: { namespace: KubeObject | undefined; all: boolean },
): boolean | null {
  if (policy === null) return null
  const awaits = policy.governs === 'namespace-label' && group.metadata.namespace !== undefined && !namespace && !all
  return awaits && GOVERNABLE.has(group.kind) ? null : isGoverned(policy, group, namespace)
}

const GOVERNED = 'SELECT id FROM machine_group WHERE cluster_id = $1 AND id = ANY($2::uuid[]) AND governed'

const isKnown = (row: ProjectedGroup): row is GroupRow => row.governed !== null

/** What is not known stays as its row has it, by which what moves is held, and on record; one that has no row is not governed yet. */
export async function asItWas(pool: Pool, clusterId: string, rows: ProjectedGroup[]): Promise<GroupRow[]> {
  const unknown = rows.flatMap((row) => (isKnown(row) ? [] : [row.id]))
  const found = unknown.length > 0 ? await pool.query<{ id: string }>(GOVERNED, [clusterId, unknown]) : { rows: [] }
  const governed = new Set(found.rows.map(({ id }) => id))
  return rows.map((row) => (isKnown(row) ? row : { ...row, governed: governed.has(row.id) }))
}
