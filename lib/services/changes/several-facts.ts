import { db } from '@/lib/db/client'
import type { Change, ManagementCluster, Policy } from '@/lib/db/generated/client'
import type { TheirPause } from '@/lib/domain/their-pause'
import type { ServiceError } from '../errors'
import { aheadAmong } from './ahead-of-plane'
import { changeDto, NEWEST_DECISION, type ChangeDto, type DecisionMode, type ListedDecision } from './change-row'
import { blockedAmong, type Blocking } from './held-scaling'
import { nobodyDecidesAmong } from './nobody-decides'
import { planeRisksAmong } from './plane'
import { poolTroubles, type PoolTrouble } from './pool-trouble'
import { standingsOf, type ChangeStanding } from './standing'
import { pausedByOthers } from './their-pause'
import { rememberedAmong } from './unasked'

export type SeveralChange = Change & {
  cluster: ManagementCluster & { policy: Policy | null }
  decisions: ListedDecision[]
}

/** What is known of a change before it is decided together with others. */
export interface Facts {
  change: SeveralChange
  dto: ChangeDto
  /** What policies ask; or why nobody knows. */
  standing: ChangeStanding | ServiceError
  /** The way that this person approved, and that counts. */
  mine: string | null
  /** Somebody's approval of it stands. */
  approved: boolean
  /** What stands against its control plane: its name is typed then. */
  planeRisks: string[]
  /** What else stands against it. */
  ahead: string[]
  /** Of a pool: what is wrong with it already. */
  poolTrouble: PoolTrouble | null
  /** Cluster API remembers the other answer. */
  remembered: string | null
  pausedByOthers: TheirPause | null
  /** A pool that Drydock neither governs nor holds: nobody decides on it. */
  nobodyDecides: boolean
  /** A held version of its control plane keeps it from getting machines. */
  blockedBy: Blocking | null
}

/** Of many, by their ids: from the read model alone, with a few queries however many they are. */
export async function factsOf(
  ids: readonly string[],
  mode: DecisionMode,
  actorId: string,
): Promise<Map<string, Facts>> {
  const changes = await db().change.findMany({
    where: { id: { in: [...ids] } },
    include: { cluster: { include: { policy: true } }, decisions: NEWEST_DECISION },
  })
  const dtos = changes.map(changeDto)
  const ways = mode === 'reject' ? new Map<string, 'in-place'>() : new Map(changes.map(({ id }) => [id, mode] as const))
  const [standings, risks, ahead, troubles, remembered, paused, blocked, free, approvals] = await Promise.all([
    standingsOf(dtos),
    planeRisksAmong(db(), changes, mode),
    mode === 'reject' ? changes.map(() => []) : aheadAmong(db(), changes),
    mode === 'reject' ? new Map<string, PoolTrouble>() : poolTroubles(changes),
    rememberedAmong(ways),
    pausedByOthers(ids),
    mode === 'reject' ? new Map<string, Blocking>() : blockedAmong(ids, 'let go'),
    nobodyDecidesAmong(db(), changes),
    db().approval.findMany({
      where: { changeId: { in: [...ids] }, endedAt: null },
      select: { id: true, changeId: true, actorId: true, mode: true },
    }),
  ])
  return new Map(
    changes.map((change, i) => {
      const standing = standings.get(change.id)!
      const given = approvals.filter(({ changeId }) => changeId === change.id)
      const counts = ({ id }: { id: string }) => 'uncounted' in standing && !standing.uncounted.has(id)
      const facts: Facts = {
        ...{ change, dto: dtos[i]!, standing, ahead: ahead[i]! },
        mine: given.find((row) => row.actorId === actorId && counts(row))?.mode ?? null,
        approved: given.length > 0,
        planeRisks: risks.get(change.id) ?? [],
        poolTrouble: troubles.get(change.groupId) ?? null,
        remembered: remembered.get(change.id) ?? null,
        pausedByOthers: paused.get(change.id) ?? null,
        nobodyDecides: free.has(change.id),
        blockedBy: blocked.get(change.id) ?? null,
      }
      return [change.id, facts] as const
    }),
  )
}
