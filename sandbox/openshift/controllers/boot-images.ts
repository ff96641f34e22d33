import { awaitsUpdate } from '../../../lib/domain/boot-images/by-release'
import { HotLoops } from '../../../lib/domain/boot-images/hot-loop'
import { merged } from '../../../lib/domain/boot-images/merge'
import {
  beforePass,
  enrolledSets,
  halfPass,
  noStats,
  recordAfter,
  type PassStats,
} from '../../../lib/domain/boot-images/pass'
import { bootImageState } from '../../../lib/domain/boot-images/state'
import type { BootImage, ImageContext, ImageSet } from '../../../lib/domain/boot-images/types'
import type { JsonObject } from '../../../lib/domain/json'
import { releaseFacts } from '../../../lib/domain/skew/releases'
import type { Recorded } from '../../../lib/domain/skew/types'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { readImageContext, readImageSet } from '../../../lib/providers/openshift/image-sets'
import { planeArch } from '../../../lib/providers/openshift/plane-arch'
import { readClusterVersion, readSkewState } from '../../../lib/providers/openshift/readers'
import { simulatedCloud } from './cloud'
import { dataOf } from './data'
import { all, AS, one, R, STREAMS, type Env } from './env'
import { say } from './conditions'
import { operatorError } from './operator-error'
import { streamError, streamName } from './stream-error'

/** One status write and the reads before it, at the rate that the controller's client is limited to. */
const STEP_SECONDS = 0.6
/** How long the controller waits for the operator to take up the newest configuration, and how often it looks. */
const READY_SECONDS = 120
const POLL_SECONDS = 5

/** What the controller's process remembers from pass to pass. */
export interface Memory {
  stats: PassStats
  loops: Record<keyof PassStats, HotLoops>
}

export const freshMemory = (): Memory => ({
  stats: noStats(),
  loops: { sets: new HotLoops(), planes: new HotLoops() },
})

/** Whether it is one of 4.18 or before, which says nothing of what it manages. */
export const isEarly = (env: Env): boolean =>
  releaseFacts(readClusterVersion(one(env, R.clusterVersions, 'version')).version)?.says === false

interface Live extends ImageSet {
  object: KubeObject
}

const live = (object: KubeObject): Live => ({ ...readImageSet(object), object })

/**
 * One pass of the boot image controller: control plane first, then the machine sets. `reason`: the event that triggered it. Up to
 * 4.18 there are machine sets only, by what spec names, and nothing is waited for.
 */
export async function bootImagePass(env: Env, reason: string, memory: Memory): Promise<'done' | 'crashed' | 'again'> {
  if (isEarly(env))
    return (await half(env, reason.replace('MAPIMachineSet', 'MAPIMachineset'), memory, 'sets')) ? 'done' : 'crashed'
  const ready = await configurationReady(env)
  if (ready === 'stopped') return 'done'
  if (ready === 'not-ready') {
    const message = 'MachineConfiguration was not ready: MachineConfiguration.Status is not up to date'
    for (const step of halfPass('sets', memory.stats, [], never, message))
      if (step.kind === 'condition') await say(env, step, reason)
    return 'again'
  }
  if (ready === 'deferred') return 'done'
  if (!(await half(env, reason, memory, 'planes'))) return 'crashed'
  return (await half(env, reason, memory, 'sets')) ? 'done' : 'crashed'
}

const never = (): BootImage => {
  throw new Error('no set is asked about')
}

async function configurationReady(env: Env): Promise<'deferred' | 'not-ready' | 'stopped' | undefined> {
  for (let waited = 0; waited < READY_SECONDS; waited += POLL_SECONDS) {
    const configuration = one(env, R.configuration, 'cluster')
    const { history, version } = readClusterVersion(one(env, R.clusterVersions, 'version'))
    if (configuration) {
      const { generation, observedGeneration } = readSkewState(configuration, true)
      const found = beforePass(history, generation, observedGeneration, awaitsUpdate(version) !== 'no')
      if (found !== 'not-ready') return found
    }
    if (!(await env.sleep(POLL_SECONDS))) return 'stopped'
  }
  return 'not-ready'
}

const KINDS = { sets: 'MachineSet', planes: 'ControlPlaneMachineSet' } as const

/** False: the process is gone. */
async function half(env: Env, reason: string, memory: Memory, name: keyof PassStats): Promise<boolean> {
  const configuration = one(env, R.configuration, 'cluster')
  const early = isEarly(env)
  const state = configuration && readSkewState(configuration, true)
  const objects = all(env, name === 'sets' ? R.machineSets : R.controlPlanes).map(live)
  const chosen = enrolledSets(early ? state?.managers : state?.effectiveManagers, KINDS[name], objects)
  const sets = 'refused' in chosen ? [] : chosen
  const loops = memory.loops[name]
  if (sets.length === 0) loops.clear()
  const configMap = one(env, R.configMaps, STREAMS)
  const context: ImageContext = { ...contextOf(env, configMap), ...(early && { early: 'yes' }) }
  const refused =
    'refused' in chosen
      ? chosen.refused
      : name === 'sets' && sets.length > 0 && !configMap
        ? 'failed to fetch coreos-bootimages config map: configmap "coreos-bootimages" not found'
        : undefined
  const steps = halfPass(
    name,
    memory.stats,
    sets,
    (set) => withItsWords(withoutLoop(bootImageState(set, context), set, context, loops), set, context, configMap),
    refused,
    early,
  )
  let next = steps.next()
  for (; !next.done; next = steps.next()) {
    const step = next.value
    if (step.kind === 'crash') return false
    if (step.kind === 'image') {
      await writeImage(env, step.set as Live, step.image.patch ?? {})
      loops.wrote(step.set.name, loopValue(step.image, step.set, context))
    }
    if (step.kind === 'condition' && (await say(env, step, reason, early)) && !(await env.sleep(STEP_SECONDS)))
      return true
  }
  if (name === 'sets' && refused === undefined) await record(env, next.value, configMap)
  return true
}

export function contextOf(env: Env, configMap: KubeObject | undefined): ImageContext {
  const clusterVersion = one(env, R.clusterVersions, 'version')
  return readImageContext({
    configMap,
    infrastructure: one(env, R.infrastructures, 'cluster'),
    clusterVersion,
    // The controller's own, which runs on one of those.
    controlPlaneArch: planeArch(all(env, R.nodes), clusterVersion) ?? 'x86_64',
    data: dataOf(env),
    cloud: simulatedCloud(readClusterVersion(clusterVersion).history),
  })
}

/** On vSphere a template is replaced under its own name, so the version is compared instead. */
const loopValue = (image: BootImage, set: ImageSet, { platform }: ImageContext) =>
  platform === 'VSphere' ? image.wanted : merged(set.providerSpec ?? {}, image.patch ?? {})

/** What it fails at the operator says in its own words, not in Drydock's. */
function withItsWords(
  image: BootImage,
  set: ImageSet,
  context: ImageContext,
  configMap: KubeObject | undefined,
): BootImage {
  if (image.outcome !== 'error') return image
  const stream = configMap?.data?.stream
  const failure =
    image.cause === 'bad-map' ? streamError(stream) : operatorError(set, image, context, streamName(stream))
  return failure === undefined ? image : { ...image, failure }
}

function withoutLoop(image: BootImage, set: ImageSet, context: ImageContext, loops: HotLoops): BootImage {
  if (image.outcome !== 'update' || !loops.refuses(set.name, loopValue(image, set, context))) return image
  const kind = set.kind === 'MachineSet' ? 'machineset' : 'ControlPlaneMachineSet'
  const reason = `refusing to reconcile ${kind} ${set.name}, hot loop detected. Please opt-out of boot image updates, adjust your machine provisioning workflow to prevent hot loops and opt back in to resume boot image updates`
  return { ...image, outcome: 'error', cause: 'hot-loop', reason }
}

async function writeImage(env: Env, { object }: Live, patch: JsonObject): Promise<void> {
  const key = `${object.metadata.namespace}/${object.metadata.name}`
  const value = { spec: { providerSpec: { value: patch } } }
  const plane = object.kind === 'ControlPlaneMachineSet'
  const template = plane ? { machines_v1beta1_machine_openshift_io: value } : value
  await env.store.merge(plane ? R.controlPlanes : R.machineSets, key, { spec: { template } }, AS.controller)
}

async function record(env: Env, images: readonly BootImage[], configMap: KubeObject | undefined): Promise<void> {
  const configuration = one(env, R.configuration, 'cluster')
  if (!configuration) return
  const recorded: Recorded | undefined = recordAfter(images, {
    mode: readSkewState(configuration, true).mode,
    releaseVersion: configMap?.data?.releaseVersion ?? one(env, R.configMaps, STREAMS)?.data?.releaseVersion,
    history: readClusterVersion(one(env, R.clusterVersions, 'version')).history,
  })
  if (!recorded) return
  const automatic = { ocpVersion: null, rhcosVersion: null, ...recorded }
  const status = { bootImageSkewEnforcementStatus: { automatic } }
  await env.store.merge(R.configuration, 'cluster', { status }, AS.controller, 'status')
}
