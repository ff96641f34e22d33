import {
  domainForNew,
  planControlPlane,
  type ControlPlaneMachine,
  type ControlPlaneStep,
} from '../../lib/domain/rollout'
import { canUpdateMachine } from './can-update-machine'
import { cloneOf, templateOf } from './clones'
import { conditionOf } from './conditions'
import { controlPlaneStatus } from './control-plane-status'
import { createMachine } from './create-machine'
import { AS, heldByPause, suffix, type Env } from './env'
import { triggerInPlace, triggerInterrupted, type DesiredMachine } from './in-place'
import { has, isUpdating, keyOf, type ControlPlane, type Machine } from './kinds'
import { kubeadmConfigFor } from './kubeadm'
import { lookAtMembers } from './members'
import { ANNOTATION, CONTROL_PLANE, CONTROL_PLANES, LABEL, MACHINES } from './names'
import { propagateToMachines } from './propagate'
import { remediateControlPlane } from './remediation'
import { controlPlaneReasons } from './up-to-date'

const GATES = [
  'NodeKubeadmLabelsAndTaintsSet',
  'APIServerPodHealthy',
  'ControllerManagerPodHealthy',
  'SchedulerPodHealthy',
  'EtcdPodHealthy',
  'EtcdMemberHealthy',
].map((conditionType) => ({ conditionType }))

export class ControlPlaneController {
  constructor(private readonly env: Env) {}

  reconcile = async (key: string): Promise<number | undefined> => {
    const { env } = this
    const controlPlane = env.store.get(CONTROL_PLANES, key) as unknown as ControlPlane | undefined
    const cluster = controlPlane?.metadata.labels?.[LABEL.cluster] ?? this.owner(controlPlane)
    if (!controlPlane || !cluster) return undefined
    if (await heldByPause(env, CONTROL_PLANES, controlPlane, cluster, AS.controlPlane)) return undefined
    if (controlPlane.metadata.deletionTimestamp) return this.remove(controlPlane)
    if (!controlPlane.metadata.finalizers?.length) {
      await env.store.merge(
        CONTROL_PLANES,
        key,
        { metadata: { finalizers: ['kubeadm.controlplane.cluster.x-k8s.io'] } },
        AS.controlPlane,
      )
    }
    await propagateToMachines(env, controlPlane, this.machines(controlPlane))
    await lookAtMembers(env, this.machines(controlPlane))
    let failure: unknown
    let step: ControlPlaneStep = { do: 'nothing' }
    try {
      step = await this.step(controlPlane, cluster)
    } catch (error) {
      failure = error
    }
    await controlPlaneStatus(env, key, cluster, failure === undefined)
    if (failure !== undefined) throw failure
    return step.do === 'wait' ? 15 : undefined
  }

  private owner(controlPlane: ControlPlane | undefined) {
    return controlPlane?.metadata.ownerReferences?.find((ref) => ref.kind === 'Cluster')?.name
  }

  private machines = (controlPlane: ControlPlane) => this.env.cache.owned<Machine>(MACHINES, controlPlane.metadata.uid)

  private async remove(controlPlane: ControlPlane): Promise<undefined> {
    const machines = this.machines(controlPlane)
    for (const m of machines) {
      if (!m.metadata.deletionTimestamp) await this.env.store.delete(MACHINES, keyOf(m), AS.controlPlane)
      else await this.passCleanup(m)
    }
    if (machines.length > 0) return
    await this.env.store.merge(CONTROL_PLANES, keyOf(controlPlane), { metadata: { finalizers: null } }, AS.controlPlane)
  }

  /** The control plane lets its own pre-terminate hook go last, when the member has left. */
  private async passCleanup(machine: Machine) {
    if (
      !has(machine, ANNOTATION.kcpCleanup) ||
      conditionOf(machine, 'Deleting')?.reason !== 'WaitingForPreTerminateHook'
    )
      return
    const patch = { metadata: { annotations: { [ANNOTATION.kcpCleanup]: null } } }
    await this.env.store.merge(MACHINES, keyOf(machine), patch, AS.controlPlane)
  }

  private async step(controlPlane: ControlPlane, cluster: string): Promise<ControlPlaneStep> {
    const { env } = this
    const machines = this.machines(controlPlane)
    for (const m of machines) {
      if (m.metadata.deletionTimestamp) await this.passCleanup(m)
      else if (triggerInterrupted(m)) await triggerInPlace(env, m, this.desired(controlPlane, m), AS.controlPlane)
    }
    if (await remediateControlPlane(env, machines)) return { do: 'wait', why: 'an ill machine goes first' }
    const live = env.cache.cluster(controlPlane.metadata.namespace, cluster)
    if (!live?.status?.initialization?.infrastructureProvisioned)
      return { do: 'wait', why: 'infrastructure is not provisioned' }
    const maxSurge = Number(controlPlane.spec.rollout?.strategy?.rollingUpdate?.maxSurge ?? 1) === 0 ? 0 : 1
    const replicas = controlPlane.spec.replicas ?? 1
    const state = {
      replicas,
      maxSurge: maxSurge as 0 | 1,
      machines: machines.map((m) => this.candidate(controlPlane, m)),
      domains: (live.status.failureDomains ?? []).filter((d) => d.controlPlane).map(({ name }) => name),
      inPlaceUpdates: env.gates.inPlaceUpdates,
    }
    let step = planControlPlane(state)
    if (step.do === 'ask') {
      const asked = machines.find((m) => m.metadata.name === (step as { machine: string }).machine) as Machine
      step = planControlPlane(state, {
        machine: asked.metadata.name,
        canUpdate: await canUpdateMachine(env, asked, this.desired(controlPlane, asked)),
      })
    }
    await this.carryOut(step, controlPlane, cluster, domainForNew(state.machines, state.domains))
    return step
  }

  private candidate(controlPlane: ControlPlane, machine: Machine): ControlPlaneMachine {
    const { reasons, eligible } = controlPlaneReasons(this.env, machine, controlPlane)
    return {
      name: machine.metadata.name,
      createdAt: Date.parse(machine.metadata.creationTimestamp),
      deleting: machine.metadata.deletionTimestamp !== undefined,
      marked: has(machine, ANNOTATION.deleteMachine),
      updating: isUpdating(machine),
      failureDomain: machine.spec.failureDomain,
      upToDate: reasons.length === 0,
      eligible,
      healthy: GATES.every((gate) => conditionOf(machine, gate.conditionType)?.status === 'True'),
    }
  }

  private async carryOut(step: ControlPlaneStep, controlPlane: ControlPlane, cluster: string, domain?: string) {
    const { env } = this
    const key = (name: string) => `${controlPlane.metadata.namespace}/${name}`
    if (step.do === 'create') await this.create(controlPlane, cluster, domain)
    if (step.do === 'delete') await env.store.delete(MACHINES, key(step.machine), AS.controlPlane)
    if (step.do === 'update') {
      const machine = env.store.get(MACHINES, key(step.machine)) as unknown as Machine
      await triggerInPlace(env, machine, this.desired(controlPlane, machine), AS.controlPlane)
    }
  }

  private template(controlPlane: ControlPlane) {
    const ref = controlPlane.spec.machineTemplate.spec.infrastructureRef
    const template = templateOf(this.env, controlPlane.metadata.namespace, ref)
    if (!template) throw new Error(`${ref.kind} ${ref.name} not found`)
    return template
  }

  private desired(controlPlane: ControlPlane, machine: Machine): DesiredMachine {
    return {
      version: controlPlane.spec.version,
      failureDomain: machine.spec.failureDomain,
      infrastructure: cloneOf(this.template(controlPlane), { labels: machine.metadata.labels }),
      // An updated machine has no initConfiguration any more: it is compared as one that joined.
      bootstrap: { spec: kubeadmConfigFor(controlPlane.spec.kubeadmConfigSpec, controlPlane.spec.version, false) },
    }
  }

  private async create(controlPlane: ControlPlane, cluster: string, failureDomain: string | undefined) {
    const { name, namespace, uid } = controlPlane.metadata
    const { metadata, spec } = controlPlane.spec.machineTemplate
    const initial =
      this.machines(controlPlane).length === 0 && !controlPlane.status?.initialization?.controlPlaneInitialized
    const { infrastructureRef: _ref, readinessGates, ...rest } = spec
    await createMachine(
      this.env,
      {
        name: `${name}-${suffix()}`,
        namespace,
        labels: {
          ...metadata?.labels,
          [LABEL.cluster]: cluster,
          [LABEL.controlPlane]: '',
          [LABEL.controlPlaneName]: name,
        },
        annotations: { ...metadata?.annotations, [ANNOTATION.kcpCleanup]: '' },
        owner: { apiVersion: CONTROL_PLANE, kind: 'KubeadmControlPlane', name, uid },
        spec: {
          ...rest,
          clusterName: cluster,
          version: controlPlane.spec.version,
          failureDomain,
          readinessGates: [...GATES, ...(readinessGates ?? [])],
        },
        infrastructureTemplate: this.template(controlPlane),
        bootstrap: { spec: kubeadmConfigFor(controlPlane.spec.kubeadmConfigSpec, controlPlane.spec.version, initial) },
      },
      AS.controlPlane,
    )
  }
}
