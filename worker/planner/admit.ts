import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { goingByItself, UNTOUCHED } from '@/lib/services/changes/by-itself'
import { recordAndApply } from '@/lib/services/changes/record'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { rulesFor } from '@/lib/services/policies/rules-for'
import { timingToGo } from '@/lib/services/policies/shape'
import { log } from '../log'
import type { ClusterView } from '../types'

/** Lets go what its policy asks nobody about. What cannot be known keeps it held. */
export async function admit({ clusterId }: ClusterView, groupId: string): Promise<void> {
  const change = await db().change.findFirst({ where: { clusterId, groupId, ...UNTOUCHED } })
  if (!change) return
  try {
    const rules = await rulesFor(db(), change)
    if (!timingToGo(rules, change, await databaseNow(db())).open) return
    const mode = (await goingByItself(db(), [{ change, rules }])).get(change.id)
    if (!mode) return
    const reason = `The policy ${rules.approvals.policy?.name} asks nobody.`
    const { id: changeId, fingerprint } = change
    await recordAndApply(systemCtx('policy'), { changeId, fingerprint, mode, reason, by: 'policy' })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ err: error, change: change.id }, 'a change was not let go by its policy; it waits')
  }
}
