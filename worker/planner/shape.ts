import { isDeepStrictEqual } from 'node:util'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { announce } from '@/lib/db/notify'
import { shapeMissing, shapePolicies, shapeWanted, shapeWords, type Resolved, type Shape } from '@/lib/domain/policies'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { rolloutShapeOf } from '@/lib/providers/cluster-api'
import { groupShapeOf, shapeSpec } from '@/lib/providers/cluster-api/shape'
import { isHeld } from '@/lib/services/changes/hold-of'
import { groupResource } from '@/lib/services/changes/patch-for'
import { ServiceError } from '@/lib/services/errors'
import { rulesForAll } from '@/lib/services/policies/rules-for'
import { anyShapes, shapeAsked, shapeSaid, type ShapeSaid } from '@/lib/services/policies/shape'
import { log } from '../log'
import type { ClusterView } from '../types'
import { audited, NothingToWrite } from './audited'
import { json, owned } from './common'

const FIELDS = {
  ...{ id: true, clusterId: true, groupId: true, groupKind: true, groupName: true, namespace: true },
  ...{ workloadCluster: true, shape: true },
} as const
type Row = Prisma.ChangeGetPayload<{ select: typeof FIELDS }>

const RESOURCES: Record<string, string> = {
  MachineDeployment: 'machinedeployments.cluster.x-k8s.io',
  KubeadmControlPlane: 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io',
}

/**
 * Writes surge, order and time-outs as policies say to groups that are held, before anything of them goes: what is foretold is
 * foretold of that. Once for each thing that they say: what somebody writes again afterwards stays, and keeps the change held.
 */
export async function shapeHeld(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { clusterId } = view
  const waits = { clusterId, state: { in: ['waiting', 'rejected'] } }
  if (!(await anyShapes(db()))) {
    await db().change.updateMany({
      where: { ...waits, NOT: { shape: { equals: Prisma.AnyNull } } },
      data: { shape: Prisma.DbNull },
    })
    return
  }
  const changes = await db().change.findMany({ where: waits, select: FIELDS })
  const rules = await rulesForAll(db(), changes)
  for (const [i, change] of changes.entries()) {
    if (stopped()) return
    const of = rules[i]!
    const object = view.objects(RESOURCES[change.groupKind] ?? '').get(`${change.namespace}/${change.groupName}`)
    // What cannot be known, and what is not seen any more, stays as it is: nothing of it goes.
    if (of instanceof ServiceError || object?.metadata.uid !== change.groupId) continue
    await one(view, change, of, { ...object, kind: change.groupKind }).catch((err: unknown) =>
      log.warn(
        { err, cluster: view.name, change: change.id },
        'a group could not be written as its policy says; it will be repeated',
      ),
    )
  }
}

const missingOf = (rules: Resolved, group: KubeObject): Shape | null => {
  const { strategy } = rolloutShapeOf(group)
  return shapeMissing(shapeWanted(rules, { kind: group.kind, strategy }), groupShapeOf(group))
}

async function one(view: ClusterView, change: Row, rules: Resolved, group: KubeObject): Promise<void> {
  const asked = shapeAsked(rules, change.groupKind)
  const before = shapeSaid(change.shape)
  if (asked === '') return say(view, change, null)
  const same = before?.of === asked ? before : null
  const fine: ShapeSaid = { of: asked, wrote: same?.wrote ?? null, at: same?.at ?? null, trouble: null }
  const missing = isHeld(group) ? missingOf(rules, group) : null
  if (!missing) return say(view, change, fine)
  const names = shapePolicies(rules)
  if (same?.wrote) {
    // It takes a moment until a write is seen.
    const now = await view.client.get(groupResource(group.kind, group.apiVersion), change.groupName, change.namespace)
    if (!isHeld(now) || !missingOf(rules, { ...now, kind: group.kind })) return
    return say(view, change, {
      ...same,
      trouble: `the policy ${names} says ${shapeWords(missing)}, and somebody wrote something else to its group since: write that to the group, or change the policy`,
    })
  }
  if (Date.now() < (refusals.get(change.id) ?? 0)) return
  const result = await write(view, change, rules, group, names)
  if (result === 'nothing') return
  if (typeof result === 'object') refusals.set(change.id, Date.now() + AGAIN_MS)
  await say(
    view,
    change,
    typeof result === 'object'
      ? {
          ...fine,
          trouble: `the policy ${names} says ${shapeWords(missing)}, and the API server refused that: ${result.refused}`,
        }
      : { ...fine, wrote: missing, at: new Date().toISOString() },
  )
}

/** What the API server refuses is not asked again every two seconds. */
const AGAIN_MS = 30_000
const refusals = new Map<string, number>()

async function write(
  view: ClusterView,
  { id, groupKind, groupName, namespace }: Row,
  rules: Resolved,
  group: KubeObject,
  names: string,
): Promise<'written' | 'nothing' | { refused: string }> {
  const resource = groupResource(groupKind, group.apiVersion)
  let refused: string | null = null
  const patch = async (): Promise<KubeObject> => {
    const now = { ...(await view.client.get(resource, groupName, namespace)), kind: groupKind }
    const missing = now.metadata.uid === group.metadata.uid && isHeld(now) ? missingOf(rules, now) : null
    if (!missing) throw new NothingToWrite('ok', 'It is not as it was any more')
    const body = { metadata: { resourceVersion: now.metadata.resourceVersion }, spec: shapeSpec(now, missing) }
    try {
      return await view.client.patch(resource, groupName, namespace, 'merge', body)
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      if (error.code === 409) throw new NothingToWrite('failed', 'It changed meanwhile')
      refused = error.message
      throw error
    }
  }
  const reason = `policy ${names}: ${shapeWords(missingOf(rules, group)!)}`
  try {
    await audited(view, group, { id, intent: 'change.shape', action: 'change.shaped', reason }, patch)
  } catch (error) {
    if (error instanceof NothingToWrite) return 'nothing'
    throw error
  }
  return refused === null ? 'written' : { refused }
}

async function say({ clusterId, fence }: ClusterView, { id, shape }: Row, next: ShapeSaid | null): Promise<void> {
  if (isDeepStrictEqual(shape, json(next))) return
  await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    await tx.change.updateMany({ where: { id }, data: { shape: next ? json(next) : Prisma.DbNull } })
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [id] })
  })
}
