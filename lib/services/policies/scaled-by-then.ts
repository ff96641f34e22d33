import type { Tx } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { identities, rulesBy } from './rules-for'

const FIELDS = { clusterId: true, kind: true, namespace: true, name: true, workloadCluster: true } as const

/** Worker groups that are held, want other numbers of machines than they have, and by these policies are scaled all the same. `before` null: nothing is. */
export async function scaledByThen(
  tx: Tx,
  before: readonly Policy[] | null,
  after: readonly Policy[],
): Promise<number> {
  if (!after.some(({ spec }) => spec.scaleWhileHeld)) return 0
  const another = { desiredReplicas: { not: { equals: tx.group.fields.replicas } } }
  const where = { kind: 'MachineDeployment', held: { not: null }, paused: false, ...another }
  const rows = await tx.group.findMany({ where, select: FIELDS })
  const groups = await identities(
    tx,
    rows.map((row) => ({ ...row, groupKind: row.kind, groupName: row.name })),
  )
  const [was, is] = [before && rulesBy(before, groups), rulesBy(after, groups)].map((all) =>
    groups.map((_, i) => {
      const rules = all?.[i]
      return rules !== undefined && !(rules instanceof ServiceError) && rules.scaleWhileHeld.value
    }),
  )
  return groups.filter((_, i) => is![i] && !was![i]).length
}
