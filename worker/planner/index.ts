import { db } from '@/lib/db/client'
import { objectKey } from '@/lib/kubernetes/paths'
import { KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { clientSource, type ObjectSource } from '@/lib/providers/cluster-api/changes'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { upgradeWish } from '@/lib/providers/cluster-api/upgrade'
import { isElsewhere, letGoOf } from '@/lib/services/changes/let-go'
import { Beside } from '../beside'
import { log } from '../log'
import type { ClusterView, Consumer, ObjectChange } from '../types'
import { CoverageBook } from './coverage'
import { endOrphans } from './orphans'
import { CLUSTERS } from './upcoming'
import { isPool } from '@/lib/domain/latch/hold'
import { OS_CONFIGS } from '@/lib/providers/openshift/built'
import { poolsOfConfig } from '../pools/built'
import { POOL_RESOURCES } from '../pools/objects'
import { planPool } from '../pools/plan-pool'
import { INFRASTRUCTURES } from './members'
import { planGroup } from './plan-group'

const DEPLOYMENTS = 'machinedeployments.cluster.x-k8s.io'
const SETS = 'machinesets.cluster.x-k8s.io'
const CONTROL_PLANES = 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io'
const POOLS = POOL_RESOURCES.pools
const KINDS: Record<string, string> = {
  [DEPLOYMENTS]: 'MachineDeployment',
  [CONTROL_PLANES]: 'KubeadmControlPlane',
  [POOLS]: 'MachineConfigPool',
}
const GROUPS = Object.keys(KINDS)
const NAMESPACES = 'namespaces'
const FAILED_MS = 5_000
/** One answer may be lost, of several backends one may be gone: after so many in a row nobody is there. */
const NOBODY = 3
/** Until one of two clusters that answer with the same uids is disconnected. */
const ELSEWHERE_MS = 30_000

interface Following {
  view: ClusterView
  source: ObjectSource
  book: CoverageBook
  /** Of groups, by uid. */
  generations: Map<string, number>
  /** Of namespaces, by uid: which groups are governed may stand there. */
  labels: Map<string, string>
  /** What managed Clusters have for their groups, by uid. */
  wishes: Map<string, string>
  /** Whether pools were listed when changes of groups that are gone were last ended. */
  pools: boolean
  /** Groups to look at again, "resource key". */
  due: Map<string, number>
  timer: NodeJS.Timeout | null
  /** Groups are planned one after the other. */
  queue: Promise<void>
  /** What hangs goes on beside it; two plans of one group never race: `missed` are planned again when theirs has ended. */
  beside: Beside
  missed: Set<string>
}

const following = new Map<string, Following>()

/** Follows what MachineDeployments, control planes and pools want, and keeps their changes, verdicts and progress. */
export const plannerConsumer: Consumer = {
  name: 'planner',
  resources: [DEPLOYMENTS, SETS, CONTROL_PLANES, CLUSTERS, NAMESPACES, POOLS, OS_CONFIGS, INFRASTRUCTURES],
  // Who may not read pools has groups of Cluster API to plan all the same.
  optional: [CLUSTERS, NAMESPACES, POOLS, OS_CONFIGS, INFRASTRUCTURES],

  async onSynced(view: ClusterView): Promise<void> {
    discard(view.clusterId)
    if (!view.capabilities.clusterApi && !view.capabilities.openshift) return
    const source = clientSource({
      client: view.client,
      resources: view.capabilities.resources,
      letGo: (uid) => letGoOf(view.clusterId, uid),
      machineSets: () => view.objects(SETS).values(),
    })
    const state: Following = {
      view,
      source,
      book: new CoverageBook(),
      generations: new Map(),
      labels: new Map([...view.objects(NAMESPACES).values()].map((object) => [object.metadata.uid, labelsOf(object)])),
      wishes: new Map([...view.objects(CLUSTERS).values()].map((object) => [object.metadata.uid, upgradeWish(object)])),
      pools: isListed(view, POOLS),
      due: new Map(),
      timer: null,
      queue: Promise.resolve(),
      beside: new Beside(),
      missed: new Set(),
    }
    following.set(view.clusterId, state)
    await endGone(view)
    await plan(
      state,
      GROUPS.flatMap((resource) => [...view.objects(resource).keys()].map((key) => `${resource} ${key}`)),
    )
  },

  async onChanges(view: ClusterView, changes: ObjectChange[]): Promise<void> {
    const state = following.get(view.clusterId)
    if (!state) return
    state.view = view
    // A template may have been made anew under its name before the group was pointed to it.
    for (const { type, resource, object } of changes)
      if (type === 'delete') state.generations.delete(object.metadata.uid)
      else if (GROUPS.includes(resource) && rewritten(state, object))
        state.source.forget(object.metadata.namespace ?? '')
    const late = !state.pools && isListed(view, POOLS)
    if (late || changes.some((change) => change.type === 'delete' && GROUPS.includes(change.resource)))
      await endGone(view)
    state.pools ||= late
    const names = new Set(changes.flatMap(groupOf))
    for (const name of [...ofNamespaces(state, changes), ...ofClusters(state, changes)]) names.add(name)
    // Their cluster may have another name than before.
    if (changes.some(({ resource }) => resource === INFRASTRUCTURES))
      for (const key of view.objects(POOLS).keys()) names.add(`${POOLS} ${key}`)
    await plan(state, [...names])
  },

  forget,
}

/** Somebody changed what the group wants; counters and conditions do not count. */
function rewritten({ generations }: Following, { metadata }: KubeObject): boolean {
  const before = generations.get(metadata.uid)
  generations.set(metadata.uid, metadata.generation ?? 0)
  return before !== metadata.generation
}

function forget(view: ClusterView): void {
  if (following.get(view.clusterId)?.view === view) discard(view.clusterId)
}

function discard(clusterId: string): void {
  const state = following.get(clusterId)
  if (state?.timer) clearTimeout(state.timer)
  following.delete(clusterId)
}

const labelsOf = ({ metadata }: KubeObject): string => JSON.stringify(metadata.labels ?? {})

/** The groups of namespaces whose labels changed. All are looked through once, however many changed. */
function ofNamespaces({ view, labels }: Following, changes: ObjectChange[]): string[] {
  const changed = new Set<string>()
  for (const { type, resource, key, object } of changes) {
    if (resource !== NAMESPACES) continue
    const { uid } = object.metadata
    if (type === 'delete') labels.delete(uid)
    else if (labels.get(uid) !== labelsOf(object)) changed.add(key)
    if (type !== 'delete') labels.set(uid, labelsOf(object))
  }
  if (changed.size === 0) return []
  return GROUPS.flatMap((resource) =>
    [...view.objects(resource).keys()]
      .filter((key) => changed.has(key.slice(0, key.indexOf('/'))))
      .map((key) => `${resource} ${key}`),
  )
}

/** The groups of managed Clusters that have another version for them than before. */
function ofClusters({ view, wishes }: Following, changes: ObjectChange[]): string[] {
  const changed = new Set<string>()
  for (const { type, resource, key, object } of changes) {
    if (resource !== CLUSTERS) continue
    const { uid } = object.metadata
    if (type === 'delete') wishes.delete(uid)
    else if (wishes.get(uid) !== upgradeWish(object)) changed.add(key)
    if (type !== 'delete') wishes.set(uid, upgradeWish(object))
  }
  if (changed.size === 0) return []
  return GROUPS.flatMap((resource) =>
    [...view.objects(resource)]
      .filter(([, group]) => changed.has(`${group.metadata.namespace ?? ''}/${workloadClusterOf(group)}`))
      .map(([key]) => `${resource} ${key}`),
  )
}

/** The group that a change of an object concerns. */
function groupOf(change: ObjectChange): string[] {
  const { resource, key, object } = change
  if (resource === OS_CONFIGS) return poolsOfConfig(change, POOLS)
  if (GROUPS.includes(resource)) return [`${resource} ${key}`]
  if (resource !== SETS) return []
  const owner = object.metadata.ownerReferences?.find((o) => o.kind === 'MachineDeployment')
  return owner ? [`${DEPLOYMENTS} ${objectKey({ metadata: { ...object.metadata, name: owner.name } })}`] : []
}

/** Resolves when each has had its turn: of one that hangs nobody hears more here, and it is planned again by itself. */
async function plan(state: Following, names: string[]): Promise<void> {
  const isOver = () => following.get(state.view.clusterId) !== state
  const work = state.queue.then(async () => {
    const unanswered: string[] = []
    let left = true
    const one = async (name: string): Promise<void> => {
      if (isOver()) return
      state.missed.delete(name)
      const answered = await planOne(state, name)
      if (!answered) unanswered.push(name)
      if (answered || !left) again(state, unanswered.splice(0), FAILED_MS)
    }
    for (const [i, name] of names.entries()) {
      if (isOver()) return
      state.missed.add(name)
      await state.beside.begin(
        name,
        () => one(name),
        () => state.missed.delete(name) && again(state, [name], 0),
      )
      if (unanswered.length < NOBODY) continue
      // The others come first when it is tried again, for it may have been these alone.
      again(state, names.slice(i + 1), FAILED_MS)
      break
    }
    left = false
    again(state, unanswered.splice(0), FAILED_MS)
  })
  state.queue = work.catch(() => undefined)
  await work
}

/**
 * One group that cannot be read (a missing permission, a template's webhook) must not keep the others waiting. False: the cluster did
 * not answer, and may not for the others either.
 */
async function planOne(state: Following, name: string): Promise<boolean> {
  const [resource, key] = name.split(' ') as [string, string]
  const group: KubeObject | undefined = state.view.objects(resource).get(key)
  if (!group || group.metadata.deletionTimestamp) return true
  const { view, source, book } = state
  try {
    if (await isElsewhere(view.clusterId, group.metadata.uid)) {
      again(state, [name], ELSEWHERE_MS)
      return true
    }
    const context = { view, source, book, later: () => again(state, [name], 0) }
    const next = await (isPool(group) ? planPool : planGroup)(context, group)
    if (next !== null) again(state, [name], next)
    return true
  } catch (error) {
    log.warn({ err: error, cluster: view.name, group: key }, 'a group could not be planned; trying again')
    if (error instanceof KubeUnreachable) return false
    again(state, [name], FAILED_MS)
    return true
  }
}

/** All with one look at what is due: there may be thousands. */
function again(state: Following, names: readonly string[], afterMs: number): void {
  if (names.length === 0) return
  if (following.get(state.view.clusterId) !== state) return
  const at = Date.now() + afterMs
  for (const name of names) state.due.set(name, Math.min(at, state.due.get(name) ?? at))
  arm(state)
}

function arm(state: Following): void {
  if (state.timer) clearTimeout(state.timer)
  state.timer = null
  if (state.due.size === 0) return
  let next = Infinity
  for (const at of state.due.values()) next = Math.min(next, at)
  state.timer = setTimeout(
    () => {
      const ready = [...state.due].filter(([, at]) => at <= Date.now()).map(([name]) => name)
      for (const name of ready) state.due.delete(name)
      void plan(state, ready).finally(() => arm(state))
    },
    Math.max(0, next - Date.now()),
  )
  state.timer.unref()
}

/** Plans again what waits for a decision: whether it can be done in place may have changed. */
export async function planWaiting(clusterId: string): Promise<void> {
  const state = following.get(clusterId)
  if (!state) return
  const rows = await db().change.findMany({
    where: { clusterId, state: { in: ['waiting', 'rejected'] } },
    select: { groupKind: true, namespace: true, groupName: true },
  })
  const names = rows.map(({ groupKind, namespace, groupName }) => {
    const resource = GROUPS.find((name) => KINDS[name] === groupKind) ?? DEPLOYMENTS
    return `${resource} ${objectKey({ metadata: { namespace, name: groupName } })}`
  })
  again(state, names, 0)
}

/** The updaters, or what one of them can do, may be others now: what waits is asked about anew, and planned again. */
export async function askAnew(clusterId: string): Promise<void> {
  following.get(clusterId)?.book.doubt()
  await planWaiting(clusterId)
}

const isListed = (view: ClusterView, resource: string): boolean => (view.heard?.(resource) ?? 'listed') === 'listed'

/** Of what is listed, all that is there; the rest of it is gone. */
async function endGone(view: ClusterView): Promise<void> {
  const listed = GROUPS.filter((resource) => isListed(view, resource))
  await endOrphans(view, {
    kinds: listed.map((resource) => KINDS[resource]!),
    uids: listed.flatMap((resource) => [...view.objects(resource).values()].map(({ metadata }) => metadata.uid)),
  })
}
