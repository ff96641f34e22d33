import { namedIn } from '@/lib/kubernetes/paths'
import { isDeepStrictEqual } from 'node:util'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { json } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import {
  SHAPE_RULES,
  shapeMissing,
  shapePolicies,
  shapeWanted,
  shapeWords,
  type Resolved,
  type Shape,
} from '@/lib/domain/policies'
import { merged } from '@/lib/domain/boot-images/merge'
import type { KubeObject } from '@/lib/kubernetes/types'
import { rolloutShapeOf } from '@/lib/providers/cluster-api'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { groupShapeOf, shapeSpec } from '@/lib/providers/cluster-api/shape'
import { isHeld } from '@/lib/services/changes/hold-of'
import { groupResource } from '@/lib/services/changes/patch-for'
import { begunSql } from '@/lib/services/changes/states'
import { ServiceError } from '@/lib/services/errors'
import { anyPolicySays } from '@/lib/services/policies/rules-for'
import { shapeAsked, shapeSaid, unshapedOf, type ShapeSaid } from '@/lib/services/policies/shape'
import { besides } from '../beside'
import { log } from '../log'
import type { ClusterView } from '../types'
import { ownedSql } from '../owned'
import { Refusals } from '../refusals'
import { admit } from './admit'
import { auditedRewrite, type Failed, type Rewritten } from './audited'
import { owned } from './common'
import { rulesOf } from './rules-of'

const FIELDS = {
  ...{ id: true, clusterId: true, groupId: true, groupKind: true, groupName: true, namespace: true },
  ...{ workloadCluster: true, shape: true, heldBy: true, resourceVersion: true },
  decisions: { where: { mode: { not: 'reject' }, acceptedAt: { not: null } }, take: 1, select: { id: true } },
} as const
type Found = Prisma.ChangeGetPayload<{ select: typeof FIELDS }>
/** `begun`: it was let go before, and some of it began. */
type Row = Found & { begun: boolean }

const RESOURCES: Record<string, string> = {
  MachineDeployment: 'machinedeployments.cluster.x-k8s.io',
  KubeadmControlPlane: 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io',
}

/** Of those few that have one. */
const SHAPED = `SELECT id FROM change WHERE cluster_id = $1::uuid AND shape IS NOT NULL AND state IN ('waiting', 'rejected')`
const FORGET = `WITH one AS (${SHAPED} AND ${ownedSql('$1::uuid', '$2', SHAPED)} ORDER BY id FOR UPDATE) UPDATE change SET shape = NULL FROM one WHERE change.id = one.id`

/**
 * Writes surge, order and time-outs as policies say to groups that are held, before anything of them goes: what is foretold is
 * foretold of that. Once for each thing that they say: what somebody writes again afterwards stays, and keeps the change held.
 */
export async function shapeHeld(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { clusterId } = view
  // What was rejected, and not approved since, is left alone.
  const waits = { clusterId, OR: [{ state: 'waiting' }, { state: 'rejected', dueMode: { not: null } }] }
  if (!(await anyPolicySays(db(), ...SHAPE_RULES))) {
    await db().$executeRawUnsafe(FORGET, clusterId, view.fence)
    return
  }
  const changes = await db().change.findMany({ where: waits, select: FIELDS })
  const rules = await rulesOf(changes)
  const begun = await begunOf(changes)
  const each = async ([i, change]: [number, Found]): Promise<void> => {
    const of = rules[i]!
    const object = view.objects(RESOURCES[change.groupKind] ?? '').get(namedIn(change.namespace, change.groupName))
    // What cannot be known, and what is not seen any more, stays as it is: nothing of it goes.
    if (of instanceof ServiceError || object?.metadata.uid !== change.groupId) return
    await one(view, { ...change, begun: begun.has(change.id) }, of, { ...object, kind: change.groupKind }).catch(
      (err: unknown) =>
        log.warn(
          { err, cluster: view.name, change: change.id },
          'a group could not be written as its policy says; it will be repeated',
        ),
    )
  }
  await beside(view).each(changes.entries(), ([, { id }]) => id, each, stopped)
}

const beside = besides()

/** As `anyBegun`, of many. */
async function begunOf(changes: readonly Found[]): Promise<Set<string>> {
  const letGo = changes.filter(({ decisions }) => decisions.length > 0).map(({ id }) => id)
  if (letGo.length === 0) return new Set()
  const begun = `SELECT id::text FROM change WHERE id = ANY($1::uuid[]) AND ${begunSql('change.id')}`
  const rows = await db().$queryRawUnsafe<{ id: string }[]>(begun, letGo)
  return new Set(rows.map(({ id }) => id))
}

const missingOf = (rules: Resolved, group: KubeObject): Shape | null => {
  const { strategy } = rolloutShapeOf(group)
  return shapeMissing(shapeWanted(rules, { kind: group.kind, strategy }), groupShapeOf(group))
}

/**
 * A group as its policies have it written before anything of it goes: so it is foretold, also before it is held. Where they cannot be
 * known it is as it is, and nothing of it goes before they are; so it is where it could not be written so, or somebody wrote something else since (`tried`: what came of it).
 */
export async function asPoliciesSay(
  { clusterId }: ClusterView,
  group: KubeObject,
  tried: unknown = null,
): Promise<KubeObject> {
  if (!(await anyPolicySays(db(), ...SHAPE_RULES))) return group
  const { name: groupName, namespace = '' } = group.metadata
  const of = { clusterId, groupKind: group.kind, groupName, namespace, workloadCluster: workloadClusterOf(group) }
  const [rules] = await rulesOf([of])
  if (!rules || rules instanceof ServiceError) return group
  if (unshapedOf(rules, { groupKind: group.kind, shape: tried })?.shape.stuck) return group
  const missing = missingOf(rules, group)
  return missing ? { ...group, spec: merged(group.spec ?? {}, shapeSpec(group, missing)) } : group
}

async function one(view: ClusterView, change: Row, rules: Resolved, group: KubeObject): Promise<void> {
  const asked = shapeAsked(rules, change.groupKind)
  const before = shapeSaid(change.shape)
  if (asked === '') return say(view, change, null)
  // Its hold has not been seen yet, or was just taken away: nobody knows what it is then.
  if (change.heldBy === 'latch' && !isHeld(group)) return
  const same = before?.of === asked ? before : null
  const { wrote, at, resourceVersion } = same ?? { wrote: null, at: null, resourceVersion: null }
  const fine: ShapeSaid = { of: asked, wrote, at, resourceVersion, trouble: null, stuck: false }
  // What has begun goes on as it began; and what Drydock holds neither way is not its to write to.
  const ours = ['latch', 'gate'].includes(change.heldBy) && !change.begun
  const missing = ours ? missingOf(rules, group) : null
  if (!missing) {
    // What is foretold is foretold of the group as it was written.
    const planned = resourceVersion === null || !isOlder(change.resourceVersion, resourceVersion)
    return say(view, change, planned ? fine : { ...fine, trouble: PLANNING })
  }
  const names = shapePolicies(rules)
  const told = `the policy ${names} says ${shapeWords(missing)}`
  if (wrote) {
    // It takes a moment until a write is seen: the first time, the object itself is asked.
    const known = same?.stuck ?? false
    const now = known ? group : await view.client.get(groupResource(group.kind, group.apiVersion), change.groupName, change.namespace) // prettier-ignore
    if (!missingOf(rules, { ...now, kind: group.kind })) return
    const since = 'and somebody wrote something else to its group since: write that to the group, or change the policy'
    return say(view, change, { ...fine, trouble: `${told}, ${since}`, stuck: true })
  }
  if (movesUnasked(group, missing)) return say(view, change, { ...fine, trouble: `${told}, ${UNASKED}`, stuck: true })
  if (refusals.stands(change.id)) return
  const result = await write(view, change, rules, group, missing)
  refusals.heed(change.id, result)
  if (!result || ('why' in result && result.why === 'busy')) return
  if ('stored' in result) {
    const { resourceVersion: version } = result.stored.metadata
    const now = new Date().toISOString()
    return say(view, change, { ...fine, wrote: missing, at: now, resourceVersion: version, trouble: PLANNING })
  }
  const trouble = `${told}, and ${NOT_SHAPED[result.why]}: ${result.words}`
  await say(view, change, { ...fine, trouble, stuck: true })
}

/**
 * Of surge the gate is not asked: of a control plane that is not paused, Cluster API makes a machine at once where there is more,
 * and deletes one that is ill where there is less.
 */
const movesUnasked = (group: KubeObject, { maxSurge }: Shape): boolean =>
  group.kind === 'KubeadmControlPlane' && maxSurge !== undefined && !isHeld(group)

const UNASKED =
  'and only the gate holds its group: written now, Cluster API could make or delete a machine at once, and ask nobody. Have the latch govern it; or write that to the group yourself, if that may happen'

const refusals = new Refusals()
const NOT_SHAPED: Record<Failed['why'], string> = {
  refused: 'the API server refused that',
  'not-known': 'it is not known whether the API server took that',
  unread: 'its group cannot be read',
  busy: 'others write to its group again and again',
}
const PLANNING = 'its group was written as its policies say, and what that comes to is being worked out'

/** Of two versions of one object, which are numbers in one order; of others nobody knows. */
const isOlder = (a: string, b: string): boolean =>
  [a, b].every((version) => /^\d+$/.test(version)) ? BigInt(a) < BigInt(b) : a !== b

function write(
  view: ClusterView,
  { id, groupKind, heldBy }: Row,
  rules: Resolved,
  group: KubeObject,
  missing: Shape,
): Promise<Rewritten> {
  const reason = `policy ${shapePolicies(rules)}: ${shapeWords(missing)}`
  const about = { id, intent: 'change.shape', action: 'change.shaped', reason }
  return auditedRewrite(view, group, about, [
    groupResource(groupKind, group.apiVersion),
    group,
    (object) => {
      const now = { ...object, kind: groupKind }
      const still = heldBy === 'gate' || isHeld(now) ? missingOf(rules, now) : null
      return still && !movesUnasked(now, still) ? { spec: shapeSpec(now, still) } : null
    },
  ])
}

async function say(view: ClusterView, { id, groupId, shape }: Row, next: ShapeSaid | null): Promise<void> {
  if (isDeepStrictEqual(shape, json(next))) return
  const { clusterId, fence } = view
  await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    await tx.change.updateMany({ where: { id }, data: { shape: next ? json(next) : Prisma.DbNull } })
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [id] })
  })
  // What its policy asks nobody about has waited for nothing else.
  if (next?.trouble === null) await admit(view, groupId)
}
