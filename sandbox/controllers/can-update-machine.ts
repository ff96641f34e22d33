import { bootstrapPart } from '../../lib/domain/changes/kubeadm'
import type { Env } from './env'
import { decides, forHook, MACHINE_NAMES, mergePatch } from './hooks/decide'
import type { DesiredMachine } from './in-place'
import { json, type Machine } from './kinds'
import { CONFIGS, DEV_MACHINES } from './names'

/** Asks whether a control plane machine can become the wanted one in place. */
export async function canUpdateMachine(
  { store, hooks }: Env,
  machine: Machine,
  wanted: DesiredMachine,
): Promise<boolean> {
  const { namespace = '' } = machine.metadata
  const infrastructure = store.get(DEV_MACHINES, `${namespace}/${machine.spec.infrastructureRef.name}`)
  const config = store.get(CONFIGS, `${namespace}/${machine.spec.bootstrap.configRef?.name}`)
  if (!infrastructure || !config) return false
  const now = {
    machine: forHook(machine),
    infrastructureMachine: forHook(infrastructure),
    bootstrapConfig: forHook(config),
  }
  const current = {
    ...now,
    bootstrapConfig: { ...now.bootstrapConfig, spec: bootstrapPart(config.spec ?? {}) },
  }
  const desired = {
    machine: mergePatch(now.machine, { spec: { version: wanted.version ?? null } }),
    infrastructureMachine: {
      ...now.infrastructureMachine,
      metadata: mergePatch(now.infrastructureMachine.metadata, {
        annotations: json(wanted.infrastructure.annotations),
      }),
      spec: {
        ...wanted.infrastructure.spec,
        ...(infrastructure.spec?.providerID ? { providerID: infrastructure.spec.providerID } : {}),
      },
    },
    bootstrapConfig: { ...now.bootstrapConfig, spec: bootstrapPart(wanted.bootstrap?.spec ?? {}) },
  }
  const answer = await hooks.ask('CanUpdateMachine', namespace, json({ current, desired }))
  return answer !== undefined && decides(MACHINE_NAMES, json(current), json(desired), answer)
}
