import { db } from '@/lib/db/client'
import { isForbidden } from '@/lib/domain/policies'
import { changeDto, NEWEST_DECISION } from '../changes/change-row'
import { listedStanding } from '../changes/listed-standing'
import { standingsWhereKnown } from '../changes/standing'

/** How it stands where nobody can approve it as it is. */
export const NOT_ALLOWED = 'not allowed so by its policy'

/** Of changes, the ids of those that wait and that their policies let go in neither way. */
export async function notAllowedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db().change.findMany({
    where: { id: { in: [...ids] }, state: 'waiting' },
    include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
  })
  const changes = rows.map(changeDto)
  const standings = await standingsWhereKnown(changes)
  return new Set(
    changes.flatMap((change) => {
      const standing = standings.get(change.id)
      return standing && isForbidden(change, listedStanding(standing, change)) ? [change.id] : []
    }),
  )
}
