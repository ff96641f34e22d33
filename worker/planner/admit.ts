import { db } from '@/lib/db/client'
import { wayByItself } from '@/lib/domain/policies'
import { outlookIn } from '@/lib/services/changes/change-row'
import { recordAndApply } from '@/lib/services/changes/record'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { rulesFor } from '@/lib/services/policies/rules-for'
import { log } from '../log'
import type { ClusterView } from '../types'

/**
 * Lets go what its policy asks nobody about, once: what was decided before, or could not be let go, is for people. What
 * cannot be known keeps it held.
 */
export async function admit({ clusterId }: ClusterView, groupId: string): Promise<void> {
  const change = await db().change.findFirst({
    where: { clusterId, groupId, state: 'waiting', heldBy: { in: ['latch', 'gate'] }, decisions: { none: {} } },
  })
  if (!change) return
  try {
    const rules = await rulesFor(db(), change)
    const mode = wayByItself(rules, outlookIn(change), change.groupKind)
    if (mode === null) return
    const reason = `The policy ${rules.approvals.policy?.name} asks nobody.`
    const { id: changeId, fingerprint } = change
    await recordAndApply(systemCtx('policy'), { changeId, fingerprint, mode, reason, byItself: true })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ err: error, change: change.id }, 'a change was not let go by its policy; it waits')
  }
}
