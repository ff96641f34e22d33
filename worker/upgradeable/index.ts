import { db } from '@/lib/db/client'
import { storableDeep } from '@/lib/domain/text'
import { upgradeability } from '@/lib/domain/upgradeable/judge'
import { unheardUpdates } from '@/lib/domain/upgradeable/unheard'
import { ADMIN_ACKS, ADMIN_GATES, keyOf, readUpgradeFacts } from '@/lib/providers/openshift/gates'
import type { KubeObject } from '@/lib/kubernetes/types'
import { markActionsSeen } from '@/lib/services/openshift/mark-action-seen'
import { orSaying } from '../or-say'
import { silenceOf } from '../silence'
import type { ClusterView, Consumer, ObjectChange } from '../types'
import { rowsOf, type UpdateRows } from './rows'
import { writeUpdates } from './write'
import { writeUnread } from './write-unread'

const VERSIONS = 'clusterversions.config.openshift.io'
const OPERATORS = 'clusteroperators.config.openshift.io'
const MAPS = 'configmaps'
/** What tells whether updates are open. */
export const OF_UPDATES = { [VERSIONS]: 'ClusterVersion' }
/** What else tells why, or why not. */
export const OF_OPERATORS = { [OPERATORS]: 'ClusterOperators' }
/** What administrators are asked, and what they have said. */
const OF_GATES = { [`${MAPS}/${ADMIN_GATES.name}`]: 'ConfigMap admin-gates' }
const OF_ACKS = { [`${MAPS}/${ADMIN_ACKS.name}`]: 'ConfigMap admin-acks' }
export const OF_ALL = { ...OF_UPDATES, ...OF_OPERATORS, ...OF_GATES, ...OF_ACKS }
const GATES = keyOf(ADMIN_GATES)
const ACKS = keyOf(ADMIN_ACKS)

/** The rows that say whether a ConfigMap is watched are written every second. */
const LOOK_AGAIN_MS = 2_000

interface Kept {
  view: ClusterView
  written: string
  timer: NodeJS.Timeout | null
  /** One projection of a cluster at a time, also where a timer and a batch meet. */
  turn: Promise<void>
}

const kept = new Map<string, Kept>()
const orSay = orSaying((view, unheard) => writeUnread(view, { unheard, streams: [] }))

/** Follows what keeps updates to another minor version closed, and the gates that administrators acknowledge. */
export const upgradeableConsumer: Consumer = {
  name: 'upgradeable',
  resources: [VERSIONS, OPERATORS, MAPS],
  optional: [OPERATORS, MAPS],

  async onSynced(view: ClusterView): Promise<void> {
    stop(view.clusterId)
    if (!view.capabilities.openshift) return
    const state: Kept = { view, written: '', timer: null, turn: Promise.resolve() }
    kept.set(view.clusterId, state)
    await project(state)
  },

  async onChanges(view: ClusterView, changes: ObjectChange[]): Promise<void> {
    const state = kept.get(view.clusterId)
    const relevant = changes.filter(matters)
    if (!state || relevant.length === 0) return
    state.view = view
    await project(state, Math.min(...relevant.map((change) => change.heardAt)))
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
  state.turn = state.turn.then(() => void (state.written = ''))
  await project(state)
  return true
}

function stop(clusterId: string): void {
  const state = kept.get(clusterId)
  if (state?.timer) clearTimeout(state.timer)
  kept.delete(clusterId)
}

function project(state: Kept, heardAt?: number): Promise<void> {
  const done = state.turn.then(() => projectNow(state, heardAt))
  state.turn = done.catch(() => undefined)
  return done
}

const matters = ({ resource, key }: ObjectChange): boolean =>
  resource === MAPS ? key === GATES || key === ACKS : resource === OPERATORS || key === 'version'

async function projectNow(state: Kept, heardAt?: number): Promise<void> {
  const { view } = state
  if (kept.get(view.clusterId) !== state) return
  if (state.timer) clearTimeout(state.timer)
  state.timer = null
  // Whatever comes after a failure is written, also what stood there before.
  const readable = await orSay(
    view,
    () => judgeNow(state, heardAt),
    () => (state.written = ''),
  )
  if (!readable) return
  await markActionsSeen(view.clusterId, 'gate')
  if (!readable.gates || !readable.acks) lookAgain(state)
}

interface Readable {
  gates: boolean
  acks: boolean
}

/** Judges it, and writes that where it is another than before. Null: another worker owns the cluster by now. */
async function judgeNow(state: Kept, heardAt?: number): Promise<Readable | null> {
  const { view } = state
  // What they said when they were heard last may have been repaired since, or be another by now.
  const isHeard = (of: Readonly<Record<string, string>>) => silenceOf(view, of, true).unheard === null
  const heard = { gates: isHeard(OF_GATES), acks: isHeard(OF_ACKS) }
  const maps = view.objects(MAPS)
  const gates = heard.gates ? maps.get(GATES) : undefined
  const acks = heard.acks ? maps.get(ACKS) : undefined
  const clusterVersion: KubeObject | undefined = view.objects(VERSIONS).get('version')
  const known = await listed(view.clusterId, { gates, acks })
  const readable = { gates: heard.gates && known.gates, acks: heard.acks && known.acks }
  const operatorsHeard = isHeard(OF_OPERATORS)
  const operators = operatorsHeard ? [...view.objects(OPERATORS).values()] : []
  const facts = readUpgradeFacts({ clusterVersion, operators, gates, acks, readable })
  const { unheard, streams } = silenceOf(view, OF_UPDATES)
  const judged = unheard ? unheardUpdates(facts, unheard) : upgradeability(facts)
  const rows = storableDeep(rowsOf(facts, judged, { clusterVersion, acks, operatorsHeard }, unheard)) as UpdateRows
  const content = JSON.stringify(rows)
  if (content !== state.written) {
    if (!(await writeUpdates(view.clusterId, view.fence, rows, heardAt, streams))) {
      stop(view.clusterId)
      return null
    }
    state.written = content
  }
  return readable
}

/** What could not be read may have been listed meanwhile, and an empty list tells nobody. */
function lookAgain(state: Kept): void {
  if (kept.get(state.view.clusterId) !== state || state.timer) return
  state.timer = setTimeout(() => void project(state).catch(() => lookAgain(state)), LOOK_AGAIN_MS)
  state.timer.unref()
}

/** Of a ConfigMap that is not there, whether it is missing or cannot be read; of one that is, nobody needs to ask. */
async function listed(clusterId: string, found: { gates?: KubeObject; acks?: KubeObject }): Promise<Readable> {
  if (found.gates && found.acks) return { gates: true, acks: true }
  const resource = { in: [`${MAPS}/${ADMIN_GATES.name}`, `${MAPS}/${ADMIN_ACKS.name}`] }
  const rows = await db().stream.findMany({ where: { clusterId, resource, state: 'watching' } })
  const watched = (name: string) => rows.some((row) => row.resource === `${MAPS}/${name}`)
  return {
    gates: !!found.gates || watched(ADMIN_GATES.name),
    acks: !!found.acks || watched(ADMIN_ACKS.name),
  }
}
