import { degradedMessage, progressingMessage, type PassCounts } from '../../../lib/domain/boot-images/counts'
import { enrolled } from '../../../lib/domain/boot-images/enrol'
import { bootImageState } from '../../../lib/domain/boot-images/state'
import type { BootImage, ImageSet } from '../../../lib/domain/boot-images/types'
import type { JsonObject } from '../../../lib/domain/json'
import { installVersion } from '../../../lib/domain/skew/effective'
import { threeParts } from '../../../lib/domain/skew/version'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { commonArch, readImageContext, readImageSet } from '../../../lib/providers/openshift/image-sets'
import { readClusterVersion, readSkewState } from '../../../lib/providers/openshift/readers'
import { amiOf } from '../seed'
import { all, AS, conditionsWith, one, R, STREAMS, type Env, type Wanted } from './env'

/** One status write and the reads before it, at the rate that the controller's client is limited to. */
const STEP_SECONDS = 0.6

/** One pass of the boot image controller over all enrolled machine sets. `reason`: the event that triggered it. */
export async function bootImagePass(env: Env, reason: string): Promise<void> {
  const version = readClusterVersion(one(env, R.clusterVersions, 'version'))
  if (version.history[0]?.state !== 'Completed') return
  const settled = await configurationReady(env)
  if (!settled) return
  const state = readSkewState(settled, true)
  const configMap = one(env, R.configMaps, STREAMS)
  const sets = all(env, R.machineSets)
  const context = readImageContext({
    configMap,
    infrastructure: one(env, R.infrastructures, 'cluster'),
    clusterVersion: one(env, R.clusterVersions, 'version'),
    controlPlaneArch: commonArch(sets),
  })
  const chosen = sets.filter((set) => enrolled(state.effectiveManagers, readImageSet(set)) === true)
  const counts: PassCounts = {
    total: chosen.length,
    reconciled: 0,
    skipped: 0,
    degraded: 0,
    controlPlaneDegraded: 0,
    errors: null,
  }
  const errors: string[] = []
  await say(env, { type: 'BootImageUpdateDegraded', status: 'False', reason, message: degradedMessage(counts) })
  if (!configMap) {
    const message = degradedMessage({
      ...counts,
      errors: 'failed to fetch coreos-bootimages config map: configmap "coreos-bootimages" not found',
    })
    return say(env, { type: 'BootImageUpdateDegraded', status: 'True', reason, message })
  }
  const progress = (running: boolean) =>
    say(env, {
      type: 'BootImageUpdateProgressing',
      status: running ? 'True' : 'False',
      reason,
      message: progressingMessage(counts),
    })
  await progress(chosen.length > 0)
  for (const [i, object] of chosen.entries()) {
    if (!(await env.sleep(STEP_SECONDS))) return
    const set = readImageSet(object)
    const image = resolve(bootImageState(set, context), set, version.history)
    if (image.outcome === 'update' && image.patch) await writeImage(env, object, image.patch)
    if (image.outcome === 'skip') counts.skipped++
    else if (image.outcome === 'error' || image.outcome === 'crash') {
      counts.degraded++
      errors.push(
        `error syncing MAPI MachineSet ${set.name}: failed to reconcile machineset ${set.name}, err: ${image.reason}`,
      )
    } else counts.reconciled++
    await progress(i < chosen.length - 1)
  }
  if (!(await env.sleep(STEP_SECONDS))) return
  if (errors.length) {
    counts.errors = errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`
    return say(env, { type: 'BootImageUpdateDegraded', status: 'True', reason, message: degradedMessage(counts) })
  }
  await record(env, counts, configMap)
}

/** The controller does not begin before the operator has taken up the newest configuration. */
async function configurationReady(env: Env): Promise<KubeObject | null> {
  for (let i = 0; i < 24; i++) {
    const configuration = one(env, R.configuration, 'cluster')
    if (configuration) {
      const state = readSkewState(configuration, true)
      if (state.observedGeneration === state.generation) return configuration
    }
    if (!(await env.sleep(5))) return null
  }
  return null
}

/** What EC2 would tell: the images of the cluster's own releases are Red Hat's, every other is somebody's own. */
function resolve(image: BootImage, set: ImageSet, history: readonly { version?: string }[]): BootImage {
  if (image.outcome !== 'undecided') return image
  const placement = set.providerSpec?.placement as JsonObject | undefined
  const region = typeof placement?.region === 'string' ? placement.region : ''
  const known = history.some((entry) => entry.version && amiOf(entry.version, region) === image.current)
  return { ...image, outcome: known && image.patch ? 'update' : 'skip' }
}

async function writeImage(env: Env, set: KubeObject, patch: JsonObject): Promise<void> {
  const key = `${set.metadata.namespace}/${set.metadata.name}`
  const value = { spec: { template: { spec: { providerSpec: { value: patch } } } } }
  await env.store.merge(R.machineSets, key, value, AS.controller)
}

async function say(env: Env, wanted: Wanted): Promise<void> {
  const configuration = one(env, R.configuration, 'cluster')
  const conditions = configuration && conditionsWith(configuration, [wanted])
  if (conditions) await env.store.merge(R.configuration, 'cluster', { status: { conditions } }, AS.controller, 'status')
}

/** A clean pass records the release's version; one with skipped sets falls back to the version of the installation. */
async function record(env: Env, counts: PassCounts, configMap: KubeObject): Promise<void> {
  const configuration = one(env, R.configuration, 'cluster')
  if (!configuration || readSkewState(configuration, true).mode !== 'Automatic') return
  const version = readClusterVersion(one(env, R.clusterVersions, 'version'))
  const ocpVersion = counts.skipped ? installVersion(version.history) : threeParts(configMap.data?.releaseVersion ?? '')
  if (!ocpVersion) return
  const automatic = { ocpVersion, rhcosVersion: null }
  await env.store.merge(
    R.configuration,
    'cluster',
    { status: { bootImageSkewEnforcementStatus: { automatic } } },
    AS.controller,
    'status',
  )
}
