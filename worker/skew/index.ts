import { db } from '@/lib/db/client'
import type { Arch } from '@/lib/domain/boot-images/stream'
import { settleFailed } from '@/lib/domain/boot-images/failed-pass'
import { canonical } from '@/lib/domain/changes/canonical'
import type { JsonObject } from '@/lib/domain/json'
import type { Quoted } from '@/lib/domain/skew/floors'
import { settle, type Settling } from '@/lib/domain/skew/settle'
import { stuckAfter, stuckPass, stuckWords } from '@/lib/domain/skew/stuck-pass'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import type { Condition, SkewMode } from '@/lib/domain/skew/types'
import { controllerState } from '@/lib/domain/skew/upgradeable'
import type { Judgement, SkewVerdict } from '@/lib/domain/skew/verdict'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { SkewObjects } from '@/lib/providers/openshift/skew-objects'
import { skewRows, type SkewRows } from '@/lib/providers/openshift/skew-rows'
import { managedKind } from '@/lib/services/openshift/kinds/managed'
import { CLUSTER_CONFIGURATION, skewKind } from '@/lib/services/openshift/kinds/skew'
import { loseWords } from '@/lib/services/openshift/lose-words'
import { markActionsSeen } from '@/lib/services/openshift/mark-action-seen'
import { stepOn } from '@/lib/services/openshift/step-on'
import { orSaying } from '../or-say'
import type { ClusterView, Consumer, ObjectChange } from '../types'
import { formerImages } from './former'
import { silentParts } from './silent'
import { unheardRows } from './unheard'
import { isUnlisted, MAP, matters, PLANES, SKEW_RESOURCES, skewObjects } from './objects'
import { archBefore, archNow, isListing } from './plane-arch'
import { NEVER_JUDGED, riskBefore, riskNow, unlistedRows, type RiskBefore } from './unlisted'
import { writeSkew } from './write'
import { writeUnread } from './write-unread'

interface Stood {
  words: string
  judgement: Judgement
  /** What the controller said then. */
  signature: string
}

interface Kept {
  view: ClusterView
  settling: Settling | null
  /** What was told of a failed pass. */
  failed: string | null
  /** What was told of one that stands still. */
  stuck: string | null
  /** A pass that stood still when this worker took over. */
  before: Stood | null
  /** The oldest node, the oldest machine of each image, and the control plane's architecture, that the card was last made with. */
  nodes: string
  /** Of the control plane, before this worker follows it. */
  archBefore: Arch | null
  /** Of new machines, when last all that it is told by was listed. */
  riskBefore: RiskBefore
  /** What its operator was heard to quote of its floor. */
  quoted: Quoted | null
  /** When this worker began, in ms. */
  since: number
  written: string
  /** Images that its sets had before. */
  former: Awaited<ReturnType<typeof formerImages>>
  timer: NodeJS.Timeout | null
  /** One projection of a cluster at a time, also where a timer and a batch meet. */
  turn: Promise<void>
}

const kept = new Map<string, Kept>()
const orSay = orSaying((view, verdict) =>
  writeUnread(view, { verdict, images: null, record: null, operator: false, streams: [] }),
)

/** Follows what boot images and their limit rest on, writes each cluster's card and marks actions as seen. */
export const skewConsumer: Consumer = {
  name: 'skew',
  resources: [...SKEW_RESOURCES],
  optional: [
    'configmaps',
    'clusteroperators.config.openshift.io',
    'controlplanemachinesets.machine.openshift.io',
    'nodes',
  ],

  async onSynced(view: ClusterView): Promise<void> {
    stop(view.clusterId)
    if (!view.capabilities.openshift) return
    const state: Kept = {
      view,
      settling: null,
      failed: null,
      stuck: null,
      before: null,
      nodes: '',
      archBefore: null,
      riskBefore: NEVER_JUDGED,
      quoted: null,
      since: Date.now(),
      written: '',
      former: new Map(),
      timer: null,
      turn: Promise.resolve(),
    }
    kept.set(view.clusterId, state)
    Object.assign(state, await told(view.clusterId))
    state.former = await formerImages(view.clusterId)
    state.archBefore = await archBefore(view)
    // Forgotten meanwhile, or followed anew.
    if (kept.get(view.clusterId) === state) await project(view.clusterId)
  },

  async onChanges(view: ClusterView, changes: ObjectChange[]): Promise<void> {
    const state = kept.get(view.clusterId)
    const relevant = changes.filter((change) => matters(change.resource, change.key))
    if (!state) return
    if (relevant.length === 0) {
      // Nodes report every few minutes: only which of them is the oldest counts, and what the control plane's are; of machines the same for each image.
      if (nodesOf(view.oldestNode?.(), view.oldestMachines?.(), archNow(view, state.archBefore)) === state.nodes) return
      relevant.push(...changes)
    }
    state.view = view
    await project(view.clusterId, Math.min(...relevant.map((change) => change.heardAt)))
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
  await project(clusterId)
  return true
}

const nodesOf = (
  node: SkewObjects['oldestNode'],
  machines: SkewObjects['oldestMachines'],
  arch: SkewObjects['controlPlaneArch'],
): string => JSON.stringify([node ?? null, [...(machines ?? [])].sort(), arch])

function stop(clusterId: string): void {
  const state = kept.get(clusterId)
  if (state?.timer) clearTimeout(state.timer)
  kept.delete(clusterId)
}

function project(clusterId: string, heardAt?: number): Promise<void> {
  const state = kept.get(clusterId)
  if (!state) return Promise.resolve()
  const done = state.turn.then(() => projectNow(clusterId, state, heardAt))
  state.turn = done.catch(() => undefined)
  return done
}

async function projectNow(clusterId: string, state: Kept, heardAt?: number): Promise<void> {
  if (kept.get(clusterId) !== state) return
  if (state.timer) clearTimeout(state.timer)
  state.timer = null
  // Whatever comes after a failure is written, also what stood there before.
  const found = await orSay(
    state.view,
    () => judgeNow(clusterId, state, heardAt),
    () => (state.written = ''),
  )
  if (!found) return
  const { again, metadata } = found
  for (const { kind } of [skewKind, managedKind]) await markActionsSeen(clusterId, kind)
  await loseWords(clusterId, metadata)
  await stepOn(clusterId, CLUSTER_CONFIGURATION)
  if (again.length > 0) lookAgain(clusterId, state, Math.min(...again))
}

interface JudgedNow {
  /** Look again after the least of so many ms. */
  again: number[]
  /** Of the MachineConfiguration that it was judged by. */
  metadata?: KubeObject['metadata']
}

/** Judges it, and writes that where it is another than before. Null: nothing more comes of it now. */
async function judgeNow(clusterId: string, state: Kept, heardAt?: number): Promise<JudgedNow | null> {
  if (kept.get(clusterId) !== state) return null
  const { skew = null, managed } = state.view.capabilities.openshift ?? {}
  const controlPlaneArch = archNow(state.view, state.archBefore)
  const objects = { ...skewObjects(state.view), former: state.former, quoted: state.quoted, controlPlaneArch }
  const unlisted = {
    planes: isUnlisted(state.view, PLANES, objects.controlPlanes.length > 0),
    map: objects.mapUnread === true,
  }
  // By the images of the release all is told: what was told before stands for the moment that a list takes.
  if (unlisted.map && state.riskBefore.isKnown && isFirst(state)) {
    lookAgain(clusterId, state, SOON_MS)
    return null
  }
  state.nodes = nodesOf(objects.oldestNode, objects.oldestMachines, controlPlaneArch)
  const found = skewRows(objects, skew, managed)
  const silent = silentParts(state.view, found.platform)
  const rows = unheardRows(unlistedRows(found, unlisted, state.riskBefore), silent)
  // What is not heard any more stands still by that alone.
  const told = silent.verdict ? asTold(state, rows) : judged(state, rows)
  const { judgement, passFailed, passStuck } = told
  // That something is listed of which there is none tells nobody.
  const waits =
    (state.archBefore && isListing(state.view)) || ((unlisted.planes || unlisted.map) && silent.images === null)
  const again = [...told.again, ...(waits ? [LOOK_AGAIN_MS] : [])]
  const content = JSON.stringify([rows, judgement, passFailed, passStuck, unlisted.planes])
  if (content !== state.written) {
    const write = {
      ...{ clusterId, fence: state.view.fence, rows, judgement, passFailed, passStuck },
      ...{ silent: silent.streams, keepPlanes: unlisted.planes, heardAt },
    }
    if (!(await writeSkew(write))) {
      stop(clusterId)
      return null
    }
    state.written = content
    state.quoted = found.evidence.quoted ?? null
    const former = await formerImages(clusterId)
    // A set has another image now: of those that still have the one before, only that tells how old it is.
    if (JSON.stringify([...former]) !== JSON.stringify([...state.former])) {
      state.former = former
      return judgeNow(clusterId, state, heardAt)
    }
  }
  if (!unlisted.planes && !unlisted.map && !silent.images) state.riskBefore = riskNow(rows)
  state.settling = told.settling
  state.failed = passFailed
  state.stuck = passStuck
  return { again, metadata: objects.machineConfiguration?.metadata }
}

function lookAgain(clusterId: string, state: Kept, ms: number): void {
  if (kept.get(clusterId) !== state) return
  state.timer = setTimeout(() => void project(clusterId).catch(() => retry(clusterId)), ms)
  state.timer.unref()
}

/** It is being listed, and not for long. */
const isFirst = ({ view, since }: Kept): boolean => view.heard?.(MAP) === 'open' && Date.now() - since < LIST_MS

interface Judged {
  judgement: Judgement
  passFailed: string | null
  passStuck: string | null
  settling: Settling | null
  /** Look again after the least of so many ms. */
  again: number[]
}

function judged(state: Kept, rows: SkewRows): Judged {
  const { mode, recorded, conditions, observedGeneration } = rows.state ?? {}
  const signature = signatureOf({
    ...{ mode: mode ?? null, ocp: recorded?.ocpVersion ?? null, rhcos: recorded?.rhcosVersion ?? null },
    ...{ conditions: conditions ?? [], observed: observedGeneration ?? 0 },
  })
  const now = Date.now()
  const settled = settle(state.settling, rows.judgement, rows.state?.mode ?? null, signature, now)
  const stillMs = now - settled.next.since
  const stood = standsStill(rows, stillMs)
  const before = stillBefore(state, stood, signature)
  const ending = rows.sets
    .filter(({ managed, outcome }) => managed && outcome === 'crash')
    .map(({ kind, name }) => (kind === 'MachineSet' ? name : 'the control plane’s set'))
  const words = stuckWords(rows.evidence.pass, stillMs, ending)
  const passStuck = stood === 'stuck' ? words : (before?.words ?? null)
  // An alarm of before the pass stands no longer: nothing is compared, and updates are open meanwhile.
  const notCompared = passStuck !== null && rows.state?.mode === 'Automatic' && rows.judgement.verdict === 'evaluating'
  const stuck = before?.judgement ?? stuckPass(rows.judgement, words)
  const judgement = notCompared ? stuck : settled.judgement
  const failed = settleFailed(state.failed, rows.state?.conditions ?? [], stillMs)
  const again = [settled.again, failed.again, stood === 'stuck' ? STUCK_MS : stood].filter((ms) => ms !== null)
  const settling = notCompared ? { ...settled.next, told: judgement } : settled.next
  return { judgement, passFailed: failed.said, passStuck, settling, again }
}

/** What was told of passes stays; when it is heard again it begins to stand still anew. */
const asTold = ({ failed, stuck, settling }: Kept, { judgement }: SkewRows): Judged => ({
  ...{ judgement, passFailed: failed, passStuck: stuck, again: [] },
  settling: settling && { ...settling, signature: '' },
})

interface Said {
  mode: string | null
  ocp: string | null
  rhcos: string | null
  conditions: readonly Condition[]
  observed: number
}
/** All that the controller says, in whatever order it was kept. */
const signatureOf = (said: Said): string => canonical(said as unknown as JsonObject)

const LOOK_AGAIN_MS = 2_000
const SOON_MS = 250
/** So long what was told before stands. */
const LIST_MS = 5_000
/** How often it is said anew how long a pass has stood still. */
const STUCK_MS = 60_000

/** Whether a pass of the controller is stuck, or how long until it would be; null: it is in no pass. */
function standsStill({ state, evidence }: SkewRows, stillMs: number): 'stuck' | number | null {
  if (!state || controllerState(state.conditions) !== 'working') return null
  // Not filled in at all is not a pass.
  if (!state.conditions.some((c) => c.type === 'BootImageUpdateProgressing' && c.status === 'True')) return null
  const left = stuckAfter(evidence.pass?.total ?? 0) - stillMs
  return left <= 0 ? 'stuck' : left
}

/** What was told of the pass before, for as long as it moves no more than then and this worker has not seen it stand for as long itself. */
function stillBefore(state: Kept, stood: 'stuck' | number | null, signature: string): Stood | null {
  const { before } = state
  if (typeof stood !== 'number' || before?.signature !== signature) state.before = null
  return state.before
}

/** The database was away when the status had settled: nothing else may ever wake this, so it tries again. */
function retry(clusterId: string): void {
  const state = kept.get(clusterId)
  if (state && !state.timer) lookAgain(clusterId, state, LOOK_AGAIN_MS)
}

/** What was told before this worker took over, so that a restart does not take an alarm back for some seconds. */
async function told(clusterId: string): Promise<Partial<Kept>> {
  const row = await db().openShiftCluster.findUnique({ where: { clusterId } })
  const risk = { riskBefore: await riskBefore(row, clusterId) }
  if (!row) return risk
  const judgement: Judgement = { verdict: row.verdict as SkewVerdict, sentence: row.sentence, blocks: row.blocks }
  const settling = { signature: '', since: 0, told: judgement, mode: row.mode as SkewMode | null }
  const signature = signatureOf({
    ...{ mode: row.mode, ocp: row.recordedOcp, rhcos: row.recordedRhcos },
    ...{ conditions: row.conditions as unknown as Condition[], observed: Number(row.observedGeneration) },
  })
  // What was not heard then is no word of the operator.
  const before =
    row.passStuck === null || row.unheardWhy !== null ? null : { words: row.passStuck, judgement, signature }
  const quoted = (row.evidence as unknown as Partial<StoredEvidence>).quoted ?? null
  return { ...risk, settling, quoted, failed: row.passFailed, stuck: row.passStuck, before }
}
