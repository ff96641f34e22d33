import { db } from '@/lib/db/client'
import { changeDto, NEWEST_DECISION, WAITING, type ChangeDto } from '../changes/change-row'
import type { Blocking } from '../changes/held-scaling'
import { listedStanding, type ListedStanding } from '../changes/listed-standing'
import { standingsWhereKnown } from '../changes/standing'

type Place = Pick<ChangeDto, 'clusterId' | 'namespace' | 'workloadCluster' | 'toVersion'>
const keyOf = (of: Place) => `${of.clusterId} ${of.namespace}/${of.workloadCluster} ${of.toVersion}`

const PLANE = 'KubeadmControlPlane'

/**
 * Of workers that wait for the version of their managed Cluster: the change of their control plane, which gets it before them, where that
 * waits for people.
 */
export async function planesBefore(changes: readonly ChangeDto[]): Promise<Record<string, Blocking>> {
  const workers = changes.filter(
    ({ heldBy, groupKind, state }) => heldBy === 'hook' && groupKind !== PLANE && WAITING.includes(state),
  )
  if (workers.length === 0) return {}
  const rows = await db().change.findMany({
    where: {
      groupKind: PLANE,
      state: { in: [...WAITING] },
      OR: workers.map(({ clusterId, namespace, workloadCluster, toVersion }) => ({
        ...{ clusterId, namespace, workloadCluster, toVersion },
      })),
    },
    include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION, progress: BEGUN },
  })
  const planes = rows.map((row) => ({ ...changeDto(row), begun: row.progress.length > 0 }))
  const standings = await standingsWhereKnown(planes)
  const waiting = planes.filter((plane) => {
    const standing = standings.get(plane.id)
    return standing && asksPeople(listedStanding(standing, plane))
  })
  const found = new Map(waiting.map((plane) => [keyOf(plane), plane]))
  return Object.fromEntries(
    workers.flatMap((change) => {
      const plane = found.get(keyOf(change))
      return plane ? [[change.id, blockingOf(plane)] as const] : []
    }),
  )
}

/** Half way, only its rest is left to decide. */
const BEGUN = { where: { startedAt: { not: null } }, take: 1 } as const

const blockingOf = ({ id, groupName, toVersion, state, begun }: ChangeDto & { begun: boolean }): Blocking => ({
  ...{ changeId: id, name: groupName, version: toVersion!, rejected: state === 'rejected' },
  ...{ begun, helps: false, first: true },
})

/** No time lets it go: an approval is missing, or somebody has to go on with it. */
const asksPeople = ({ due, goes, timing: { paused, stopped, step, why, wave } }: ListedStanding): boolean =>
  !(due || goes) || !!(paused || stopped || step) || (why === 'wave' && !!wave?.place?.needsPerson)
