import type { KubeObject } from '@/lib/kubernetes/types'
import type { Kind, Version } from './capture'

const DEPLOYMENT_NAME = 'cluster.x-k8s.io/deployment-name'

const ownedBy = (object: KubeObject, kind: string) =>
  object.metadata.ownerReferences?.find((owner) => owner.controller && owner.kind === kind)?.name

/** The MachineSet that a Machine is in. */
export const setOf = (machine: KubeObject) => ownedBy(machine, 'MachineSet')

export const replicasOf = (object: KubeObject) => Number(object.spec?.replicas ?? 0)

/** What was at one time of one MachineDeployment, its MachineSets and their Machines: any revision of the past. */
export class History {
  private readonly versions: Version[]

  constructor(versions: readonly Version[], deployment: string) {
    const own = ({ kind, object }: Version) => {
      if (kind === 'deployment') return object.metadata.name === deployment
      if (kind === 'set') return ownedBy(object, 'MachineDeployment') === deployment
      return object.metadata.labels?.[DEPLOYMENT_NAME] === deployment
    }
    this.versions = versions.filter(own).sort((a, b) => a.revision - b.revision)
  }

  of(kind: Kind): Version[] {
    return this.versions.filter((version) => version.kind === kind)
  }

  /** All revisions at which this kind changed, the newest first, from `until` back to what was there at `from`. */
  revisions(kind: Kind, from: number, until: number): number[] {
    const all = this.of(kind).map(({ revision }) => revision)
    const first = all.findLast((revision) => revision <= from) ?? 0
    return [...new Set(all)].filter((revision) => revision >= first && revision <= until).reverse()
  }

  /** Every object of this kind as it was at a revision. */
  at(kind: Kind, revision: number): KubeObject[] {
    const live = new Map<string, KubeObject>()
    for (const version of this.of(kind)) {
      if (version.revision > revision) break
      if (version.gone) live.delete(version.object.metadata.uid)
      else live.set(version.object.metadata.uid, version.object)
    }
    return [...live.values()]
  }

  get end(): number {
    return this.versions.at(-1)?.revision ?? 0
  }
}
