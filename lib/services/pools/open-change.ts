import { db } from '@/lib/db/client'
import { begunOf, type Begun } from '@/lib/domain/changes/begun-of'
import { ANOTHER_IMAGE } from '@/lib/domain/pools/change'
import { movesNobody } from '@/lib/domain/changes/moves-nobody'
import type { Unapproved } from '@/lib/domain/latch/unapproved'
import { asksForApproval } from '../changes/asks-for-approval'
import { awaitedNodes, type Awaited } from '../changes/awaited-nodes'
import { changeDto, NEWEST_DECISION, type ChangeDto } from '../changes/change-row'
import { hasItsTime } from '../changes/has-its-time'
import { movingUnapproved } from '../changes/let-go-outside'
import { listedStanding, type ListedStanding } from '../changes/listed-standing'
import { standingsWhereKnown } from '../changes/standing'
import { OPEN } from '../changes/states'

/** The change of a pool that is not over, as pages of pools speak of it. */
export interface PoolChange extends Pick<
  ChangeDto,
  'id' | 'state' | 'summary' | 'heldBy' | 'detectedAt' | 'firstSeen'
> {
  /** Where it stands by its policies; null: it is under way, or they cannot be known. */
  standing: ListedStanding | null
  /** It brings an OS image that is built for the pool, or that of the release again, and no configuration. */
  image: boolean
  /** An approval is missing. */
  asks: boolean
  /** No node lacks it now: it is held for whichever comes. */
  nobody: boolean
  /** It goes by itself at its time: nothing more is asked of anybody. */
  goesByItself: boolean
  /** Held in the middle; absent: nothing has begun. */
  begun?: Begun | null
  /** The cluster refused what was decided of it last. */
  refused: boolean
  /** It moves by no approval: why. */
  unapproved: Unapproved | null
  /** Every node has it, and it waits for nothing but these to be available again. */
  awaited: Awaited | null
}

/** The newest of each pool, by the ids of pools: with a few queries, however many they are. */
export async function openChanges(
  pools: readonly { id: string; clusterId: string }[],
): Promise<Map<string, PoolChange>> {
  const clusters = new Map(pools.map(({ id, clusterId }) => [id, clusterId]))
  const rows = await db().change.findMany({
    where: { groupId: { in: [...clusters.keys()] }, state: { in: OPEN } },
    orderBy: { detectedAt: 'asc' },
    include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
  })
  const newest = new Map(
    rows.filter((row) => clusters.get(row.groupId) === row.clusterId).map((row) => [row.groupId, changeDto(row)]),
  )
  const all = [...newest.values()]
  const ids = all.map(({ id }) => id)
  const [standings, moving, awaited] = await Promise.all([
    standingsWhereKnown(all.filter(({ state }) => state === 'waiting' || state === 'rejected')),
    movingUnapproved(db(), ids),
    awaitedNodes(ids),
  ])
  return new Map(
    [...newest].map(([groupId, change]) => {
      const { id, state, summary, heldBy, detectedAt, firstSeen, decision } = change
      const known = standings.get(id)
      const standing = known ? listedStanding(known, change) : null
      return [
        groupId,
        {
          ...{ id, state, summary, heldBy, detectedAt, firstSeen, standing },
          image: change.outlook.pool?.image !== undefined && summary === ANOTHER_IMAGE,
          asks: asksForApproval(change, standing),
          nobody: movesNobody(change),
          goesByItself: state === 'waiting' && hasItsTime(change, known),
          begun: begunOf(change),
          refused: decision?.state === 'failed' && !decision.noAnswer,
          unapproved: moving.get(id) ?? null,
          awaited: awaited[id] ?? null,
        },
      ]
    }),
  )
}
