import { db } from '@/lib/db/client'
import { databaseNow } from '@/lib/db/now'
import { ServiceError } from '../errors'
import { rulesForAll } from '../policies/rules-for'
import { TIMED, timingOf } from '../policies/timing'

/**
 * Which of these rollouts their windows, freezes or waves let go no further at this moment, by their rules: a worker that is down marks
 * and holds none of them. What cannot be known lets nothing go.
 */
export async function closedNow(changeIds: readonly string[]): Promise<Set<string>> {
  const changes = await db().change.findMany({
    where: { id: { in: [...changeIds] } },
    select: {
      ...{ id: true, clusterId: true, groupKind: true, groupName: true, namespace: true, workloadCluster: true },
      ...TIMED,
    },
  })
  try {
    const [rules, now] = [await rulesForAll(db(), changes), await databaseNow(db())]
    const open = changes.map((change, i) => {
      const of = rules[i]!
      return !(of instanceof ServiceError) && timingOf(of, change, now).open
    })
    return new Set(changes.flatMap(({ id }, i) => (open[i] ? [] : [id])))
  } catch (error) {
    if (error instanceof ServiceError) return new Set(changeIds)
    throw error
  }
}
