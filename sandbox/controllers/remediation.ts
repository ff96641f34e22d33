import { conditionOf, condition, isTrue, patchConditions, type Wanted } from './conditions'
import { AS, type Env } from './env'
import { keyOf, type Machine, type MachineDeployment, type MachineSet } from './kinds'
import { ANNOTATION, LABEL, MACHINE_DEPLOYMENTS, MACHINES } from './names'

/** Found ill, and its owner is to see to it (machine_filters.go, IsUnhealthyAndOwnerRemediated). */
export const isMarked = (machine: Machine) =>
  ['HealthCheckSucceeded', 'OwnerRemediated'].every((type) => conditionOf(machine, type)?.status === 'False')

const owner = (reason: string, message: string) => condition('OwnerRemediated', false, reason, message)
const DELETING = owner('MachineDeleting', 'Machine is deleting')

/** Writes what the owner has to say on it; null: nothing any more. */
async function say(env: Env, machine: Machine, said: Wanted | null, as: typeof AS.core) {
  const now = env.store.get(MACHINES, keyOf(machine)) as unknown as Machine | undefined
  if (!now) return
  const { conditions: old = [] } = now.status ?? {}
  const conditions = said
    ? patchConditions(old, [said], now.metadata.generation)
    : old.filter(({ type }) => type !== 'OwnerRemediated')
  if (JSON.stringify(conditions) === JSON.stringify(old)) return
  await env.store.merge(MACHINES, keyOf(machine), { status: { conditions } }, as, 'status')
}

async function cleanUp(env: Env, machines: Machine[], as: typeof AS.core) {
  for (const m of machines) {
    const stale = isTrue(m, 'HealthCheckSucceeded') && conditionOf(m, 'OwnerRemediated')?.status === 'False'
    if (stale && !m.metadata.deletionTimestamp) await say(env, m, null, as)
  }
}

/** machineset_controller.go, reconcileUnhealthyMachines; without spec.remediation.maxInFlight. */
export async function remediateSet(
  env: Env,
  set: MachineSet,
  machines: Machine[],
  preflight: () => string | undefined,
): Promise<void> {
  await cleanUp(env, machines, AS.machineSet)
  const ill = machines.filter((m) => isMarked(m) && !m.metadata.deletionTimestamp)
  if (ill.length === 0) return
  const name = set.metadata.labels?.[LABEL.deployment]
  const deployment = name
    ? (env.store.get(MACHINE_DEPLOYMENTS, `${set.metadata.namespace}/${name}`) as unknown as
        MachineDeployment | undefined)
    : undefined
  const revision = (object: MachineSet | MachineDeployment) => object.metadata.annotations?.[ANNOTATION.revision]
  const old = deployment !== undefined && revision(deployment) !== revision(set)
  const blocked = old ? undefined : preflight()
  const said = old
    ? owner('CannotBeRemediated', "Machine won't be remediated because it is pending removal due to rollout")
    : blocked
      ? owner('RemediationDeferred', `* ${blocked}`)
      : DELETING
  for (const m of ill) {
    await say(env, m, said, AS.machineSet)
    if (said === DELETING) await env.store.delete(MACHINES, keyOf(m), AS.machineSet)
  }
}

/**
 * kubeadmcontrolplane/remediation.go, reconcileUnhealthyMachines, without limits of retries: true where it did something, and the
 * rollout waits. It may go in the middle of an update in place.
 */
export async function remediateControlPlane(env: Env, machines: Machine[]): Promise<boolean> {
  await cleanUp(env, machines, AS.controlPlane)
  const ill = machines.filter(isMarked)
  const oldest = [...ill].sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1))
  const [machine] = oldest.sort(
    (a, b) => Number(a.status?.nodeRef !== undefined) - Number(b.status?.nodeRef !== undefined),
  )
  if (!machine || machine.metadata.deletionTimestamp) return false
  const why = refusal(machines, machine)
  await say(env, machine, why ?? DELETING, AS.controlPlane)
  if (!why) await env.store.delete(MACHINES, keyOf(machine), AS.controlPlane)
  return true
}

function refusal(machines: Machine[], machine: Machine): Wanted | undefined {
  if (machines.length <= 1)
    return owner('CannotBeRemediated', "KubeadmControlPlane can't remediate if current replicas are less or equal to 1")
  const others = machines.filter((m) => m !== machine)
  const waiting = 'KubeadmControlPlane waiting for control plane Machine'
  if (others.some((m) => !m.status?.nodeRef && !isMarked(m)))
    return owner('RemediationDeferred', `${waiting} provisioning to complete before triggering remediation`)
  if (others.some((m) => m.metadata.deletionTimestamp))
    return owner('RemediationDeferred', `${waiting} deletion to complete before triggering remediation`)
  const well = others.filter((m) => !isMarked(m)).length
  if (well >= Math.floor(others.length / 2) + 1) return undefined
  const lost = 'this could result in loosing Kubernetes control plane components or in etcd quorum loss'
  return owner('CannotBeRemediated', `KubeadmControlPlane can't remediate this Machine because ${lost}`)
}
