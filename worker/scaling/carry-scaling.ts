import { isDeepStrictEqual } from 'node:util'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { json } from '@/lib/db/json'
import { announce } from '@/lib/db/notify'
import { carry, SCALED, scaledBy, type Carry } from '@/lib/domain/scaling'
import type { KubeObject } from '@/lib/kubernetes/types'
import { pauseOf } from '@/lib/providers/cluster-api/pause'
import { isAsTold, makesWords, setSizes, whyNoMachines } from '@/lib/providers/cluster-api/scaling'
import { ServiceError } from '@/lib/services/errors'
import { OPEN_SQL } from '@/lib/services/changes/states'
import { anyPolicySays, rulesForAll } from '@/lib/services/policies/rules-for'
import type { Scaling } from '@/lib/services/scaling/scaling'
import { besides } from '../beside'
import { log } from '../log'
import type { Failed } from '../planner/audited'
import { owned } from '../planner/common'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { editedSince } from './edited-since'
import { DEPLOYMENTS, patchSet, resourceOf, SETS, setsByOwner } from './sets'

interface Group {
  object: KubeObject
  sets: KubeObject[]
  next: Carry
  row: Row
}

interface Row {
  id: string
  workloadCluster: string
  namespace: string
  name: string
  scaling: Scaling | null
  clusterPaused: boolean
  /** Since when it is held, by its own word, or its change is known. */
  since: Date | null
}

const ROWS = `
SELECT g.id, g.workload_cluster AS "workloadCluster", g.namespace, g.name, g.scaling, coalesce(w.paused, false) AS "clusterPaused",
  least(g.held_since, (SELECT min(c.detected_at) FROM change c WHERE c.group_id = g.id AND c.cluster_id = g.cluster_id AND c.state IN (${OPEN_SQL}))) AS since
FROM machine_group g
LEFT JOIN workload_cluster w ON w.cluster_id = g.cluster_id AND w.namespace = g.namespace AND w.name = g.workload_cluster
WHERE g.cluster_id = $1::uuid AND (g.id = ANY($2::uuid[]) OR g.scaling IS NOT NULL)`

const CLUSTER_PAUSED = 'The whole cluster is paused: its machine sets do nothing.'

/**
 * Where a policy lets groups scale while they are held: what they want more or less goes to the machine set that they have. When
 * nothing holds them any more, their own controller goes on from what it finds, and the mark goes.
 */
export async function carryScaling(view: ClusterView, stopped: () => boolean): Promise<void> {
  const allowed = await anyPolicySays(db(), 'scaleWhileHeld')
  const marked = [...view.objects(SETS).values()].some(isMarked)
  // Mostly there is nothing of it, and then no thousands of machine sets are put in order every two seconds.
  const sets = allowed || marked ? setsByOwner(view) : new Map<string, KubeObject[]>()
  const objects = [...view.objects(DEPLOYMENTS).values()]
  const back = marked ? handsBack(objects, sets) : []
  const held = allowed ? objects.filter((object) => isOurs(object)) : []
  const ids = held.map(({ metadata }) => metadata.uid)
  const rows = await db().$queryRawUnsafe<Row[]>(ROWS, view.clusterId, ids)
  const { groups, unknown } = await scaled(view, held, sets, rows)
  const still = new Set([...groups.map(({ row }) => row.id), ...unknown])
  for (const row of rows) if (row.scaling && !still.has(row.id)) await say(view, row, null)
  const works: Work[] = [
    ...back.map((object) => ({ object, work: () => handBack(view, object, sets, stopped) })),
    ...groups.map((group) => ({ object: group.object, work: () => one(view, group) })),
  ]
  await beside(view).each(
    works,
    ({ object }) => object.metadata.uid,
    ({ object, work }) =>
      work().catch((err: unknown) =>
        log.warn(
          { err, cluster: view.name, group: object.metadata.name },
          'scaling could not be carried through, or handed back; it will be repeated',
        ),
      ),
    stopped,
  )
}

interface Work {
  object: KubeObject
  work: () => Promise<void>
}
const beside = besides()

/** Held by Drydock, and by nobody else besides. */
function isOurs(object: KubeObject): boolean {
  const { held, paused } = pauseOf(object)
  return held !== null && !paused && !object.metadata.deletionTimestamp
}

/**
 * Of these, the ones that policies let scale, and that want something or were scaled before; and those of which policies cannot be
 * known at this moment, whose rows stay as they are.
 */
async function scaled(
  view: ClusterView,
  held: readonly KubeObject[],
  sets: ReadonlyMap<string, KubeObject[]>,
  rows: readonly Row[],
): Promise<{ groups: Group[]; unknown: string[] }> {
  const known = new Map(rows.map((row) => [row.id, row]))
  const some = held.flatMap((object): Group[] => {
    const [row, own] = [known.get(object.metadata.uid), sets.get(object.metadata.uid) ?? []]
    // Templates of thousands of groups are not compared where nothing differs.
    if (!row || (!row.scaling && !own.some(isMarked) && isAsTold(wantedBy(object), own))) return []
    const next = carry(wantedBy(object), setSizes(object, own))
    return next.do !== 'nothing' || row.scaling ? [{ object, sets: own, next, row }] : []
  })
  const { clusterId } = view
  const rules = await rulesForAll(
    db(),
    some.map(({ row }) => ({ ...row, clusterId, groupKind: 'MachineDeployment', groupName: row.name })),
  )
  return {
    groups: some.filter((_, i) => {
      const of = rules[i]!
      return !(of instanceof ServiceError) && of.scaleWhileHeld.value
    }),
    unknown: some.flatMap(({ row }, i) => (rules[i] instanceof ServiceError ? [row.id] : [])),
  }
}

const wantedBy = ({ spec }: KubeObject): number => (typeof spec?.replicas === 'number' ? spec.replicas : 1)

async function one(view: ClusterView, group: Group): Promise<void> {
  const { object, sets, next, row } = group
  const before = row.scaling
  const nothing: Scaling = { set: null, from: null, to: null, at: null, trouble: null }
  if (next.do === 'wait') return say(view, row, { ...(before ?? nothing), trouble: next.why })
  if (next.do === 'nothing') {
    const set = sets.find(({ metadata }) => metadata.name === before?.set)
    return say(view, row, before && { ...before, trouble: set ? whyNoMachines(set) : null })
  }
  if (row.clusterPaused) return say(view, row, { ...(before ?? nothing), trouble: CLUSTER_PAUSED })
  if (refusals.stands(row.id)) return
  // Whatever was heard of it, it has to be held now; let go after that look its controller goes on from what it finds.
  const stillWanted = async () => {
    const { name, namespace } = object.metadata
    const now = await view.client.get(resourceOf(object, 'machinedeployments'), name, namespace)
    return now.metadata.uid === row.id && isOurs(now) && wantedBy(now) === wantedBy(object) ? now : null
  }
  const set = sets.find(({ metadata }) => metadata.name === next.set)!
  let edited = null as string | null
  const about = {
    ...{
      id: row.id,
      intent: 'scaling.carry',
      action: 'scaling.carried',
      group: { ...object, kind: 'MachineDeployment' },
    },
    reason: `${next.from} → ${next.replicas} machines in machine set ${next.set}: the group is held, and wants ${wantedBy(object)}`,
  }
  const result = await patchSet(view, set, about, async (fresh) => {
    // What is not on record yet has come in this moment.
    const found = next.replicas > next.from ? await editedSince(view, set, row.since ?? new Date()) : null
    const now = await stillWanted()
    const then = now && carry(wantedBy(now), setSizes(now, sets.map((one) => (one === set ? fresh : one)))) // prettier-ignore
    const same = then?.do === 'scale' && then.set === next.set && then.replicas === next.replicas
    edited = same ? found : null
    return same && !found ? { annotations: { [SCALED]: then.mark }, replicas: then.replicas } : null
  })
  refusals.heed(row.id, result)
  if (edited) refusals.note(row.id)
  const trouble = edited ?? (result && 'why' in result ? `${NOT_CARRIED[result.why]}${result.words}` : null)
  if (trouble) return say(view, row, { ...(before ?? nothing), trouble })
  if (!result) return
  const from = before?.set === next.set && before.from !== null ? before.from : next.from
  const at = new Date().toISOString()
  await say(view, row, { set: next.set, from, to: next.replicas, makes: makesWords(set), at, trouble: null })
}

const refusals = new Refusals()
const NOT_CARRIED: Record<Failed['why'], string> = {
  ...{ refused: '', busy: '' },
  'not-known': 'It is not known whether the API server took that: ',
  unread: 'What that goes by cannot be read: ',
}

/** For the pages; what stands there already is not written again. */
async function say({ clusterId, fence }: ClusterView, { id, scaling }: Row, next: Scaling | null): Promise<void> {
  if (isDeepStrictEqual(scaling, next)) return
  await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    await tx.group.updateMany({ where: { id, clusterId }, data: { scaling: next ? json(next) : Prisma.DbNull } })
    await announce(tx, { topic: 'changes', cluster: clusterId })
  })
}

/** Groups with marks that nothing keeps their own controller from acting on. */
const handsBack = (objects: readonly KubeObject[], sets: ReadonlyMap<string, KubeObject[]>): KubeObject[] =>
  objects.filter((object) => {
    const { uid } = object.metadata
    if (!sets.get(uid)?.some(isMarked) || refusals.stands(uid)) return false
    const { held, paused } = pauseOf(object)
    return held === null && !paused
  })

/** Marks of which nothing is left that counts go. */
async function handBack(
  view: ClusterView,
  object: KubeObject,
  sets: ReadonlyMap<string, KubeObject[]>,
  stopped: () => boolean,
): Promise<void> {
  const { uid } = object.metadata
  const own = sets.get(uid) ?? []
  const group = { ...object, kind: 'MachineDeployment' }
  const sizes = setSizes(object, own)
  for (const [i, set] of own.entries()) {
    if (stopped()) return
    if (!isMarked(set) || (scaledBy(sizes[i]!) ?? 0) !== 0) continue
    const reason = `machine set ${set.metadata.name}`
    const about = { id: uid, group, intent: 'scaling.hand-back', action: 'scaling.handed-back', reason }
    const result = await patchSet(view, set, about, (now) =>
      now.metadata.annotations?.[SCALED] === set.metadata.annotations?.[SCALED]
        ? { annotations: { [SCALED]: null } }
        : null,
    )
    refusals.heed(uid, result)
  }
}

const isMarked = ({ metadata }: KubeObject): boolean => SCALED in (metadata.annotations ?? {})
