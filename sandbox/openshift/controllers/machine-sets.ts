import type { JsonObject } from '../../../lib/domain/json'
import { bootImageState, imageInWords } from '../../../lib/domain/boot-images/state'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { readImageSet } from '../../../lib/providers/openshift/image-sets'
import { readClusterVersion } from '../../../lib/providers/openshift/readers'
import type { StoreEvent } from '../../types'
import { kubernetesOf } from '../fleet'
import { machineSeeds, type World } from '../machines'
import { PLATFORMS } from '../platforms'
import { suffixOf, writeSeeds } from '../seed'
import { contextOf } from './boot-images'
import { all, AS, kube, one, R, STREAMS, timestamp, type Env } from './env'
import { PREFIX } from './pools/node'

const OF_SET = 'machine.openshift.io/cluster-api-machineset'
const LABELS = 'machine.openshift.io/'
const NODE_ROLE = 'node-role.kubernetes.io/'
/** How long a provider takes for an instance, and that for its first boot. */
const MAKE_SECONDS = 5
const BOOT_SECONDS = 20

interface Known {
  /** Images of machines that were deleted without a node: what starts from them does not join either. */
  bad: Set<string>
  /** Machines that are to join, and have not yet. */
  booting: Set<string>
}

export interface MachineSetControllers {
  /** After a change of a machine or a set. */
  changed(event: StoreEvent): void
  idle(): Promise<void>
}

const setOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[OF_SET]
const nodeOf = ({ status }: Pick<KubeObject, 'status'>): string | undefined =>
  (status?.nodeRef as { name?: string } | undefined)?.name
const keyOf = ({ metadata }: Pick<KubeObject, 'metadata'>): string => `${metadata.namespace}/${metadata.name}`

/**
 * Machine sets make a machine in place of each that is deleted, and more where more are asked for; with a machine its node goes. Those that
 * are too many are left: whoever scales down deletes what is to go.
 */
export function startMachineSets(env: Env, cluster: string, failed: (error: unknown) => void): MachineSetControllers {
  const working = new Map<string, Promise<void>>()
  const known: Known = { bad: new Set(), booting: new Set() }
  const begin = (set: string, like?: KubeObject) => {
    if (working.has(set)) return
    const work = fill(env, cluster, set, known, like)
      .catch(failed)
      .finally(() => void working.delete(set))
    working.set(set, work)
  }
  return {
    changed({ type, resource, object }) {
      if (env.stopped()) return
      const machine = kube(object)
      const set = setOf(machine)
      if (resource === R.machines && type === 'DELETED' && set) {
        const node = nodeOf(machine)
        const image = imageOf(env, machine)
        if (!node && image && !known.booting.has(keyOf(machine))) known.bad.add(image)
        if (node) void gone(env, node).catch(failed)
        begin(set, machine)
      }
      if (resource === R.machineSets && type === 'MODIFIED') begin(object.metadata.name)
    },
    async idle() {
      await Promise.allSettled(working.values())
    },
  }
}

const machinesOf = (env: Env, set: string): KubeObject[] => all(env, R.machines).filter((one) => setOf(one) === set)
const imageOf = (env: Env, { spec }: KubeObject): string | null =>
  imageInWords((spec?.providerSpec as { value?: JsonObject } | undefined)?.value ?? null, platformOf(env))
const platformOf = (env: Env): string =>
  String((one(env, R.infrastructures, 'cluster')?.status?.platformStatus as JsonObject | undefined)?.type)

async function fill(env: Env, cluster: string, name: string, known: Known, gone?: KubeObject): Promise<void> {
  const set = () => all(env, R.machineSets).find(({ metadata }) => metadata.name === name)
  for (let like = gone; ;) {
    const now = set()
    if (!now) return
    await count(env, now)
    const there = machinesOf(env, name)
    like = there.find(nodeOf) ?? there[0] ?? like
    if (there.length >= Number(now.spec?.replicas ?? 0) || !like || !(await env.sleep(MAKE_SECONDS))) return
    await make(env, cluster, set() ?? now, like, known)
  }
}

/** Another machine of the set, on the machine of which it is told where it is to be. */
async function make(env: Env, cluster: string, set: KubeObject, like: KubeObject, known: Known): Promise<void> {
  const world = worldOf(env, cluster, like)
  const { providerSpec } = readImageSet(set)
  const { name } = set.metadata
  const own = `${name}-${suffixOf(`${name}/${Date.now()}/${Math.random()}`)}`
  const label = (key: string): string => like.metadata.labels?.[LABELS + key] ?? ''
  const pool = poolOf(env, like)
  const plan = {
    ...{ name: own, set: name, role: 'worker' as const, zone: label('zone'), spec: providerSpec ?? {}, pool },
    ...{ instanceType: label('instance-type'), address: 20_000 + Math.floor(Math.random() * 20_000), fresh: true },
  }
  await writeSeeds(env.store, machineSeeds(world, { ...plan, joined: false, madeAt: timestamp() }), AS.machines)
  const key = `${set.metadata.namespace}/${own}`
  await count(env, set)
  if (!isOfRelease(env, set) && !joins(env, key, known)) return
  known.booting.add(key)
  const goes = await env.sleep(BOOT_SECONDS)
  known.booting.delete(key)
  if (!goes) return
  const [joined, ...nodes] = machineSeeds(world, { ...plan, joined: true })
  if (!env.store.get(R.machines, key)) return
  await writeSeeds(env.store, nodes, AS.machines)
  const { nodeRef, addresses, phase } = joined!.object.status as Record<string, JsonObject>
  const node = String(nodeRef!.name)
  // It starts with what its pool has by now.
  const config = (one(env, R.pools, pool ?? 'worker')?.status?.configuration as JsonObject | undefined)?.name
  const annotations = { [`${PREFIX}currentConfig`]: config!, [`${PREFIX}desiredConfig`]: config! }
  if (config) await env.store.merge(R.nodes, node, { metadata: { annotations } }, AS.daemon)
  const ref = { ...nodeRef, uid: one(env, R.nodes, node)!.metadata.uid }
  const status = { phase: phase!, addresses: addresses!, nodeRef: ref, lastUpdated: timestamp() }
  await env.store.merge(R.machines, key, { status }, AS.machines, 'status')
}

const isOfRelease = (env: Env, set: KubeObject): boolean =>
  bootImageState(readImageSet(set), contextOf(env, one(env, R.configMaps, STREAMS))).state === 'current'

function joins(env: Env, key: string, { bad, booting }: Known): boolean {
  const machine = one(env, R.machines, key)
  const image = machine && imageOf(env, machine)
  if (!image) return machine !== undefined
  const isStuck = (other: KubeObject) =>
    !nodeOf(other) && keyOf(other) !== key && !booting.has(keyOf(other)) && imageOf(env, other) === image
  return !bad.has(image) && !all(env, R.machines).some(isStuck)
}

function worldOf(env: Env, cluster: string, like: KubeObject): World {
  const { version } = readClusterVersion(one(env, R.clusterVersions, 'version'))
  const release = version ?? ''
  const type = platformOf(env)
  const labels = like.metadata.labels ?? {}
  return {
    ...{ cluster, infra: labels[`${LABELS}cluster-api-cluster`] ?? cluster, release, now: Date.now() },
    platform: Object.values(PLATFORMS).find((platform) => platform.type === type) ?? PLATFORMS.AWS,
    region: labels[`${LABELS}region`] ?? '',
    kubelet: kubernetesOf(release),
    installedAt: timestamp(),
  }
}

/** Of its own, where the node of another machine of the set is in one. */
function poolOf(env: Env, like: KubeObject): string | undefined {
  const roles = Object.keys(one(env, R.nodes, nodeOf(like) ?? '')?.metadata.labels ?? {})
  return roles.find((role) => role.startsWith(NODE_ROLE) && role !== `${NODE_ROLE}worker`)?.slice(NODE_ROLE.length)
}

async function gone(env: Env, node: string): Promise<void> {
  for (const resource of [R.nodes, R.configNodes])
    if (env.store.get(resource, node)) await env.store.delete(resource, node, AS.machines)
}

async function count(env: Env, set: KubeObject): Promise<void> {
  const there = machinesOf(env, set.metadata.name)
  const ready = there.filter(nodeOf).length
  const status = {
    replicas: there.length,
    fullyLabeledReplicas: there.length,
    observedGeneration: set.metadata.generation ?? 1,
    readyReplicas: ready,
    availableReplicas: ready,
  }
  await env.store.merge(R.machineSets, keyOf(set), { status }, AS.machines, 'status')
}
