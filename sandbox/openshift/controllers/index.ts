import type { SandboxObject, Store, StoreEvent } from '../../types'
import { readImageSet } from '../../../lib/providers/openshift/image-sets'
import { bootImagePass, freshMemory, isEarly } from './boot-images'
import { reportUpgradeable, versionCares, versionClock } from './cluster-version'
import { kube, R, STREAMS, type Env } from './env'
import { startMachineSets } from './machine-sets'
import { syncOperator } from './operator'
import { poolLife, startPools } from './pools'

export interface OpenShiftControllersOptions {
  /** Simulated seconds per second. */
  speed?: number
  /** Workers keep getting new configurations; off for tests that count events. */
  life?: boolean
  /** Pools and nodes take up the configuration that they are pointed at. Default: as `life`. */
  pools?: boolean
  /** Machine sets make machines in place of deleted ones. Default: as `life`. */
  machines?: boolean
  /** Name of the cluster, for the names of rendered configurations. */
  name?: string
  onError?(error: unknown): void
}

/** The Machine Config Operator: boot images and their limit, pools, and the daemons of the nodes; and who reports what keeps updates closed. */
export function startOpenShiftControllers(
  store: Store,
  options: OpenShiftControllersOptions = {},
): { stop(): Promise<void> } {
  const { speed = 1, life = true, pools = life, machines = life, name = 'tidal' } = options
  const timers = new Map<NodeJS.Timeout, (go: boolean) => void>()
  let stopped = false
  const sleep = (seconds: number): Promise<boolean> =>
    new Promise((resolve) => {
      if (stopped) return resolve(false)
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          resolve(!stopped)
        },
        (seconds * 1000) / speed,
      )
      timers.set(timer, resolve)
    })
  const env: Env = { store, sleep, stopped: () => stopped }
  const failed = (error: unknown) => {
    if (!stopped) options.onError?.(error)
  }
  const operator = worker(
    () => syncOperator(env),
    () => sleep(0.1),
    failed,
  )
  let memory = freshMemory()
  const pass = async (reason: string) => {
    const end = await bootImagePass(env, reason, memory)
    // A new process knows nothing of what the one before counted.
    if (end === 'crashed') memory = freshMemory()
    if (end === 'again') images.wake(reason)
  }
  const images = worker(pass, () => sleep(0.2), failed)
  const rolling = pools ? startPools(env, failed) : undefined
  const sets = machines ? startMachineSets(env, name, failed) : undefined
  const version = worker(
    () => reportUpgradeable(env),
    () => sleep(0.5),
    failed,
  )
  const clock = versionClock(env, () => version.wake('clock'))
  const unsubscribe = store.subscribe((event) => {
    if (stopped) return
    rolling?.changed(event)
    sets?.changed(event)
    const looks = versionCares(env, event)
    if (looks === 'now') version.wake('event')
    if (looks === 'later') clock.later()
    if (operatorCares(event)) operator.wake('sync')
    const reason = passReason(env, event)
    if (reason) images.wake(reason)
  })
  operator.wake('start')
  version.wake('start')
  for (const [resource, reason] of STARTING) if (store.list(resource).length > 0) images.wake(reason)
  const living = life ? poolLife(env, name).catch(failed) : Promise.resolve()
  return {
    async stop() {
      stopped = true
      unsubscribe()
      for (const [timer, resolve] of timers) {
        clearTimeout(timer)
        resolve(false)
      }
      timers.clear()
      await Promise.allSettled([operator.idle(), images.idle(), version.idle(), living, rolling?.idle(), sets?.idle()])
    },
  }
}

/** What a controller sees when it begins to watch. */
const STARTING = [
  [R.machineSets, 'MAPIMachineSetAdded'],
  [R.controlPlanes, 'ControlPlaneMachineSetAdded'],
  [R.configMaps, 'BootImageConfigMapAdded'],
  [R.configuration, 'BootImageUpdateConfigurationAdded'],
] as const

/** One run at a time, in the order of the wake-ups, and one for all that say the same. A failed run is tried again with the next wake-up. */
function worker(
  run: (reason: string) => Promise<void>,
  pause: () => Promise<boolean>,
  failed: (error: unknown) => void,
) {
  const queue = new Set<string>()
  let running: Promise<void> | null = null
  const loop = async () => {
    while (queue.size > 0 && (await pause())) {
      const [reason] = [...queue] as [string]
      queue.delete(reason)
      await run(reason).catch(failed)
    }
    running = null
  }
  return {
    wake(reason: string) {
      queue.add(reason)
      running ??= loop()
    },
    idle: () => running ?? Promise.resolve(),
  }
}

const OPERATOR_RESOURCES: string[] = [R.configuration, R.clusterVersions, R.infrastructures, R.provisionings, R.pools]
const operatorCares = (event: StoreEvent): boolean => OPERATOR_RESOURCES.includes(event.resource)

const text = (value: unknown): string => JSON.stringify(value ?? null)
const differs = (event: StoreEvent, part: (object: SandboxObject) => unknown): boolean =>
  event.old === undefined || text(part(event.object)) !== text(part(event.old))

/** What triggers a pass; scaling a set, a Secret or Infrastructure do not. Up to 4.18 the configuration itself does. */
function passReason(env: Env, event: StoreEvent): string | null {
  const what = { ADDED: 'Added', MODIFIED: 'Updated', DELETED: 'Deleted' }[event.type]
  const kind = { [R.machineSets]: 'MAPIMachineSet', [R.controlPlanes]: 'ControlPlaneMachineSet' }[event.resource]
  if (kind) {
    const looked = (o: SandboxObject) => [
      readImageSet(kube(o)).providerSpec,
      o.metadata.labels,
      o.metadata.annotations,
      o.metadata.ownerReferences,
    ]
    return event.type !== 'MODIFIED' || differs(event, looked) ? `${kind}${what}` : null
  }
  if (event.resource === R.configMaps && event.key === STREAMS)
    return event.type !== 'MODIFIED' || differs(event, (o) => o.data) ? `BootImageConfigMap${what}` : null
  if (event.resource === R.configuration && event.key === 'cluster') {
    const said = (o: SandboxObject) => [o.status?.managedBootImagesStatus, o.status?.bootImageSkewEnforcementStatus]
    const early = isEarly(env)
    const part = early ? (o: SandboxObject) => o.spec?.managedBootImages : said
    return differs(event, part) ? `BootImageUpdateConfiguration${what}` : null
  }
  if (event.resource === R.clusterVersions) {
    const state = (o: SandboxObject) => (o.status?.history as { state?: string }[] | undefined)?.[0]?.state
    return event.type === 'MODIFIED' && differs(event, state) && state(event.object) === 'Completed'
      ? 'ClusterVersionStable'
      : null
  }
  return null
}
