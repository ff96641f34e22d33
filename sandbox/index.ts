import {
  openShiftLatchRbac,
  openShiftReadRbac,
  openShiftWriteRbac,
  planRbac,
  rbacManifest,
} from '../lib/domain/access/manifest'
import { startApiServer, rulesFromManifests, nameOf } from './apiserver'
import { startClusterApiControllers } from './controllers'
import { Clock } from './controllers/clock'
import { startWorkloadApi } from './controllers/workload-api'
import { clusterApiFleet, startLife, type Seed } from './fleets'
import {
  formOf,
  kubernetesOf,
  openShiftFleet,
  openShiftResources,
  type PlatformName,
  startOpenShiftControllers,
} from './openshift'
import { Persistence, writeBehind } from './persistence'
import type { RunningSandbox } from './types'

export { playScenario } from './fleets'
export type { RunningSandbox } from './types'

export interface SandboxOptions {
  flavour: 'cluster-api' | 'openshift'
  name: string
  /** OpenShift: what it runs on; AWS where not given. */
  platform?: PlatformName
  /** OpenShift: its release; 4.22.4 where not given. Of one whose operator does not manage boot images unasked, nobody has asked yet. */
  release?: string
  /** About so many machines; the flavour's own number where not given, 0 for an empty management cluster. */
  machines?: number
  seed?: number
  /** How many times faster than in reality. */
  speed?: number
  /** 0, or not given: one that is free; with `dataDir` the same as last time. */
  port?: number
  /** The managers' feature gates for in-place updates. Default on. */
  inPlace?: boolean
  /** Whether the server has MutatingAdmissionPolicies. Default yes. */
  policies?: boolean
  /** Whether Drydock may see and write what latches (rbac-openshift-latch.yaml). Default yes. */
  latch?: boolean
  /** Whether Drydock may write what is OpenShift's own (rbac-openshift-write.yaml). Default yes. */
  write?: boolean
  /** As it tells of itself; one before 1.30 has no admission policies at all. Default: a new one. */
  kubernetes?: string
  /** Objects, certificate and tokens are kept here, and found again. */
  dataDir?: string
  /** Machines fail and come back by themselves. Default: only where there is a fleet. */
  life?: boolean
  log?: (line: string) => void
}

/** A simulated management cluster: API server, managers, a fleet, and what happens in it. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const { flavour, name, seed = 1, speed = 1, inPlace = true, log = () => undefined } = options
  const persistence = options.dataDir === undefined ? undefined : new Persistence(options.dataDir)
  const identity = await persistence?.identity()
  const kept = await persistence?.objects()
  const objects = kept ?? fresh(options)
  const openShift = flavour === 'openshift'
  const server = await startApiServer({
    name,
    port: options.port || identity?.port || 0,
    version: options.kubernetes ?? (openShift ? kubernetesOf(options.release) : 'v1.36.3'),
    families: [flavour],
    resources: openShift ? openShiftResources({ form: formOf(options.release) }) : [],
    // API servers of OpenShift serve none.
    mutatingPolicies: openShift || options.policies === false ? null : 'v1',
    users: { drydock: rulesFromManifests(rights(options)) },
    objects,
    certificate: identity?.certificate,
    tokens: identity?.tokens,
  })
  const { store, users } = server
  const stops: (() => Promise<void>)[] = []
  if (openShift) {
    const controllers = startOpenShiftControllers(store, { speed, name, onError: (error) => log(String(error)) })
    stops.push(() => controllers.stop())
  } else {
    const controllers = startClusterApiControllers(store, { speed, inPlace, log })
    const workload = await startWorkloadApi(store, controllers.nodes, log)
    stops.push(() => controllers.stop(), workload.stop)
    if (options.life ?? options.machines !== 0) {
      const clock = new Clock(speed)
      startLife(store, controllers.nodes, clock, seed)
      stops.unshift(async () => clock.stop())
    }
  }
  if (persistence) {
    const tokens = Object.fromEntries(Object.values(users).map((user) => [user.name, user.token]))
    const port = Number(new URL(server.url).port)
    await persistence.keepIdentity({ port, certificate: server.certificate, tokens })
    stops.push(writeBehind(store, persistence, () => server.resources().map(nameOf), log))
  }
  return {
    url: server.url,
    caPem: server.caPem,
    kubeconfig: kubeconfigOf(users, 'drydock'),
    adminKubeconfig: kubeconfigOf(users, 'admin'),
    store,
    faults: server.faults,
    async stop() {
      for (const stop of stops) await stop()
      await server.stop()
    },
  }
}

function kubeconfigOf(users: Record<string, { kubeconfig: string }>, name: string): string {
  const user = users[name]
  if (!user) throw new Error(`The sandbox has no user ${name}.`)
  return user.kubeconfig
}

function fresh({ flavour, name, platform, release, machines, seed, inPlace }: SandboxOptions): Seed[] {
  const seeds =
    flavour === 'openshift'
      ? openShiftFleet({ name, machines, platform, release, unsaid: formOf(release) === '4.18' })
      : clusterApiFleet({ machines, seed, inPlace })
  let version = 1001
  return seeds.map(({ resource, object }) => ({
    resource,
    object: { ...object, metadata: { ...object.metadata, resourceVersion: `${version++}` } },
  }))
}

const rights = ({ flavour, latch = true, write = true }: SandboxOptions) =>
  flavour === 'openshift'
    ? [...openShiftReadRbac(), ...(write ? openShiftWriteRbac() : []), ...(latch ? openShiftLatchRbac() : [])]
    : [...rbacManifest(['cluster-api', 'latch', 'gate']), ...planRbac()]
