import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { log } from '../log'
import { failures } from '../metrics'
import { OS_CONFIGS } from '@/lib/providers/openshift/built'
import { poolsOfConfig } from '../pools/built'
import { POOL_RESOURCES } from '../pools/objects'
import { forMoments, startRounds, type Rounds } from '../rounds'
import type { ClusterView, Consumer, ObjectChange } from '../types'
import { lookAtGroups } from './look'
import { strangersOf, type Strangers } from './strangers'
import { isWatched, watchOf, writeLooked, type Watch } from './watch'

const DEPLOYMENTS = 'machinedeployments.cluster.x-k8s.io'
const CONTROL_PLANES = 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io'
const GROUPS = [DEPLOYMENTS, CONTROL_PLANES, POOL_RESOURCES.pools]
const NAMESPACES = 'namespaces'
const ROUND_MS = 1_000
/** Besides what is heard of each, all groups are looked at so often: it is cheap, and shows that somebody does. */
const ALL_MS = 5_000
/** So long a round waits for what hangs. */
const LOOK_MS = 2_000

interface Watching {
  view: ClusterView
  /** As of the last round; null: Drydock is not the latch here. */
  watch: Watch | null
  /** When all groups are looked at next. */
  next: number
  /** Groups to look at again, "resource key". */
  due: Set<string>
  /** Being looked at; and those of them that changed meanwhile. */
  busy: Set<string>
  missed: Set<string>
  /** Of which it is on record that they could not be paused, or looked at. */
  failing: Set<string>
  strangers: Strangers
  rounds?: Rounds
}

const following = new Map<string, Watching>()

/**
 * The latch where the API server can carry none: watches the groups of a cluster and pauses what is governed and changed.
 * Every moment counts: it waits for no rows, and looks before anything is planned.
 */
export const latchWatchConsumer: Consumer = {
  name: 'latch watch',
  resources: [...GROUPS, NAMESPACES, OS_CONFIGS],
  // Who may not read pools has groups of Cluster API to pause all the same.
  optional: [NAMESPACES, OS_CONFIGS, POOL_RESOURCES.pools],
  afterRows: false,
  onSynced: (view) => {
    forget(following.get(view.clusterId)?.view)
    if (!view.capabilities.clusterApi && !view.capabilities.openshift) return Promise.resolve()
    const state: Watching = {
      view,
      watch: null,
      next: 0,
      due: new Set(),
      busy: new Set(),
      missed: new Set(),
      failing: new Set(),
      strangers: strangersOf(view.clusterId),
    }
    following.set(view.clusterId, state)
    state.rounds = startRounds(() => round(state), ROUND_MS)
    return Promise.resolve()
  },
  // What hangs for one group must keep nobody from hearing of another.
  onChanges: (view, changes) => {
    const state = following.get(view.clusterId)
    if (state?.watch) void look(state, namesOf(state, changes))
    return Promise.resolve()
  },
  forget,
}

function forget(view: ClusterView | undefined): void {
  const state = view && following.get(view.clusterId)
  if (!state || state.view !== view) return
  following.delete(view.clusterId)
  void state.rounds?.stop()
}

/** All of them now and then, and where watching began or other groups are governed; else what is left over. */
async function round(state: Watching): Promise<void> {
  const { view } = state
  try {
    const before = state.watch
    state.watch = before || (await isWatched(view.clusterId)) ? await watchOf(view) : null
    if (!state.watch) return state.due.clear()
    const all = Date.now() >= state.next || !isDeepStrictEqual(before, state.watch)
    const names = all ? allNames(view) : [...state.due]
    const left = await look(state, names)
    if (!all) return
    state.next = left === 0 ? Date.now() + ALL_MS : 0
    // Of one that hangs nobody knows, until it is on record that it could not be paused.
    const hangs = names.some((name) => state.busy.has(name) && !state.failing.has(name))
    if (left === 0 && !hangs) await writeLooked(view, state.watch)
  } catch (error) {
    failed(state, error)
  }
}

/** Whatever was to be looked at is looked at with all others, in the next round. */
function failed(state: Watching, err: unknown): void {
  state.next = 0
  failures.inc({ cluster: state.view.name, what: 'latch watch' })
  log.error({ err, cluster: state.view.name }, 'governed groups could not be looked at; it will be repeated')
}

/**
 * By the governance of this moment. How many of them are not known yet, or could not be looked at. What hangs goes on, and is left alone
 * until it has ended; each of the others is through by itself, and looked at again where it changed meanwhile.
 */
async function look(state: Watching, names: string[]): Promise<number> {
  const { view, due, busy, missed, failing, strangers } = state
  const open = new Set(names.filter((name) => !busy.has(name)))
  for (const name of names) if (busy.has(name)) missed.add(name)
  for (const name of open) {
    busy.add(name)
    due.delete(name)
  }
  let left = 0
  const again: string[] = []
  const looks: Promise<unknown>[] = []
  const lookAgain = async (): Promise<void> => {
    // With all that are through in this moment.
    await setImmediate()
    const more = following.get(view.clusterId) === state ? await look(state, again.splice(0)) : 0
    left += more
  }
  const ended: Parameters<typeof lookAtGroups>[4] = (name, how) => {
    open.delete(name)
    busy.delete(name)
    if (how === 'failed') failing.add(name)
    else failing.delete(name)
    if (how !== 'fine') due.add(name)
    if (how === 'unknown') left += 1
    if (missed.delete(name) && again.push(name) === 1) looks.push(lookAgain())
  }
  const all = async (): Promise<void> => {
    try {
      const watch = await watchOf(view)
      if (watch) await lookAtGroups(view, watch, [...open], strangers, ended)
      else left = names.length
    } catch (error) {
      left += 1
      failed(state, error)
    }
    for (const name of open) busy.delete(name)
    await Promise.all(looks)
  }
  await forMoments(all(), LOOK_MS)
  return left
}

const allNames = (view: ClusterView): string[] =>
  GROUPS.flatMap((resource) => [...view.objects(resource).keys()].map((key) => `${resource} ${key}`))

/** Groups that changed, and those of namespaces whose labels may govern them now. */
function namesOf({ view }: Watching, changes: ObjectChange[]): string[] {
  const changed = changes.filter(({ type, resource }) => type === 'upsert' && GROUPS.includes(resource))
  const groups = [
    ...changed.map(({ resource, key }) => `${resource} ${key}`),
    ...changes.flatMap((change) => poolsOfConfig(change, POOL_RESOURCES.pools)),
  ]
  const namespaces = new Set(changes.filter(({ resource }) => resource === NAMESPACES).map(({ key }) => key))
  if (namespaces.size === 0) return groups
  const namespaceOf = (name: string) => name.slice(name.indexOf(' ') + 1, name.indexOf('/'))
  return [...new Set([...groups, ...allNames(view).filter((name) => namespaces.has(namespaceOf(name)))])]
}
