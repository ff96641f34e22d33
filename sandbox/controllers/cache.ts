import type { SandboxObject, Store, StoreEvent } from '../types'
import { keyOf, type Cluster, type ControlPlane, type Machine, type MachineDeployment, type MachineSet } from './kinds'
import { CLUSTERS, CONTROL_PLANES, HEALTH_CHECKS, LABEL, MACHINES, MACHINE_DEPLOYMENTS, MACHINE_SETS } from './names'

const INDEXED = [MACHINES, MACHINE_SETS, MACHINE_DEPLOYMENTS, CONTROL_PLANES, HEALTH_CHECKS]

/** Who owns what, kept by events: a pass over one group never reads another group's machines. */
export class Cache {
  private readonly groups = new Map<string, Set<string>>()
  private readonly places = new Map<string, string[]>()

  constructor(private readonly store: Store) {
    for (const resource of INDEXED) for (const object of store.list(resource)) this.put(resource, object)
  }

  observe(event: StoreEvent) {
    if (!INDEXED.includes(event.resource)) return
    if (event.type === 'DELETED') this.remove(`${event.resource}|${event.key}`)
    else this.put(event.resource, event.object)
  }

  cluster(namespace: string | undefined, name: string) {
    return this.store.get(CLUSTERS, `${namespace}/${name}`) as unknown as Cluster | undefined
  }

  controlPlane(namespace: string | undefined, cluster: string) {
    return this.inCluster<ControlPlane>(CONTROL_PLANES, namespace, cluster)[0]
  }

  owned<T = Machine>(resource: string, ownerUid: string) {
    return this.members<T>(resource, `${resource}|owner|${ownerUid}`)
  }

  inCluster<T>(resource: string, namespace: string | undefined, cluster: string) {
    return this.members<T>(resource, `${resource}|cluster|${namespace}/${cluster}`)
  }

  setsOf(deployment: MachineDeployment) {
    return this.owned<MachineSet>(MACHINE_SETS, deployment.metadata.uid)
  }

  private members<T>(resource: string, group: string) {
    const keys = [...(this.groups.get(group) ?? [])].sort()
    return keys.flatMap((key) => {
      const object = this.store.get(resource, key)
      return object ? [object as unknown as T] : []
    })
  }

  private put(resource: string, object: SandboxObject) {
    const key = keyOf(object)
    const id = `${resource}|${key}`
    const owner = object.metadata.ownerReferences?.find((ref) => ref.controller)?.uid
    const cluster = clusterOf(object)
    const places = [
      ...(owner ? [`${resource}|owner|${owner}`] : []),
      ...(cluster ? [`${resource}|cluster|${object.metadata.namespace}/${cluster}`] : []),
    ]
    const before = this.places.get(id)
    if (before?.length === places.length && before.every((place, i) => place === places[i])) return
    this.remove(id)
    this.places.set(id, places)
    for (const place of places) {
      const group = this.groups.get(place) ?? new Set()
      this.groups.set(place, group.add(key))
    }
  }

  private remove(id: string) {
    const key = id.slice(id.indexOf('|') + 1)
    for (const place of this.places.get(id) ?? []) {
      const group = this.groups.get(place)
      group?.delete(key)
      if (group?.size === 0) this.groups.delete(place)
    }
    this.places.delete(id)
  }
}

export const clusterOf = (object: SandboxObject) =>
  typeof object.spec?.clusterName === 'string' ? object.spec.clusterName : object.metadata.labels?.[LABEL.cluster]
