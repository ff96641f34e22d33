import { isDeepStrictEqual } from 'node:util'
import { log } from '../log'
import { failures } from '../metrics'
import { startRounds, type Rounds } from '../rounds'
import type { ClusterView, Consumer, ObjectChange } from '../types'
import { lookAtGroups } from './look'
import { watchOf, writeLooked, type Watch } from './watch'

const DEPLOYMENTS = 'machinedeployments.cluster.x-k8s.io'
const CONTROL_PLANES = 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io'
const GROUPS = [DEPLOYMENTS, CONTROL_PLANES]
const NAMESPACES = 'namespaces'
const ROUND_MS = 1_000

interface Watching {
  view: ClusterView
  /** As of the last round; null: Drydock is not the latch here. */
  watch: Watch | null
  /** Groups to look at again, "resource key". */
  due: Set<string>
  /** Being looked at; and those of them that changed meanwhile. */
  busy: Set<string>
  missed: Set<string>
  rounds?: Rounds
}

const following = new Map<string, Watching>()

/**
 * The latch where the API server can carry none: watches the groups of a cluster and pauses what is governed and changed.
 * Every moment counts: it waits for no rows, and looks before anything is planned.
 */
export const latchWatchConsumer: Consumer = {
  name: 'latch watch',
  resources: [...GROUPS, NAMESPACES],
  optional: [NAMESPACES],
  afterRows: false,
  onSynced: (view) => {
    forget(following.get(view.clusterId)?.view)
    if (!view.capabilities.clusterApi) return Promise.resolve()
    const state: Watching = { view, watch: null, due: new Set(), busy: new Set(), missed: new Set() }
    following.set(view.clusterId, state)
    state.rounds = startRounds(() => round(state), ROUND_MS)
    return Promise.resolve()
  },
  onChanges: async (view, changes) => {
    const state = following.get(view.clusterId)
    if (state?.watch) await look(state, namesOf(state, changes))
  },
  forget,
}

function forget(view: ClusterView | undefined): void {
  const state = view && following.get(view.clusterId)
  if (!state || state.view !== view) return
  following.delete(view.clusterId)
  void state.rounds?.stop()
}

/** Where watching began, or other groups are governed, all of them; else what is left over. */
async function round(state: Watching): Promise<void> {
  const { view } = state
  try {
    const before = state.watch
    state.watch = await watchOf(view.clusterId)
    if (!state.watch) return state.due.clear()
    if (!isDeepStrictEqual(before, state.watch)) for (const name of allNames(view)) state.due.add(name)
    const due = [...state.due]
    state.due.clear()
    const unknown = await look(state, due).catch((error: unknown) => {
      for (const name of due) state.due.add(name)
      throw error
    })
    if (unknown === 0) await writeLooked(view, state.watch)
  } catch (err) {
    // Begun anew: what was missed meanwhile is looked at with all others.
    state.watch = null
    failures.inc({ cluster: view.name, what: 'latch watch' })
    log.error({ err, cluster: view.name }, 'governed groups could not be looked at; it will be repeated')
  }
}

/** By the governance of this moment. How many groups nothing can be remembered of yet. */
async function look(state: Watching, names: string[]): Promise<number> {
  const { view, due, busy, missed } = state
  for (const name of names) if (busy.has(name)) missed.add(name)
  const mine = names.filter((name) => !busy.has(name))
  const watch = mine.length > 0 ? await watchOf(view.clusterId) : null
  if (!watch) return 0
  for (const name of mine) busy.add(name)
  let unknown: string[] = []
  try {
    const looked = await lookAtGroups(view, watch, mine)
    unknown = looked.unknown
    for (const name of [...unknown, ...looked.failed]) due.add(name)
  } finally {
    for (const name of mine) busy.delete(name)
  }
  const again = mine.filter((name) => missed.delete(name))
  return again.length > 0 ? unknown.length + (await look(state, again)) : unknown.length
}

const allNames = (view: ClusterView): string[] =>
  GROUPS.flatMap((resource) => [...view.objects(resource).keys()].map((key) => `${resource} ${key}`))

/** Groups that changed, and those of namespaces whose labels may govern them now. */
function namesOf({ view }: Watching, changes: ObjectChange[]): string[] {
  const changed = changes.filter(({ type, resource }) => type === 'upsert' && GROUPS.includes(resource))
  const groups = changed.map(({ resource, key }) => `${resource} ${key}`)
  const namespaces = new Set(changes.filter(({ resource }) => resource === NAMESPACES).map(({ key }) => key))
  if (namespaces.size === 0) return groups
  const namespaceOf = (name: string) => name.slice(name.indexOf(' ') + 1, name.indexOf('/'))
  return [...new Set([...groups, ...allNames(view).filter((name) => namespaces.has(namespaceOf(name)))])]
}
