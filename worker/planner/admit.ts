import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { wayByItself } from '@/lib/domain/policies'
import { outlookIn } from '@/lib/services/changes/change-row'
import { isForPeople } from '@/lib/services/changes/for-people'
import { planeRisks } from '@/lib/services/changes/plane'
import { recordAndApply } from '@/lib/services/changes/record'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { rulesFor } from '@/lib/services/policies/rules-for'
import { timingToGo } from '@/lib/services/policies/shape'
import { log } from '../log'
import type { ClusterView } from '../types'

/**
 * Lets go what its policy asks nobody about: only what never began, and what nobody decided on before. What cannot be
 * known keeps it held.
 */
export async function admit({ clusterId }: ClusterView, groupId: string): Promise<void> {
  const change = await db().change.findFirst({
    where: {
      ...{ clusterId, groupId, state: 'waiting', heldBy: { in: ['latch', 'gate'] } },
      ...{ decisions: { none: {} }, outcome: { equals: Prisma.AnyNull } },
      progress: { none: { startedAt: { not: null } } },
    },
  })
  if (!change || (await isForPeople(change))) return
  try {
    const rules = await rulesFor(db(), change)
    const mode = wayByItself(rules, outlookIn(change), change.groupKind)
    if (mode === null || !timingToGo(rules, change).open) return
    // Whoever lets a control plane go whose etcd may not bear it types its name.
    if ((await planeRisks(db(), change, mode)).length > 0) return
    const reason = `The policy ${rules.approvals.policy?.name} asks nobody.`
    const { id: changeId, fingerprint } = change
    await recordAndApply(systemCtx('policy'), { changeId, fingerprint, mode, reason, by: 'policy' })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ err: error, change: change.id }, 'a change was not let go by its policy; it waits')
  }
}
