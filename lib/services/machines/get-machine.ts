import * as z from 'zod'
import { db } from '@/lib/db/client'
import type { Machine } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { redacted, withoutSecrets } from '@/lib/domain/changes/secrets'
import { explanation, type Explanation } from '@/lib/domain/errors'
import type { Json, JsonObject } from '@/lib/domain/json'
import type { Condition } from '@/lib/domain/rows'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { OPEN } from '../changes/states'
import { nodeDto, type NodeDto } from '../pools/node-dto'
import { diagnoses, type JoinDiagnosis } from './joining'
import { ownMachines } from './own'

export interface MachineDetail {
  id: string
  clusterId: string
  cluster: string
  workload: string
  name: string
  namespace: string
  provider: string
  groupKind: string | null
  groupName: string | null
  machineSet: string | null
  controlPlane: boolean
  node: string | null
  version: string | null
  phase: string
  state: string
  sentence: string
  error: string | null
  /** What it means and what to do about it; null: nothing is the matter, or nobody knows. */
  trouble: Explanation | null
  verdict: string
  verdictReason: string | null
  zone: string | null
  bootImage: string | null
  providerId: string | null
  createdAt: string
  changedAt: string
  /** The open change of its group. */
  change: { id: string; summary: string; state: string } | null
  /** How it fared in changes, newest first. */
  history: {
    changeId: string
    summary: string
    state: string
    message: string | null
    startedAt: string | null
    finishedAt: string | null
  }[]
  /** Of OpenShift: where its node is in an update of its pool; null: it has no node in a pool. */
  config: (NodeDto & { poolId: string }) | null
  /** Of OpenShift: why it does not join; null: it has a node, or may still get one. */
  joining: JoinDiagnosis | null
  live: LiveMachine | { problem: { message: string; answer?: string } }
}

/** The object as the API server has it now. */
export interface LiveMachine {
  /** In the field's order. */
  conditions: Condition[]
  resourceVersion: string
  /** Without managedFields; what may be a credential is masked. */
  object: JsonObject
}

/** One machine: its row, what happened to it, and its object fetched from the API server. */
export async function getMachine(ctx: Ctx, input: unknown): Promise<MachineDetail> {
  requirePermission(ctx, 'fleet:read')
  const { id } = parseInput(z.object({ id: z.uuid('This is not the id of a machine.') }), input)
  const row = await db().machine.findUnique({ where: { id } })
  const cluster =
    row &&
    (await db().managementCluster.findUnique({
      where: { id: row.clusterId },
      select: { name: true, discovery: true },
    }))
  if (!cluster) {
    throw new ServiceError('not-found', 'This machine is gone.', {
      hint: 'It was deleted in its cluster, or replaced by another.',
    })
  }
  const [change, steps, config, joining, live] = await Promise.all([
    openChange(row),
    history(id),
    configOf(row),
    row.provisionedSince && row.state === 'failed' ? diagnoses([id]) : null,
    liveMachine(row, cluster.discovery as Capabilities | null),
  ])
  return {
    id,
    clusterId: row.clusterId,
    cluster: cluster.name,
    workload: row.workloadCluster,
    name: row.name,
    namespace: row.namespace,
    provider: row.provider,
    groupKind: row.groupKind,
    groupName: row.groupName,
    machineSet: row.machineSet,
    controlPlane: row.controlPlane,
    node: row.node,
    version: row.version,
    phase: row.phase,
    state: row.state,
    sentence: joining?.get(id)?.sentence ?? row.sentence,
    error: row.error,
    trouble: explanation(row.trouble, row.troubleWords),
    verdict: row.verdict,
    verdictReason: row.verdictReason,
    zone: row.failureDomain,
    bootImage: row.bootImage,
    providerId: row.providerId,
    createdAt: row.createdAt.toISOString(),
    changedAt: row.changedAt.toISOString(),
    change,
    history: steps,
    config,
    joining: joining?.get(id) ?? null,
    live,
  }
}

const openChange = ({ clusterId, groupKind, groupName, namespace }: Machine) =>
  groupKind && groupName
    ? db().change.findFirst({
        where: { clusterId, groupKind, groupName, namespace, state: { in: OPEN } },
        orderBy: { detectedAt: 'desc' },
        select: { id: true, summary: true, state: true },
      })
    : null

async function configOf({ clusterId, node, workloadCluster: workload }: Machine): Promise<MachineDetail['config']> {
  if (!node || !(await ownMachines([{ clusterId, workload }]))({ clusterId, workload })) return null
  const row = await db().configNode.findUnique({ where: { clusterId_name: { clusterId, name: node } } })
  const pool =
    row &&
    (await db().configPool.findUnique({
      where: { clusterId_name: { clusterId, name: row.pool } },
      select: { id: true, wantedRelease: true, desiredRelease: true, clusterUpdating: true },
    }))
  return row && pool ? { ...nodeDto(row, pool), poolId: pool.id } : null
}

async function history(machineId: string): Promise<MachineDetail['history']> {
  const rows = await db().machineProgress.findMany({
    where: { machineId },
    include: { change: { select: { summary: true, detectedAt: true, state: true } } },
    orderBy: { change: { detectedAt: 'desc' } },
    take: 10,
  })
  return rows.map(({ changeId, state, message, startedAt, finishedAt, change }) => ({
    changeId,
    summary: change.summary,
    // What it still waited for when the change was over never came.
    state: state === 'waiting' && !OPEN.includes(change.state) ? change.state : state,
    message,
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
  }))
}

async function liveMachine(row: Machine, capabilities: Capabilities | null): Promise<MachineDetail['live']> {
  const version = capabilities?.resources[`machines.${row.provider}`] ?? 'v1beta1'
  try {
    const client = await kubeClientFor(row.clusterId)
    const object = await client.get({ group: row.provider, version, plural: 'machines' }, row.name, row.namespace, {
      timeoutMs: 5_000,
    })
    if (object.metadata.uid !== row.id)
      return { problem: { message: 'Another machine has this name now; this one is gone.' } }
    return { conditions: conditionsIn(object), resourceVersion: object.metadata.resourceVersion, object: shown(object) }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

function problemOf(error: unknown): { message: string; answer?: string } {
  if (error instanceof KubeError && error.code === 404)
    return { message: 'The API server no longer has this machine.', answer: error.message }
  if (error instanceof KubeError) return { message: 'The API server did not show this machine.', answer: error.message }
  if (error instanceof KubeUnreachable)
    return { message: 'Its API server does not answer; below is what was last heard.', answer: error.message }
  if (error instanceof ServiceError) return { message: error.message }
  throw error
}

function conditionsIn(object: KubeObject): Condition[] {
  const status = object.status ?? {}
  const list = Array.isArray(status.conditions) ? status.conditions : []
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')
  return list.filter(isObject).map((c) => ({
    type: text(c.type),
    status: text(c.status),
    reason: text(c.reason),
    message: withoutSecrets(text(c.message)),
    lastTransitionTime: text(c.lastTransitionTime) || null,
  }))
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

function shown(object: KubeObject): JsonObject {
  const { managedFields: _managed, annotations = {}, ...metadata } = object.metadata
  const { [LAST_APPLIED]: _applied, ...kept } = annotations
  return redacted({ ...object, metadata: { ...metadata, annotations: kept } } as unknown as Json) as JsonObject
}
