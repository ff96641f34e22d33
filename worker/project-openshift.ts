import type { OldestNode } from '@/lib/domain/skew/oldest-node'
import type { KubeObject } from '@/lib/kubernetes/types'
import { OPENSHIFT_RESOURCES as R, openshiftRows } from '@/lib/providers/openshift/rows'
import type { ProjectionContext, Rows } from '@/lib/providers/rows'

type Facts = ReturnType<typeof openshiftRows.node>

/**
 * OpenShift's objects as rows. A machine's state is told by its Node as well, so a Node's change projects its machine
 * again: of machines the text is kept (a few KiB each; such clusters have hundreds of them, not tens of thousands).
 */
export class OpenShiftProjection {
  private readonly nodes = new Map<string, { facts: Facts; signature: string; joinedAt: string }>()
  private readonly machines = new Map<string, string>()
  /** By key of the machine. */
  private readonly images = new Map<string, { image: string; madeAt: number }>()
  private readonly machineOfNode = new Map<string, string>()
  /** Keys of machines that are on their way to a node: only time tells that one does not come. */
  private readonly onTheWay = new Set<string>()
  private named: string

  /** `since`: when machines were first seen without a node by whoever watched before, in ms by uid. */
  constructor(
    private readonly clusterId: string,
    private readonly name: string,
    private readonly context: Pick<ProjectionContext, 'find' | 'governed'>,
    private readonly since: Map<string, number>,
  ) {
    this.named = name
  }

  /** Rows that follow from an object; undefined: not one of OpenShift's. */
  upsert(resource: string, key: string, object: KubeObject): Rows | undefined {
    if (resource === R.machines) return this.machine(key, object)
    if (resource === 'nodes') return this.node(object)
    if (resource === R.machineSets || resource === R.controlPlanes)
      return { group: openshiftRows.group(this.cluster(), object) }
    if (resource === R.pools) return openshiftRows.pool(this.cluster(), object, this.context.governed(object))
    if (resource === R.clusterVersions || resource === R.infrastructures)
      return { workloadCluster: this.workloadCluster() }
    return undefined
  }

  remove(resource: string, key: string): void {
    if (resource === R.machines) this.forget(key)
    if (resource === 'nodes') this.nodes.delete(key)
  }

  oldestNode(): OldestNode | null {
    let oldest: OldestNode | null = null
    for (const [name, { joinedAt }] of this.nodes)
      if (!oldest || joinedAt < oldest.joinedAt || (joinedAt === oldest.joinedAt && name < oldest.name))
        oldest = { name, joinedAt, of: this.nodes.size }
    return oldest
  }

  oldestMachines(): ReadonlyMap<string, number> {
    const oldest = new Map<string, number>()
    for (const { image, madeAt } of this.images.values())
      if (madeAt < (oldest.get(image) ?? Infinity)) oldest.set(image, madeAt)
    return oldest
  }

  /** Rows of machines that nothing was heard of since, and that may be late by now. */
  again(): Rows[] {
    return this.anew(this.onTheWay)
  }

  /**
   * Its name is another one since: lists arrive in any order, and what was heard before the Infrastructure was given the name of the
   * management cluster. Rows of machines with the new one; null: it is as it was. What else has it is projected by whoever keeps it.
   */
  renamed(): Rows[] | null {
    const name = this.cluster()
    if (name === this.named) return null
    this.named = name
    return this.anew(this.machines.keys())
  }

  private anew(keys: Iterable<string>): Rows[] {
    return [...keys].flatMap((key) => {
      const machine = this.machines.get(key)
      return machine ? [this.machine(key, JSON.parse(machine) as KubeObject)] : []
    })
  }

  private forget(key: string): void {
    const machine = this.machines.get(key)
    if (machine) this.since.delete((JSON.parse(machine) as KubeObject).metadata.uid)
    this.machines.delete(key)
    this.images.delete(key)
    this.onTheWay.delete(key)
  }

  private cluster(): string {
    return openshiftRows.clusterNameOf(this.context.find(R.infrastructures, 'cluster'), this.name)
  }

  private machine(key: string, object: KubeObject): Rows {
    const { managedFields: _, ...metadata } = object.metadata
    this.machines.set(key, JSON.stringify({ ...object, metadata }))
    const node = (object.status?.nodeRef as { name?: string } | undefined)?.name
    if (node) this.machineOfNode.set(node, key)
    const facts = node ? this.nodes.get(node)?.facts : undefined
    const { uid } = object.metadata
    const rows = openshiftRows.machine(this.cluster(), object, facts, Date.now(), this.since.get(uid))
    const { provisionedSince, state, bootImage } = rows.machine!
    if (bootImage) this.images.set(key, { image: bootImage, madeAt: Date.parse(object.metadata.creationTimestamp) })
    else this.images.delete(key)
    if (provisionedSince) this.since.set(uid, new Date(provisionedSince).getTime())
    else this.since.delete(uid)
    if (state === 'provisioning') this.onTheWay.add(key)
    else this.onTheWay.delete(key)
    return rows
  }

  /** Nodes report every few minutes without news: only what a machine's row shows counts. */
  private node(object: KubeObject): Rows {
    const facts = openshiftRows.node(object)
    const signature = JSON.stringify(facts)
    const known = this.nodes.get(facts.name)
    this.nodes.set(facts.name, { facts, signature, joinedAt: object.metadata.creationTimestamp })
    if (known?.signature === signature) return {}
    const key = this.machineOfNode.get(facts.name) ?? facts.machine ?? ''
    const machine = this.machines.get(key)
    return machine ? this.machine(key, JSON.parse(machine) as KubeObject) : {}
  }

  private workloadCluster() {
    const version = this.context.find(R.clusterVersions, 'version')
    return openshiftRows.workloadCluster(
      this.clusterId,
      version,
      this.context.find(R.infrastructures, 'cluster'),
      this.name,
    )
  }
}
