import { db } from '@/lib/db/client'
import type { DrainWait } from '@/lib/domain/pools/drain'
import type { Phase } from '@/lib/domain/pools/types'
import { markActionsSeen } from '@/lib/services/openshift/mark-action-seen'
import { configNames, PAUSED, poolRows, sinceKey, type Since } from '@/lib/providers/openshift/pool-rows'
import { orSaying } from '../or-say'
import { heardLast } from '../silence'
import type { ClusterView, Consumer, ObjectChange } from '../types'
import { areComing, areListed, essence, POOL_RESOURCES, poolObjects } from './objects'
import { Releases } from './releases'
import { silentPools } from './silent'
import { unheardOf } from './unheard'
import { writePools, type Rows } from './write'
import { writeUnread } from './write-unread'

interface Kept {
  view: ClusterView
  releases: Releases
  since: Since
  /** What counts of each object, by uid. */
  seen: Map<string, string>
  /** Rows as they were last written, by id; null: not known. */
  written: { pools: Map<string, string>; nodes: Map<string, string> | null } | null
  /** One projection of a cluster at a time, also where a timer and a batch meet. */
  turn: Promise<void>
  timer: NodeJS.Timeout | null
}

const kept = new Map<string, Kept>()
const orSay = orSaying((view, pools) => writeUnread(view, { pools, nodes: null, unheard: pools, streams: [] }))
/** Releases that could not be read, and a database that was away, are looked for again. */
const AGAIN_MS = 60_000
/** Until nodes are listed. */
const OPEN_MS = 1_000

/** Follows MachineConfigPools and their nodes, with the steps that each of these is at. */
export const poolsConsumer: Consumer = {
  name: 'pools',
  resources: Object.values(POOL_RESOURCES),
  optional: [POOL_RESOURCES.steps, POOL_RESOURCES.nodes, POOL_RESOURCES.clusterVersions, POOL_RESOURCES.osConfigs],

  async onSynced(view: ClusterView): Promise<void> {
    stop(view.clusterId)
    if (!view.capabilities.openshift) return
    const since = await sinceBefore(view.clusterId)
    const state: Kept = {
      ...{ view, since, releases: new Releases(), seen: new Map<string, string>(), written: null, timer: null },
      turn: Promise.resolve(),
    }
    kept.set(view.clusterId, state)
    await project(state)
  },

  async onChanges(view: ClusterView, changes: ObjectChange[]): Promise<void> {
    const state = kept.get(view.clusterId)
    if (!state) return
    state.view = view
    const news = changes.filter((change) => isNews(state, change))
    if (news.length === 0) return
    try {
      await project(state, Math.min(...news.map(({ heardAt }) => heardAt)))
    } catch (error) {
      // They come again, and are news then, too.
      for (const { object } of news) state.seen.delete(object.metadata.uid)
      throw error
    }
  },

  forget(view: ClusterView): void {
    if (kept.get(view.clusterId)?.view === view) stop(view.clusterId)
  },
}

/** Nothing more comes of what is not heard any more: whoever sees that has it judged anew. False: it was not judged yet. */
export async function judgeAnew({ clusterId }: ClusterView): Promise<boolean> {
  const state = kept.get(clusterId)
  if (!state) return false
  // Meanwhile it may have been written over.
  state.turn = state.turn.then(() => void (state.written = null))
  await project(state)
  return true
}

function stop(clusterId: string): void {
  const state = kept.get(clusterId)
  if (state?.timer) clearTimeout(state.timer)
  kept.delete(clusterId)
}

function isNews(state: Kept, { type, resource, object }: ObjectChange): boolean {
  const { uid } = object.metadata
  if (type === 'delete') return state.seen.delete(uid) || true
  const now = essence(resource, object)
  if (state.seen.get(uid) === now) return false
  state.seen.set(uid, now)
  return true
}

function project(state: Kept, heardAt?: number): Promise<void> {
  const done = state.turn.then(() => projectNow(state, heardAt))
  state.turn = done.catch(() => undefined)
  return done
}

async function projectNow(state: Kept, heardAt?: number): Promise<void> {
  const { view } = state
  if (kept.get(view.clusterId) !== state) return
  // Whatever comes after a failure is written, also what stood there before.
  const names = await orSay(
    view,
    () => judgeNow(state, heardAt),
    () => (state.written = null),
  )
  if (!names) return
  await markActionsSeen(view.clusterId, 'pool')
  // Nothing comes of a list that is empty.
  if (areComing(view)) later(state, OPEN_MS)
  else if (names.some((name) => !state.releases.known.has(name))) later(state)
}

/** Judges them, and writes what is another than before. The configs that they name; null: nothing more comes of it now. */
async function judgeNow(state: Kept, heardAt?: number): Promise<string[] | null> {
  const { view } = state
  const objects = poolObjects(view)
  const names = configNames(objects)
  await state.releases.read(view, names)
  if (kept.get(view.clusterId) !== state) return null
  const isOpen = !areListed(view)
  const silent = silentPools(view, { nodes: isOpen && (await areKnown(view.clusterId)) })
  const of = isOpen ? { ...objects, nodes: [] } : objects
  const all = { ...of, releases: state.releases.known, nodesOld: silent.nodes !== null, nodesOpen: isOpen }
  const found = poolRows(all, state.since, Date.now())
  const unheardSince = silent.unheard && (await heardLast(db(), view.clusterId, silent.streams))
  const rows = { ...found, pools: found.pools.map((row) => ({ ...row, ...unheardOf(row, silent), unheardSince })) }
  const [pools, nodes] = [texts(rows.pools), texts(rows.nodes)]
  const owned = await writePools({
    clusterId: view.clusterId,
    fence: view.fence,
    pools: difference(rows.pools, pools, state.written?.pools),
    nodes: isOpen ? NONE : difference(rows.nodes, nodes, state.written?.nodes),
    heardAt,
  })
  if (!owned) {
    stop(view.clusterId)
    return null
  }
  state.written = { pools, nodes: isOpen ? null : nodes }
  return names
}
const NONE: Rows = { upsert: [], remove: [] }

/** What is known of its nodes from before may be old. */
const areKnown = async (clusterId: string): Promise<boolean> =>
  (await db().configNode.findFirst({ where: { clusterId }, select: { id: true } })) !== null

function later(state: Kept, ms = AGAIN_MS): void {
  if (state.timer) return
  state.timer = setTimeout(() => {
    state.timer = null
    void project(state).catch(() => later(state))
  }, ms)
  state.timer.unref()
}

const texts = (rows: readonly { id: string }[]): Map<string, string> =>
  new Map(rows.map((row) => [row.id, JSON.stringify(row)]))

function difference(rows: { id: string }[], now: Map<string, string>, before?: Map<string, string> | null): Rows {
  if (!before) return { upsert: rows, remove: [], only: [...now.keys()] }
  const upsert = rows.filter(({ id }) => before.get(id) !== now.get(id))
  return { upsert, remove: [...before.keys()].filter((id) => !now.has(id)) }
}

/** Known before this worker took over, so that a restart makes no step and no pause younger. */
async function sinceBefore(clusterId: string): Promise<Since> {
  const rows = await db().configNode.findMany({
    where: { clusterId, since: { not: null } },
    select: { id: true, phase: true, desiredConfig: true, step: true, since: true, drain: true },
  })
  const pauses = await db().configPool.findMany({
    where: { clusterId, paused: true, pausedSince: { not: null } },
    select: { id: true, pausedSince: true },
  })
  const known: Since = new Map(
    pauses.map(({ id, pausedSince }) => [id, { key: PAUSED, since: pausedSince!.getTime() }]),
  )
  for (const { id, phase, desiredConfig, step, since, drain } of rows)
    known.set(id, {
      key: sinceKey({ phase: phase as Phase, desired: desiredConfig, step }),
      since: since!.getTime(),
      failed: (drain as unknown as DrainWait | null)?.words,
    })
  return known
}
