import type { Tx } from '@/lib/db/client'
import { ServiceError } from '../errors'
import { rulesForAll } from '../policies/rules-for'
import type { Run } from './runs'

/** Who asks for a reason before a wave begins, for any of its groups that want it; null: nobody does. */
export async function reasonAsked(tx: Tx, run: Run, index: number): Promise<string | null> {
  const ids = run.members.flatMap(({ wave, change }) => (wave === index && change ? [change.id] : []))
  const changes = await tx.change.findMany({
    where: { id: { in: ids } },
    select: {
      ...{ clusterId: true, groupKind: true, namespace: true, groupName: true, workloadCluster: true },
      cluster: { select: { policy: { select: { reasonNeeded: true } } } },
    },
  })
  if (changes.some(({ cluster }) => cluster.policy?.reasonNeeded)) return 'The governance of a management cluster'
  for (const rules of await rulesForAll(tx, changes)) {
    if (rules instanceof ServiceError) return 'What is not known of a group’s policies'
    if (rules.reasonRequired.value) return `The policy ${rules.reasonRequired.policy?.name}`
  }
  return null
}
