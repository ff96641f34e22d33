import { db } from '@/lib/db/client'
import { begunOf, type Begun } from '@/lib/domain/changes/begun-of'
import type { Condition } from '@/lib/domain/rows'
import { blockingHooks, type BlockingHook } from '@/lib/providers/cluster-api/upgrade'
import { changeDto, NEWEST_DECISION, WAITING, type ChangeDto, type ChangeState } from '../changes/change-row'
import { listedStanding, type ListedStanding } from '../changes/listed-standing'
import { standingsWhereKnown } from '../changes/standing'
import { OPEN } from '../changes/states'
import { TELLING, toldWords, type Telling } from './lifecycle'

/** One group of a managed Cluster that gets, or got, the version of its Cluster. */
export interface UpgradeStep {
  changeId: string
  kind: string
  name: string
  state: ChangeState
  /** Approved, and waiting for its turn or its time. */
  due: boolean
  /** Its policy asks nobody: it goes by itself when its turn or its time comes. */
  goes: boolean
  /** Of what waits: as lists have it; null: it does not wait, or what is asked for is not known. */
  listed: ListedStanding | null
  /** Machines of it have begun. */
  begun: Begun | null
}

/** The upgrade of a managed Cluster that a change is a part of. */
export interface ClusterUpgrade {
  cluster: string
  version: string
  /** Whose hook blocks it now, in the words of whoever answers; Drydock's own begin with "drydock: ". */
  blocking: BlockingHook[]
  /** Why the topology controller brings nothing in line, in its own words; null: it does. */
  failed: string | null
  /** The control plane first. */
  steps: UpgradeStep[]
  /** What Cluster API said is through, in the order it came. */
  told: { hook: Telling; at: string }[]
}

const MOST = 50
const SHOWN: readonly string[] = [...OPEN, 'done']

/** Of a change of the version of a managed Cluster's group; null: it is none. */
export async function upgradeOf(
  change: Pick<ChangeDto, 'clusterId' | 'namespace' | 'workloadCluster' | 'fromVersion' | 'toVersion' | 'state'>,
): Promise<ClusterUpgrade | null> {
  const { clusterId, namespace, workloadCluster: name, fromVersion, toVersion: version, state } = change
  if (!version || version === fromVersion || !SHOWN.includes(state)) return null
  const where = { clusterId_namespace_name: { clusterId, namespace, name } }
  const cluster = await db().workloadCluster.findUnique({ where, select: { topologyClass: true, conditions: true } })
  if (!cluster?.topologyClass) return null
  const rows = await db().change.findMany({
    where: { clusterId, namespace, workloadCluster: name, toVersion: version, state: { in: [...SHOWN] } },
    select: { id: true, groupId: true, groupKind: true, groupName: true, state: true },
    orderBy: [{ groupKind: 'asc' }, { groupName: 'asc' }, { detectedAt: 'desc' }],
    take: MOST,
  })
  const newest = rows.filter(({ groupId }, i) => rows.findIndex((row) => row.groupId === groupId) === i)
  const standing = await standingOf(newest)
  const conditions = cluster.conditions as unknown as Condition[]
  // Of what is through, what blocks the Cluster now is another upgrade's.
  const open = OPEN.includes(state)
  const topology = conditions.find(({ type }) => type === 'TopologyReconciled')
  return {
    ...{ cluster: name, version },
    blocking: open ? blockingHooks(conditions) : [],
    failed: open && topology?.status === 'False' && topology.reason === 'ReconcileFailed' ? topology.message : null,
    steps: newest.map(({ id, groupKind, groupName, state: its }) => ({
      ...{ changeId: id, kind: groupKind, name: groupName, state: its as ChangeState },
      ...(standing.get(id) ?? UNDECIDED),
    })),
    told: await toldOf(clusterId, `${namespace}/${name}`, version),
  }
}

type Standing = Pick<UpgradeStep, 'due' | 'goes' | 'listed' | 'begun'>
const UNDECIDED: Standing = { due: false, goes: false, listed: null, begun: null }

/** Of those that wait: an approval that was taken back, or does not count any more, lets nothing go. */
async function standingOf(steps: readonly { id: string; state: string }[]): Promise<Map<string, Standing>> {
  const waiting = steps.filter(({ state }) => WAITING.some((one) => one === state)).map(({ id }) => id)
  const rows = await db().change.findMany({
    where: { id: { in: waiting } },
    include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
  })
  const changes = rows.map(changeDto)
  const standings = await standingsWhereKnown(changes)
  return new Map(
    changes.flatMap((change) => {
      const standing = standings.get(change.id)
      const begun = begunOf(change)
      if (!standing) return [[change.id, { ...UNDECIDED, begun }] as const]
      const listed = listedStanding(standing, change)
      return [[change.id, { due: listed.due, goes: listed.goes, listed, begun }] as const]
    }),
  )
}

/** Those of one look of Cluster API's come together, and are written as they come. */
const TOGETHER_MS = 10_000

function inTurn(a: { hook: string; lastAt: Date }, b: { hook: string; lastAt: Date }): number {
  const apart = a.lastAt.getTime() - b.lastAt.getTime()
  return Math.abs(apart) > TOGETHER_MS ? apart : TELLING.indexOf(a.hook as Telling) - TELLING.indexOf(b.hook as Telling)
}

/** The same version may have been handed down before, and taken back: the last call of each hook. */
async function toldOf(clusterId: string, group: string, version: string): Promise<ClusterUpgrade['told']> {
  const calls = await db().gateCall.findMany({
    where: { clusterId, group, hook: { in: [...TELLING] }, message: toldWords(version) },
    select: { hook: true, lastAt: true },
    distinct: ['hook'],
    orderBy: { id: 'desc' },
  })
  return calls.sort(inTurn).map(({ hook, lastAt }) => ({ hook: hook as Telling, at: lastAt.toISOString() }))
}
