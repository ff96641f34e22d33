import { configMatches } from '../../lib/domain/changes/kubeadm'
import type { JsonObject } from '../../lib/domain/json'
import type { Env } from './env'
import type { ControlPlane, Machine, MachineDeployment, MachineSet, Template } from './kinds'
import { ANNOTATION, CONFIGS, CONTROL_PLANES, DEV_MACHINES, MACHINE_DEPLOYMENTS, MACHINE_SETS } from './names'

const controller = (object: { metadata: { ownerReferences?: Machine['metadata']['ownerReferences'] } }) =>
  object.metadata.ownerReferences?.find((ref) => ref.controller)

/** Why a machine is not up to date; empty where it is, undefined where nobody says what it should be. */
export function outdatedReasons(env: Env, machine: Machine): string[] | undefined {
  const owner = controller(machine)
  const { namespace } = machine.metadata
  if (owner?.kind === 'MachineSet') {
    const set = env.store.get(MACHINE_SETS, `${namespace}/${owner.name}`) as unknown as MachineSet | undefined
    const deployment = set && controller(set)
    if (!set || deployment?.kind !== 'MachineDeployment') return undefined
    const wanted = env.store.get(MACHINE_DEPLOYMENTS, `${namespace}/${deployment.name}`) as unknown as
      MachineDeployment | undefined
    return wanted && setReasons(set, wanted)
  }
  if (owner?.kind === 'KubeadmControlPlane') {
    const wanted = env.store.get(CONTROL_PLANES, `${namespace}/${owner.name}`) as unknown as ControlPlane | undefined
    return wanted && controlPlaneReasons(env, machine, wanted).reasons
  }
  return undefined
}

/** Templates are compared by reference: editing one in place triggers nothing. */
export function templateReasons(have: Template, want: Template): string[] {
  const a = have.spec
  const b = want.spec
  const reasons: string[] = []
  if (a.version !== b.version) reasons.push(`Version ${a.version ?? ''}, ${b.version ?? ''} required`)
  if (a.failureDomain !== b.failureDomain)
    reasons.push(`Failure domain ${a.failureDomain ?? ''}, ${b.failureDomain ?? ''} required`)
  const refs = [
    [a.bootstrap.configRef, b.bootstrap.configRef],
    [a.infrastructureRef, b.infrastructureRef],
  ] as const
  for (const [x, y] of refs) {
    if (x?.name === y?.name && x?.kind === y?.kind && x?.apiGroup === y?.apiGroup) continue
    reasons.push(`${(x ?? y)?.kind.replace(/Template$/, '')} is not up-to-date`)
  }
  if (!b.bootstrap.configRef && a.bootstrap.dataSecretName !== b.bootstrap.dataSecretName) {
    reasons.push(
      `spec.bootstrap.dataSecretName ${a.bootstrap.dataSecretName ?? ''}, ${b.bootstrap.dataSecretName ?? ''} required`,
    )
  }
  return reasons
}

/** rollout.after has passed, and this was there before. */
export function expired(created: string, after: string | undefined) {
  if (!after) return false
  const at = Date.parse(after)
  return at <= Date.now() && Date.parse(created) < at
}

function setReasons(set: MachineSet, deployment: MachineDeployment): string[] {
  const reasons = templateReasons(set.spec.template, deployment.spec.template)
  if (expired(set.metadata.creationTimestamp, deployment.spec.rollout?.after)) {
    reasons.push('MachineDeployment spec.rolloutAfter expired')
  }
  return reasons
}

/** `eligible`: an update in place could change all of it. */
export function controlPlaneReasons(env: Env, machine: Machine, wanted: ControlPlane) {
  const { namespace } = machine.metadata
  const reasons: string[] = []
  if (machine.spec.version !== wanted.spec.version) {
    reasons.push(`Version ${machine.spec.version ?? ''}, ${wanted.spec.version} required`)
  }
  const config = env.store.get(CONFIGS, `${namespace}/${machine.spec.bootstrap.configRef?.name}`)
  const wantedConfig = (wanted.spec.kubeadmConfigSpec ?? {}) as JsonObject
  if (config && !configMatches(config.spec ?? {}, wantedConfig, wanted.spec.version)) {
    reasons.push('KubeadmConfig is not up-to-date')
  }
  const infrastructure = env.store.get(DEV_MACHINES, `${namespace}/${machine.spec.infrastructureRef.name}`)
  const from = infrastructure?.metadata.annotations
  const ref = wanted.spec.machineTemplate.spec.infrastructureRef
  const cloned = from?.[ANNOTATION.clonedFromName]
  if (
    cloned !== undefined &&
    (cloned !== ref.name || from?.[ANNOTATION.clonedFromKind] !== `${ref.kind}.${ref.apiGroup}`)
  ) {
    reasons.push(`${ref.kind.replace(/Template$/, '')} is not up-to-date`)
  }
  const certain = expired(machine.metadata.creationTimestamp, wanted.spec.rollout?.after)
  if (certain) reasons.push('KubeadmControlPlane spec.rolloutAfter expired')
  const annotations = machine.metadata.annotations ?? {}
  const marked = ANNOTATION.deleteMachine in annotations || ANNOTATION.remediate in annotations
  return { reasons, eligible: reasons.length > 0 && !certain && !marked }
}
