import * as z from 'zod'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Capabilities } from '@/lib/domain/capabilities'
import { EXTENSION_CONFIG, PAUSED, RELEASE } from '@/lib/domain/latch/names'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'
import { recordAudit } from '../audit/record'
import { groupResource } from '../changes/patch-for'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { EXTENSION_RESOURCE } from '../gate/manifest'
import { asServiceError } from '../gate/refusal'
import { forgetClient, kubeClientFor } from './connection'
import { ClusterId } from './schemas'

export interface DisconnectPlan {
  clusterId: string
  name: string
  /** Paused on the API server: stay as they are, also without Drydock. */
  staysHeld: string[]
  /** Held only by the gate's answers, or in the middle of an approved update: these would move, or stop half-way. */
  wouldMove: { group: string; why: string }[]
  registered: boolean
  sentences: string[]
}

const DisconnectInput = ClusterId.extend({
  /** The name of the cluster, typed. */
  confirm: z.string('Type the name of the management cluster.'),
})

/** What disconnecting would leave held, and what it would let move. */
export async function planDisconnect(ctx: Ctx, input: unknown): Promise<DisconnectPlan> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId } = parseInput(ClusterId, input)
  return asServiceError(() => planFor(clusterId))
}

async function planFor(clusterId: string): Promise<DisconnectPlan> {
  const cluster = await db().managementCluster.findUnique({ where: { id: clusterId } })
  if (!cluster) throw new ServiceError('not-found', 'There is no such management cluster.')
  const open = await db().change.findMany({
    where: { clusterId, state: { in: ['waiting', 'rejected', 'approved', 'running', 'stuck'] } },
    orderBy: [{ namespace: 'asc' }, { groupName: 'asc' }],
  })
  const client = await kubeClientFor(clusterId)
  const plan: DisconnectPlan = {
    clusterId,
    name: cluster.name,
    staysHeld: [],
    wouldMove: [],
    registered: cluster.gateState === 'registered',
    sentences: [],
  }
  for (const change of open) {
    const group = `${change.groupKind} ${change.namespace}/${change.groupName}`
    const why = await whyMoving(client, change)
    if (why === null) plan.staysHeld.push(group)
    else if (why) plan.wouldMove.push({ group, why })
  }
  plan.sentences = [
    plan.staysHeld.length > 0
      ? `${plan.staysHeld.length} held group(s) stay paused; only the break-glass group can release them then.`
      : 'Nothing is held.',
    plan.registered
      ? 'The registration of the gate is released: from then on Cluster API replaces machines without asking.'
      : 'The gate is not registered.',
    'The credentials are deleted. The latch stays installed until it is removed.',
  ]
  return plan
}

/** null: paused on the API server. '': nothing there any more. Else why it would move. Asked of the API server itself. */
async function whyMoving(
  client: KubeClient,
  change: { groupKind: string; groupName: string; namespace: string; state: string; groupId: string },
): Promise<string | null> {
  const group = await db().group.findUnique({ where: { id: change.groupId }, select: { apiVersion: true } })
  if (!group) return ''
  try {
    const resource = groupResource(change.groupKind, group.apiVersion)
    const object = await client.get(resource, change.groupName, change.namespace)
    if (PAUSED in (object.metadata.annotations ?? {})) return null
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return ''
    throw error
  }
  return ['approved', 'running', 'stuck'].includes(change.state)
    ? 'It is being updated: without the gate what is left of it is replaced, and updates in place stop half-way.'
    : 'Only the gate’s answers hold it: without them its machines are replaced.'
}

/** Disconnects: what is held stays held, then the registration is released, then the credentials go. Refuses otherwise. */
export async function disconnectCluster(ctx: Ctx, input: unknown): Promise<DisconnectPlan> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, confirm } = parseInput(DisconnectInput, input)
  const plan = await asServiceError(() => planFor(clusterId))
  if (confirm !== plan.name) {
    const message = `Type ${plan.name} to disconnect it.`
    throw new ServiceError('invalid', message, { fields: [{ field: 'confirm', message }] })
  }
  if (plan.wouldMove.length > 0)
    throw new ServiceError(
      'conflict',
      `${plan.wouldMove.length} group(s) would move: ${plan.wouldMove[0]!.group}. ${plan.wouldMove[0]!.why}`,
      {
        hint: 'Wait until they are done, or reject them: a rejected group is paused on the API server.',
      },
    )
  const answer = plan.registered ? await asServiceError(() => release(clusterId)) : 'there was no registration'
  await db().$transaction(async (tx) => {
    await tx.clusterCredential.deleteMany({ where: { clusterId } })
    await tx.managementCluster.update({
      where: { id: clusterId },
      data: { state: 'disconnected', stateMessage: `Disconnected by ${ctx.actor.name}.`, gateState: 'unregistered' },
    })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, {
      action: 'cluster.disconnected',
      target: { kind: 'ManagementCluster', id: clusterId, name: plan.name },
      cluster: { id: clusterId, name: plan.name },
      answer,
      details: { staysHeld: plan.staysHeld },
    })
  })
  forgetClient(clusterId)
  return plan
}

/** The guard lets the registration go only once it carries the release mark. */
async function release(clusterId: string): Promise<string> {
  const cluster = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const version = (cluster.discovery as unknown as Capabilities).resources[EXTENSION_RESOURCE] ?? 'v1beta2'
  const resource = { group: 'runtime.cluster.x-k8s.io', version, plural: 'extensionconfigs' }
  const client = await kubeClientFor(clusterId)
  try {
    const annotations = { [RELEASE]: 'disconnected in Drydock' }
    await client.patch(resource, EXTENSION_CONFIG, undefined, 'merge', { metadata: { annotations } })
    await client.delete(resource, EXTENSION_CONFIG)
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 404)) throw error
    return 'the registration was gone already'
  }
  return 'registration deleted'
}
