import { planSet, viewOf, type DeletionOrder, type SetMachine } from '../../lib/domain/rollout'
import { conditionOf, setConditions } from './conditions'
import { cloneOf, inner, templateOf } from './clones'
import { createMachine } from './create-machine'
import { AS, heldByPause, NOT_PAUSED, suffix, writeStatus, type Env } from './env'
import { triggerInPlace, triggerInterrupted } from './in-place'
import { has, isUpdating, json, keyOf, listed, type Machine, type MachineSet } from './kinds'
import { ANNOTATION, CORE, LABEL, MACHINES, MACHINE_SETS } from './names'
import { isMarked, remediateSet } from './remediation'
import { counters, deletingCondition, machinesReady, machinesUpToDate, notRemediating, scaling } from './summaries'

/** Seconds after which a creation that the preflight checks stopped is tried again. */
const PREFLIGHT_RETRY = 15

export const candidate = (machine: Machine): SetMachine => ({
  name: machine.metadata.name,
  createdAt: Date.parse(machine.metadata.creationTimestamp),
  deleting: machine.metadata.deletionTimestamp !== undefined,
  marked: has(machine, ANNOTATION.deleteMachine),
  updating: isUpdating(machine),
  unhealthy:
    !machine.status?.nodeRef ||
    conditionOf(machine, 'NodeHealthy')?.status === 'False' ||
    conditionOf(machine, 'HealthCheckSucceeded')?.status === 'False',
  hasNode: machine.status?.nodeRef !== undefined,
  pendingMove: has(machine, ANNOTATION.pendingMove),
  remediate: isMarked(machine),
})

export class MachineSetController {
  constructor(private readonly env: Env) {}

  reconcile = async (key: string): Promise<number | undefined> => {
    const { env } = this
    const set = env.store.get(MACHINE_SETS, key) as unknown as MachineSet | undefined
    if (!set || (await heldByPause(env, MACHINE_SETS, set, set.spec.clusterName, AS.core))) return undefined
    const machines = () => env.cache.owned(MACHINES, set.metadata.uid)
    if (set.metadata.deletionTimestamp) {
      for (const m of machines())
        if (!m.metadata.deletionTimestamp) await env.store.delete(MACHINES, keyOf(m), AS.machineSet)
      if (machines().length === 0) await env.store.merge(MACHINE_SETS, key, { metadata: { finalizers: null } }, AS.core)
      return undefined
    }
    await this.receive(set, machines())
    await remediateSet(env, set, machines(), () => preflight(env, set))
    const blocked = await this.sync(set, machines())
    await this.writeStatus(key, machines(), blocked)
    return blocked ? PREFLIGHT_RETRY : undefined
  }

  /** Machines that came from another set are taken over once the MachineDeployment counted them. */
  private async receive(set: MachineSet, machines: Machine[]) {
    const annotations = set.metadata.annotations ?? {}
    const acknowledged = listed(annotations[ANNOTATION.acknowledged])
    const receives = annotations[ANNOTATION.receiveFrom] !== undefined
    for (const machine of machines) {
      if (machine.metadata.deletionTimestamp) continue
      const pending = has(machine, ANNOTATION.pendingMove)
      if (pending && receives && !acknowledged.includes(machine.metadata.name)) continue
      if (pending) {
        const metadata = { annotations: { [ANNOTATION.pendingMove]: null }, labels: { [LABEL.set]: set.metadata.name } }
        await this.env.store.merge(MACHINES, keyOf(machine), { metadata }, AS.machineSet)
      }
      const now = this.env.store.get(MACHINES, keyOf(machine)) as unknown as Machine | undefined
      if (now && triggerInterrupted(now)) await this.trigger(set, now)
    }
  }

  private async trigger(set: MachineSet, machine: Machine) {
    const { spec } = set.spec.template
    const infrastructure = templateOf(this.env, set.metadata.namespace, spec.infrastructureRef)
    if (!infrastructure) throw new Error(`${spec.infrastructureRef.kind} ${spec.infrastructureRef.name} not found`)
    const bootstrap = templateOf(this.env, set.metadata.namespace, spec.bootstrap.configRef)
    const { version, failureDomain } = spec
    const labels = machine.metadata.labels
    const config = bootstrap && cloneOf(bootstrap, { labels })
    await triggerInPlace(
      this.env,
      machine,
      { version, failureDomain, infrastructure: cloneOf(infrastructure, { labels }), bootstrap: config },
      AS.machineSet,
    )
  }

  /** Returns why creation is blocked. */
  private async sync(set: MachineSet, machines: Machine[]): Promise<string | undefined> {
    const annotations = set.metadata.annotations ?? {}
    const step = planSet(
      {
        replicas: set.spec.replicas ?? 1,
        moveTo: this.target(set)?.metadata.name,
        receives: annotations[ANNOTATION.receiveFrom] !== undefined,
        disableMachineCreate: annotations[ANNOTATION.disableCreate] === 'true',
        order: (set.spec.deletion?.order ?? 'Random') as DeletionOrder,
      },
      viewOf(machines.map(candidate)),
      Date.now(),
    )
    const named = new Map(machines.map((m) => [m.metadata.name, m]))
    for (const name of step.delete)
      await this.env.store.delete(MACHINES, keyOf(named.get(name) as Machine), AS.machineSet)
    for (const name of step.move) await this.move(set, named.get(name) as Machine)
    if (step.create === 0) return undefined
    const blocked = preflight(this.env, set)
    if (!blocked) for (let i = 0; i < step.create; i++) await this.create(set)
    return blocked
  }

  /** The set that machines are handed over to; both sides have to name each other. */
  private target(set: MachineSet): MachineSet | undefined {
    const name = set.metadata.annotations?.[ANNOTATION.moveTo]
    if (name === undefined) return undefined
    const target = this.env.store.get(MACHINE_SETS, `${set.metadata.namespace}/${name}`) as unknown as
      MachineSet | undefined
    if (target && listed(target.metadata.annotations?.[ANNOTATION.receiveFrom]).includes(set.metadata.name))
      return target
    throw new Error(`MachineSet ${name} does not accept Machines from ${set.metadata.name}`)
  }

  private async move(set: MachineSet, machine: Machine) {
    const target = this.target(set) as MachineSet
    const { name, uid } = target.metadata
    const owner = { apiVersion: CORE, kind: 'MachineSet', name, uid, controller: true, blockOwnerDeletion: true }
    const patch = {
      metadata: {
        ownerReferences: [owner],
        labels: { [LABEL.hash]: target.metadata.labels?.[LABEL.hash] ?? null },
        annotations: { [ANNOTATION.updating]: '', [ANNOTATION.pendingMove]: '' },
      },
    }
    await this.env.store.merge(MACHINES, keyOf(machine), json(patch), AS.machineSet)
  }

  private async create(set: MachineSet) {
    const { metadata, spec } = set.spec.template
    const infrastructureTemplate = templateOf(this.env, set.metadata.namespace, spec.infrastructureRef)
    if (!infrastructureTemplate)
      throw new Error(`${spec.infrastructureRef.kind} ${spec.infrastructureRef.name} not found`)
    const labels = { ...metadata?.labels, [LABEL.cluster]: spec.clusterName, [LABEL.set]: set.metadata.name }
    const bootstrap = templateOf(this.env, set.metadata.namespace, spec.bootstrap.configRef)
    if (!bootstrap && spec.bootstrap.dataSecretName === undefined) {
      throw new Error(`${spec.bootstrap.configRef?.kind} ${spec.bootstrap.configRef?.name} not found`)
    }
    const { bootstrap: _bootstrap, infrastructureRef: _infrastructure, ...rest } = spec
    await createMachine(
      this.env,
      {
        name: `${set.metadata.name}-${suffix()}`,
        namespace: set.metadata.namespace,
        labels,
        annotations: metadata?.annotations,
        owner: { apiVersion: CORE, kind: 'MachineSet', name: set.metadata.name, uid: set.metadata.uid },
        spec: rest,
        infrastructureTemplate,
        bootstrap: bootstrap
          ? { spec: json(inner(bootstrap).spec ?? {}), annotations: cloneOf(bootstrap, {}).annotations }
          : { dataSecretName: spec.bootstrap.dataSecretName ?? '' },
      },
      AS.machineSet,
    )
  }

  private async writeStatus(key: string, machines: Machine[], blocked: string | undefined) {
    const set = this.env.store.get(MACHINE_SETS, key) as unknown as MachineSet | undefined
    if (!set) return
    const conditions = [
      notRemediating,
      ...scaling(machines.length, set.spec.replicas ?? 1, blocked),
      machinesReady(machines),
      machinesUpToDate(machines),
      NOT_PAUSED,
      deletingCondition(set),
    ]
    const labels = set.spec.template.metadata?.labels ?? {}
    const status = {
      ...counters(machines),
      conditions: setConditions(set.status?.conditions, conditions, set.metadata.generation),
      observedGeneration: set.metadata.generation,
      selector: Object.entries(labels)
        .sort()
        .map(([k, v]) => `${k}=${v}`)
        .join(','),
    }
    await writeStatus(this.env, MACHINE_SETS, set, status, AS.core)
  }
}

/** New workers wait while the control plane is between two versions. */
function preflight(env: Env, set: MachineSet): string | undefined {
  const skipped = listed(set.metadata.annotations?.[ANNOTATION.skipPreflight])
  if (skipped.includes('All') || skipped.includes('ControlPlaneIsStable')) return undefined
  const controlPlane = env.cache.controlPlane(set.metadata.namespace, set.spec.clusterName)
  const version = controlPlane?.status?.version
  if (!controlPlane || version === undefined || version === controlPlane.spec.version) return undefined
  return `KubeadmControlPlane ${keyOf(controlPlane)} is upgrading ("ControlPlaneIsStable" preflight check failed)`
}
