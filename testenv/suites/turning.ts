import { expect } from 'vitest'
import { db } from '@/lib/db/client'
import { valueAt } from '@/lib/domain/changes'
import type { Json, JsonObject } from '@/lib/domain/json'
import type { KubeObject, Resource } from '@/lib/kubernetes/types'
import type { ServiceError } from '@/lib/services/errors'
import { planOf, type Plan } from '@/lib/services/forecast/plan'
import { planRollBack } from '@/lib/services/roll-back/plan-roll-back'
import { rollBack } from '@/lib/services/roll-back/roll-back'
import { until } from '../process'
import { ctx, Governing, names, versionOf, type ChangeRow, type Workload } from './governing'
import { MD } from './watching'

const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io'
const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io'
const of = (group: string, plural: string): Resource => ({ group, version: 'v1beta2', plural })
const TEMPLATES = of(INFRASTRUCTURE, 'devmachinetemplates')
const CONFIG_TEMPLATES = of(BOOTSTRAP, 'kubeadmconfigtemplates')

/** What the other templates bring, to be found on every machine afterwards. */
export const STARTS_IN = '2s'
export const COMMAND = 'echo turned'
const SOCKET = 'unix:///run/other.sock'

/** One MachineDeployment that a scenario is played with. */
export interface Group {
  w: Workload
  name: string
  replicas: number
}

export interface Shape {
  replicas: number
  surge?: number
  unavailable?: number
  onDelete?: boolean
}

/** What of a template is wanted: a merge patch of the group's `spec.template.spec`. */
export const version = (to: string): JsonObject => ({ version: to })
export const infrastructure: JsonObject = { infrastructureRef: { name: 'other-machine' } }
export const bootstrap: JsonObject = { bootstrap: { configRef: { name: 'other-command' } } }
/** What is made of it does not come up within any test. */
export const endless: JsonObject = { infrastructureRef: { name: 'endless-machine' } }
/** A field that no updater here covers. */
export const socket: JsonObject = { bootstrap: { configRef: { name: 'other-socket' } } }

/** Many MachineDeployments of one workload cluster, and what becomes of them. */
export class Turning extends Governing {
  /** The groups' other templates, beside those that their machines are made of. */
  async templates({ namespace }: Workload): Promise<void> {
    const { admin } = this.cluster
    const make = (at: Resource, kind: string, name: string, spec: JsonObject) => {
      const object = { apiVersion: `${at.group}/${at.version}`, kind, metadata: { name, namespace } }
      return admin.create(at, { ...object, spec: { template: { spec } } } as never, namespace)
    }
    const second = { provisioning: { startupDuration: '1s' } }
    const vm = { provisioning: { startupDuration: STARTS_IN } }
    const never = { provisioning: { startupDuration: '10h' } }
    const criSocket = 'unix:///run/containerd/containerd.sock'
    await make(TEMPLATES, 'DevMachineTemplate', 'other-machine', { backend: { inMemory: { vm, node: second } } })
    await make(TEMPLATES, 'DevMachineTemplate', 'endless-machine', {
      backend: { inMemory: { vm: never, node: second } },
    })
    await make(CONFIG_TEMPLATES, 'KubeadmConfigTemplate', 'other-command', {
      ...{ joinConfiguration: { nodeRegistration: { criSocket } }, preKubeadmCommands: [COMMAND] },
    })
    await make(CONFIG_TEMPLATES, 'KubeadmConfigTemplate', 'other-socket', {
      joinConfiguration: { nodeRegistration: { criSocket: SOCKET } },
    })
  }

  async group(w: Workload, name: string, shape: Shape): Promise<Group> {
    const like = (await this.deployment(w)).spec as JsonObject
    const { replicas, surge = 0, unavailable = 1, onDelete } = shape
    const rollingUpdate = { maxSurge: surge, maxUnavailable: unavailable }
    const strategy = onDelete ? { type: 'OnDelete' } : { type: 'RollingUpdate', rollingUpdate }
    const body = {
      ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment' },
      metadata: { name, namespace: w.namespace },
      spec: {
        ...{ clusterName: like.clusterName!, replicas, rollout: { strategy } },
        template: { spec: (like.template as JsonObject).spec! },
      },
    }
    await this.cluster.admin.create(MD, body as never, w.namespace)
    return { w, name, replicas }
  }

  /** All there, and known to the planner as they are. */
  async settled(workloads: Workload[], groups: Group[], ms: number): Promise<void> {
    const wide = { ms, every: 500 }
    for (const { namespace } of workloads)
      await until(
        `all machines of ${namespace} to run`,
        async () => {
          const { items } = await this.cluster.admin.list(MD, namespace, { limit: 100 })
          const count = (md: KubeObject, ...at: string[]) => valueAt(md as never, ...at) ?? 0
          return items.every((md) => count(md, 'status', 'availableReplicas') === count(md, 'spec', 'replicas'))
        },
        wide,
      )
    const namespace = { in: workloads.map((w) => w.namespace) }
    const where = { clusterId: this.clusterId, namespace, kind: 'MachineDeployment', letGo: { not: null } }
    const all = groups.length + workloads.length
    await until('the planner to know the groups', async () => (await db().group.count({ where })) === all, wide)
  }

  read = ({ w, name }: Group): Promise<KubeObject> => this.cluster.admin.get(MD, name, w.namespace)

  patch({ w, name }: Group, body: JsonObject): Promise<KubeObject> {
    return this.cluster.admin.patch(MD, name, w.namespace, 'merge', body)
  }

  write(group: Group, ...wanted: JsonObject[]): Promise<KubeObject> {
    return this.patch(group, { spec: { template: { spec: Object.assign({}, ...wanted) as JsonObject } } })
  }

  /** By the button; its controllers write to the group all the while: then going back is looked at anew. */
  async rollBack(changeId: string, ms: number): Promise<void> {
    const back = async (): Promise<boolean> => {
      const { offer } = await planRollBack(ctx, { changeId })
      expect(offer).toMatchObject({ why: null, endsByItself: false })
      const { fingerprint, generation } = offer
      return rollBack(ctx, { changeId, fingerprint, generation, reason: 'it fails' }).then(
        ({ answer }) => answer.startsWith('stored as resourceVersion'),
        (error: ServiceError) => (error.code === 'conflict' ? false : Promise.reject(error)),
      )
    }
    await until('it to be written', back, { ms, every: 50 })
  }

  async members({ w, name }: Group): Promise<KubeObject[]> {
    const all = await this.machines(w)
    return all
      .filter((m) => m.metadata.labels?.['cluster.x-k8s.io/deployment-name'] === name)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  }

  /** How many of its machines are to have this version. */
  async at(group: Group, wanted: string): Promise<number> {
    return (await this.members(group)).filter((m) => versionOf(m) === wanted).length
  }

  /**
   * What becomes of a rollout that is under way if so many machines are wanted from now on: what was done so far, and
   * what Drydock foretells from there.
   */
  async playedWith(changeId: string, replicas: number) {
    const known = { changeId, state: 'updating' }
    const updating = async () => (await db().machineProgress.count({ where: known })) > 0
    await until('the one at work to be known', updating, { ms: 60_000, every: 50 })
    const change = await db().change.findUniqueOrThrow({ where: { id: changeId } })
    const shape = await db().group.findUniqueOrThrow({ where: { id: change.groupId } })
    const over = { changeId, state: 'done', startedAt: { not: null } }
    const done = await db().machineProgress.count({ where: over })
    const planned = await planOf(change, 'in-place', { wanted: { ...shape, desiredReplicas: replicas } })
    const { updated, created, deleted } = planned!.plan
    return { updatedInPlace: done + updated, created, deleted }
  }

  /** The one under way has come to its end, and nothing else moves. */
  async comesToRest(group: Group, ms: number): Promise<void> {
    const rests = (m: KubeObject) => m.status?.phase === 'Running' && !m.metadata.deletionTimestamp
    const all = async () => (await this.members(group)).every(rests)
    await until(`what was under way in ${group.name} to end`, all, { ms, every: 250 })
  }

  /** The very same machines with the very same versions for so long. */
  async staysAsItIs(group: Group, ms: number): Promise<void> {
    const shape = async () =>
      (await this.members(group)).map((m) => [m.metadata.uid, versionOf(m), m.metadata.deletionTimestamp])
    const before = await shape()
    const end = Date.now() + ms
    const time = async () => {
      expect(await shape()).toEqual(before)
      return Date.now() >= end
    }
    await until('the time of watching to pass', time, { ms: ms + 60_000, every: 250, rethrow: true })
  }

  /** Once all updaters have been asked, and some field is left over. */
  async uncovered({ w, name }: Group): Promise<ChangeRow> {
    let change = await this.change(w, name, ['waiting'])
    const said = async () => {
      change = await this.change(w, name, ['waiting'])
      return (change.outlook as { uncovered?: string[] }).uncovered?.length
    }
    await until(`the updaters to have been asked about ${name}`, said, { ms: 90_000, every: 100 })
    return change
  }

  /**
   * What was foretold when it was approved is what happened: in numbers, and by name for each machine that was there.
   * Every machine counts that was to change, and every new one.
   */
  async asForetold(group: Group, done: ChangeRow, before: KubeObject[], comes: [number, number, number]) {
    const [updatedInPlace, created, deleted] = comes
    const { updated: u, created: c, deleted: d } = done.decisions[0]!.plan as unknown as Plan
    expect([u, c, d]).toEqual(comes)
    expect(done.outcome).toMatchObject({ updatedInPlace, created, deleted, failed: 0 })
    const all = updatedInPlace + deleted + created
    expect([done.asForetold, done.foretold]).toEqual([all, all])
    const rows = await db().machineProgress.findMany({ where: { changeId: done.id } })
    const said = (...fates: string[]) =>
      rows.filter(({ predicted }) => fates.includes(predicted ?? '')).map(({ machineName }) => machineName)
    const after = new Set(names(await this.members(group)))
    expect(after.size).toBe(group.replicas)
    expect(said('in-place', 'up-to-date').sort()).toEqual(names(before).filter((name) => after.has(name)))
    expect(said('replace').sort()).toEqual(names(before).filter((name) => !after.has(name)))
  }

  /** Every machine of the group really is what was wanted, on all three of its objects. */
  async wears(group: Group, wanted: { version?: string; startsIn?: string; command?: string; criSocket?: string }) {
    const { admin } = this.cluster
    const { namespace } = group.w
    const refOf = (m: KubeObject, ...at: string[]) => String(valueAt(m as never, 'spec', ...at, 'name'))
    const read = async (m: KubeObject) => {
      const machine = await admin.get(of(INFRASTRUCTURE, 'devmachines'), refOf(m, 'infrastructureRef'), namespace)
      const config = await admin.get(of(BOOTSTRAP, 'kubeadmconfigs'), refOf(m, 'bootstrap', 'configRef'), namespace)
      const backend = ['backend', 'inMemory', 'vm', 'provisioning', 'startupDuration']
      const commands = valueAt(config.spec, 'preKubeadmCommands') as Json[] | undefined
      return {
        version: versionOf(m),
        startsIn: valueAt(machine.spec, ...backend),
        command: commands?.[0],
        criSocket: valueAt(config.spec, 'joinConfiguration', 'nodeRegistration', 'criSocket'),
      }
    }
    for (const machine of await this.members(group)) expect(await read(machine)).toMatchObject(wanted)
  }
}
