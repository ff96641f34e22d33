import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { until } from '../process'
import { KINDS } from './capture'
import { setOf } from './history'
import { settled, type Revision, type Stage } from './stage'

const WIDE = { ms: 300_000, every: 50 }

/** What somebody does to a MachineDeployment, and what they wait for. */
export class Play {
  constructor(
    private readonly at: Stage,
    private readonly name: string,
    private readonly replicas: number,
  ) {}

  private patch(spec: JsonObject): Promise<KubeObject> {
    return this.at.cluster.admin.patch(KINDS.deployment, this.name, this.at.namespace, 'merge', { spec })
  }

  wants = (revision: Revision) => this.patch({ template: { spec: { bootstrap: { configRef: { name: revision } } } } })

  scales = (replicas: number) => this.patch({ replicas })

  over = (replicas = this.replicas) => settled(this.at, this.name, replicas)

  /** Until so many machines are of this revision, or on the way there. */
  has(count: number, revision: Revision): Promise<void> {
    const enough = async () => Number((await this.set(revision))?.status?.replicas ?? 0) >= count
    return until(`${this.name} to have ${count} machines of the ${revision}`, enough, WIDE)
  }

  /** Somebody deletes a machine of the first revision; until there is an available one in its place. */
  async deletesOne(): Promise<void> {
    const { cluster, namespace, group } = { ...this.at, group: this.name }
    const old = await this.members('first')
    await cluster.admin.delete(KINDS.machine, old[0]!.metadata.name, namespace)
    const replaced = async () => {
      const { status = {} } = await cluster.admin.get(KINDS.deployment, group, namespace)
      const all = [status.replicas, status.availableReplicas].every((count) => count === this.replicas)
      return all && (await this.members('first')).length === old.length - 1
    }
    await until(`${group} to have replaced a machine`, replaced, WIDE)
  }

  private async set(revision: Revision): Promise<KubeObject | undefined> {
    const { items } = await this.at.cluster.admin.list(KINDS.set, this.at.namespace, { limit: 500 })
    return items.find(
      ({ metadata, spec }) =>
        metadata.ownerReferences?.some((owner) => owner.name === this.name) &&
        JSON.stringify(spec?.template).includes(`"name":"${revision}"`),
    )
  }

  private async members(revision: Revision): Promise<KubeObject[]> {
    const set = await this.set(revision)
    const { items } = await this.at.cluster.admin.list(KINDS.machine, this.at.namespace, { limit: 500 })
    return items.filter((machine) => set && setOf(machine) === set.metadata.name)
  }
}
