import { db } from '@/lib/db/client'
import { configsOf } from '@/lib/domain/changes/configs'
import type { TooEarly } from '@/lib/domain/policies'
import type { TheirPause } from '@/lib/domain/their-pause'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import type { TimingDto } from '../policies/timing'
import { changeSetOf, outlookIn, type DecisionMode } from './change-row'
import { drainLimits, drainWords } from './drain-limit'
import { irreversible, isAsked, ONE_WAY, rejectedWords } from './preview-decision'
import { PreviewSeveralInput } from './schemas'
import { factsOf, type Facts } from './several-facts'
import { whyLeftOut } from './several-left-out'

/** A change that would be decided together with others, and what that does. */
export interface SeveralRow {
  changeId: string
  groupName: string
  groupKind: string
  workloadCluster: string
  clusterName: string
  summary: string
  /** What it is decided as: exactly what is shown here. */
  fingerprint: string
  /** What the whole configurations of its machines shall be; null: none is known. */
  configs: string | null
  replicas?: number
  /** Of a pool: how many of its nodes go at once ("2", "25%"). */
  maxUnavailable?: string
  headline: string
  /** How many machines are deleted in this way; rejected, none. */
  deleted: number
  risks: string[]
  /** Who asks for a reason; null: nobody. */
  reasonFor: string | null
  /** How many approvals are still missing after this one; 0: it is enough. */
  left: number
  needed: number
  /** Who wrote it is not known, so one more is asked for. */
  oneMore: boolean
  timing: TimingDto | null
  early: TooEarly | null
  pausedByOthers: TheirPause | null
}

export interface LeftOut {
  changeId: string
  /** Null: nothing is known of it any more. */
  groupName: string | null
  clusterName: string | null
  workloadCluster: string | null
  why: string
  hint: string | null
}

export interface SeveralPreview {
  mode: DecisionMode
  rows: SeveralRow[]
  leftOut: LeftOut[]
  /** Machines that go in all. */
  deleted: number
  irreversible: string[]
  /** How many of them are in clusters with health checks, which may act on machines in the middle of an update in place. */
  watched: number
}

/**
 * What deciding several would do, and which of them it leaves out. No API server is asked: the exact calls are on each one's own
 * page, and every object is read anew before anything is sent.
 */
export async function previewSeveral(ctx: Ctx, input: unknown): Promise<SeveralPreview> {
  requirePermission(ctx, 'fleet:read')
  const { mode, changes } = parseInput(PreviewSeveralInput, input)
  const facts = await factsOf(
    changes.map(({ changeId }) => changeId),
    mode,
    ctx.actor.id,
  )
  const rows: SeveralRow[] = []
  const leftOut: LeftOut[] = []
  for (const looked of changes) {
    const known = facts.get(looked.changeId)
    const why = whyLeftOut(ctx, mode, looked, known)
    if (known && !why) rows.push(rowOf(known, mode))
    else leftOut.push(outOf(looked.changeId, known, why!))
  }
  const going = rows.map(({ changeId }) => facts.get(changeId)!)
  const deleted = rows.reduce((sum, row) => sum + row.deleted, 0)
  const watched = mode === 'in-place' ? await watchedAmong(going) : 0
  return { mode, rows, leftOut, deleted, irreversible: await forGood(mode, deleted, going), watched }
}

function rowOf({ change, standing, ...facts }: Facts, mode: DecisionMode): SeveralRow {
  const outlook = outlookIn(change)
  const { groupName, groupKind, workloadCluster, summary, fingerprint, cluster } = change
  const outcome = mode === 'in-place' ? outlook.inPlace! : outlook.replace
  const asked = mode === 'reject' || standing instanceof ServiceError ? null : standing
  const way = asked && asked.ways[mode as 'in-place' | 'replace']
  return {
    ...{ changeId: change.id, groupName, groupKind, workloadCluster, clusterName: cluster.name, summary, fingerprint },
    configs: configsOf(changeSetOf(change)),
    ...(outlook.replicas === undefined ? {} : { replicas: outlook.replicas }),
    ...(outlook.pool?.limit === undefined ? {} : { maxUnavailable: outlook.pool.limit }),
    headline: mode === 'reject' ? rejectedWords(change) : outcome.headline,
    deleted: mode === 'reject' ? 0 : outcome.deleted,
    risks: [
      ...[...facts.planeRisks, ...facts.ahead, ...blockedWords(facts.blockedBy, outcome.created)],
      ...(facts.poolTrouble ? [facts.poolTrouble.words] : []),
    ],
    reasonFor: reasonFor({ change, standing }, mode),
    left: way ? Math.max(0, way.missing - (facts.mine === mode ? 0 : 1)) : 0,
    ...{ needed: way?.needed ?? 0, oneMore: way?.oneMore ?? false },
    ...{ timing: asked?.timing ?? null, early: asked?.early ?? null },
    pausedByOthers: facts.pausedByOthers,
  }
}

/** Where it needs new machines, a spare among them, it stands still until its control plane has gone. */
const blockedWords = (by: Facts['blockedBy'], created: number): string[] =>
  by === null || created === 0
    ? []
    : [
        `It gets no new machines while ${by.version} of its control plane ${by.name} ${by.begun ? 'is half way and waits' : 'waits'}, and it needs ${created}: it stands still then. ${by.begun ? 'Decide the rest of that first.' : `Decide that first${by.helps ? ', or let worker groups grow there' : ''}.`}`,
      ]

function reasonFor({ change, standing }: Pick<Facts, 'change' | 'standing'>, mode: DecisionMode): string | null {
  if (change.cluster.policy?.reasonNeeded) return `the governance of ${change.cluster.name}`
  if (mode === 'reject' || standing instanceof ServiceError) return null
  const { value, policy } = standing.rules.reasonRequired
  return value ? `the policy ${policy?.name}` : null
}

const outOf = (changeId: string, facts: Facts | undefined, why: ServiceError): LeftOut => ({
  changeId,
  groupName: facts?.change.groupName ?? null,
  clusterName: facts?.change.cluster.name ?? null,
  workloadCluster: facts?.change.workloadCluster ?? null,
  ...{ why: why.message, hint: why.more.hint ?? null },
})

async function forGood(mode: DecisionMode, deleted: number, going: readonly Facts[]): Promise<string[]> {
  if (mode === 'reject' || going.length === 0) return []
  const planes = going.filter(({ change }) => change.groupKind === 'KubeadmControlPlane')
  const oneWay = planes.some(({ change }) => change.heldBy === 'hook') ? [ONE_WAY] : []
  const asked = planes.length === 0 && going.some(({ change }) => isAsked(change.cluster, change.groupKind))
  const losing = going.filter(({ change }) => {
    const { inPlace, replace } = outlookIn(change)
    return ((mode === 'in-place' ? inPlace : replace)?.deleted ?? 0) > 0
  })
  const limits = await drainLimits(
    losing.map(({ change, standing }) => ({
      change,
      rules: standing instanceof ServiceError ? standing : standing.rules,
    })),
  )
  const drains = drainWords([...limits.values()], going.length)
  const ids = planes.map(({ change }) => change.groupId)
  const members = { id: { in: ids }, OR: [{ etcd: null }, { etcd: { not: 'external' } }] }
  const any = planes.length > 0 && (await db().group.count({ where: members })) > 0
  return [...irreversible(mode, deleted, planes.length > 0, asked, any), ...drains, ...oneWay]
}

async function watchedAmong(going: readonly Facts[]): Promise<number> {
  const checks = await db().healthCheck.findMany({
    where: { clusterId: { in: [...new Set(going.map(({ change }) => change.clusterId))] }, paused: false },
    select: { clusterId: true, namespace: true, workloadCluster: true },
  })
  const key = (of: (typeof checks)[number]) => `${of.clusterId} ${of.namespace}/${of.workloadCluster}`
  const watched = new Set(checks.map(key))
  return going.filter(({ change }) => watched.has(key(change))).length
}
