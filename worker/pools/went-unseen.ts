import { db, type Tx } from '@/lib/db/client'
import type { Change, ConfigNode } from '@/lib/db/generated/client'
import { json } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import { summaryOf, versionsOf } from '@/lib/domain/changes'
import { namesImage, sameButImage } from '@/lib/domain/latch/digest'
import type { DisruptionPolicies } from '@/lib/domain/pools/effect'
import type { JsonObject } from '@/lib/domain/json'
import { wishes } from '@/lib/domain/waves'
import { namedIn } from '@/lib/kubernetes/paths'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { poolChange } from '@/lib/providers/openshift/pool-change'
import { poolAuthor, readPool } from '@/lib/providers/openshift/pools'
import { MACHINE_CONFIGS } from '@/lib/providers/openshift/rendered'
import { recordAudit } from '@/lib/services/audit/record'
import { letGoOf } from '@/lib/services/changes/let-go'
import { differsUnheld, NOT_HELD } from '@/lib/services/changes/let-go-outside'
import { begunUnapproved, recordBegun } from '@/lib/services/changes/moved-unapproved'
import { plannedPool } from '@/lib/services/changes/planned-pool'
import { systemCtx } from '@/lib/services/context'
import { owned, type Row } from '../planner/common'
import { end, recordEnd } from '../planner/end'
import { workloadOf } from '../planner/members'
import { outcomeOf } from '../planner/outcome'
import type { Progress } from '../planner/progress'
import type { ClusterView } from '../types'
import { awaitRows } from './await-rows'
import { beganNowhere } from './began-nowhere'
import { configBefore } from './config-before'
import { keptConfigs } from './kept-configs'

export const UNSEEN = 'nothing held the pool then, and all of its nodes had it before Drydock saw that'

/**
 * A governed pool has another configuration than it was let go with last, and no node is left to take it up: it went while nobody
 * watched. On record as a change that is over, and that nobody approved, with its nodes. `before`: a change that it took the place of.
 * False: it is none such, or is on record. 'later': its nodes are not known by name yet.
 */
export async function recordUnseen(
  view: ClusterView,
  pool: KubeObject,
  digest: string,
  before: Row | null,
  policies: DisruptionPolicies | null,
): Promise<boolean | 'later'> {
  const { clusterId, name: cluster } = view
  const { uid, name, resourceVersion } = pool.metadata
  const { desiredConfig, pending, counts } = readPool(pool)
  if (desiredConfig === null || pending || counts.machines === 0 || !(await wentUnseen(clusterId, pool, digest)))
    return false
  const { nodes, later } = await awaitRows(view, pool)
  if (later) return 'later'
  const change = await takenUp(view, pool)
  if (!change) return false
  const rendered = await renderedAt(view, desiredConfig)
  const planned = plannedPool(pool, change, policies)
  const { changeSet, outlook, change: of, summary = summaryOf(changeSet) } = planned
  // Nobody saw it come through: where that is not so by now, no wave goes by it.
  const isWell = counts.ready >= counts.machines && !nodes.some(({ unavailable }) => unavailable)
  const { from, to } = versionsOf(changeSet.fields)
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    if (before) await end(tx, view, before, 'superseded')
    const now = await databaseNow(tx)
    const row = await tx.change.create({
      data: {
        ...{ clusterId, groupId: uid, groupKind: pool.kind, namespace: '', groupName: name, resourceVersion },
        ...{
          workloadCluster: workloadOf(view, pool),
          fingerprint: of.fingerprint,
          digest,
          summary,
          ...(isWell ? wishes(changeSet) : {}),
        },
        ...{ fromVersion: from, toVersion: to, changeSet: json(changeSet), outlook: json(outlook) },
        // With the configuration of before, it is another image.
        ...{ state: 'done', heldBy: 'none', machines: counts.machines, author: poolAuthor(pool, change.again) },
        firstSeen: true,
        ...{ detectedAt: now, finishedAt: now },
      },
    })
    const known = await earlier(tx, row, nodes)
    await tx.machineProgress.createMany({
      data: nodes.map((node) => progressOf(row.id, node, now, known.has(node.id) ? null : rendered)),
    })
    const rows = (await tx.machineProgress.findMany({ where: { changeId: row.id } })) as Progress[]
    const outcome = { ...outcomeOf(rows, false), unapproved: rows.filter(({ startedAt }) => startedAt).length }
    await tx.change.update({ where: { id: row.id }, data: { outcome: json(outcome) } })
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [row.id] })
    if (before) await recordEnd(tx, view, before, 'superseded')
    const { news } = await begunUnapproved(tx, row)
    if (news.length > 0) return recordBegun(tx, row, cluster, news, UNSEEN)
    // Which of its nodes took it up is not known.
    await recordAudit(tx, systemCtx('planner'), {
      action: NOT_HELD,
      target: { kind: row.groupKind, id: row.id, name: namedIn('', name) },
      cluster: { id: clusterId, name: cluster },
      reason: `The pool is governed, and nobody had approved it: ${UNSEEN}.`,
      details: { summary },
    })
  })
  return true
}

async function wentUnseen(clusterId: string, pool: KubeObject, digest: string): Promise<boolean> {
  const groupId = pool.metadata.uid
  const letGo = await letGoOf(clusterId, groupId)
  if (letGo === null || !(await differsUnheld(groupId, digest))) return false
  // Which image is built may only have come to be known, or not be known any more.
  if (sameButImage(letGo, digest) && !(namesImage(letGo) && namesImage(digest))) return false
  const newest = await db().change.findFirst({
    where: { clusterId, groupId },
    orderBy: { detectedAt: 'desc' },
    select: { id: true, digest: true, state: true, changeSet: true },
  })
  // What it was let go with last began nowhere.
  if (newest?.digest === letGo && (await beganNowhere(pool, digest, newest))) return false
  return newest?.digest !== digest || newest.state !== 'done'
}

/** What its nodes took up, as it would have been shown; from what, where that is known still. */
async function takenUp(view: ClusterView, pool: KubeObject) {
  const name = await configBefore(view.clusterId, pool)
  const configuration: JsonObject = name === null ? {} : { name }
  const status = { ...pool.status, configuration, updatedMachineCount: 0 }
  return poolChange({ ...pool, status }, keptConfigs(view), () => Promise.resolve({ nodes: 0, images: 0 }))
}

/** When the config was rendered; null: that is not known. */
async function renderedAt({ client }: ClusterView, config: string): Promise<Date | null> {
  try {
    const { metadata } = await client.get(MACHINE_CONFIGS, config, undefined, { timeoutMs: 5_000 })
    const at = Date.parse(metadata.creationTimestamp)
    return Number.isFinite(at) ? new Date(at) : null
  } catch (error) {
    if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
    return null
  }
}

/** Those that were in an earlier change of the pool: they began with another one, also where the pool goes back to what is older than they are. */
async function earlier(tx: Tx, { id, groupId, clusterId }: Change, nodes: readonly ConfigNode[]): Promise<Set<string>> {
  const rows = await tx.machineProgress.findMany({
    where: { machineId: { in: nodes.map((node) => node.id) }, changeId: { not: id }, change: { groupId, clusterId } },
    ...{ distinct: ['machineId'], select: { machineId: true } },
  })
  return new Set(rows.map(({ machineId }) => machineId))
}

/** A node that was made after that may have begun with it: nobody knows that it took it up. */
function progressOf(
  changeId: string,
  { id, name, unavailable, joinedAt }: ConfigNode,
  now: Date,
  rendered: Date | null,
) {
  const of = { changeId, machineId: id, machineName: name, state: 'done', readyAt: unavailable ? null : now }
  if (joinedAt !== null && rendered !== null && joinedAt > rendered) return { ...of, predicted: 'up-to-date' }
  return { ...of, predicted: 'in-place', startedAt: now, finishedAt: now, throughAt: now }
}
