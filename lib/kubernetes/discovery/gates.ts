import type { Capabilities, GateState, KindGates } from '@/lib/domain/capabilities'
import { KubeError, type KubeClient, type KubeObject } from '../types'
import type { Served } from './served'

/** The managers whose arguments tell the gates. InPlaceUpdates must be on in both, RuntimeSDK in the first. */
const MANAGERS = [
  { name: 'capi-controller-manager', namespace: 'capi-system' },
  { name: 'capi-kubeadm-control-plane-controller-manager', namespace: 'capi-kubeadm-control-plane-system' },
] as const

const HOOKS = ['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine']

interface Manager {
  name: string
  /** Pods of an older revision may still run, with other arguments. */
  rollingOut: boolean
  gates: Record<string, boolean>
  version: string | null
}

interface Container {
  name?: string
  image?: string
  args?: string[]
}

const ARGUMENT = '--feature-gates='
/** As Go's strconv.ParseBool reads it. */
const TRUE = ['1', 't', 'T', 'true', 'True', 'TRUE']

/** Also where it was made anew and its controller has not come to it, or made no Pod yet: old ones may be ending. */
function isRollingOut({ metadata, spec, status }: KubeObject): boolean {
  const { observedGeneration, replicas = 0, updatedReplicas = 0 } = (status ?? {}) as Record<string, number | undefined>
  if (observedGeneration === undefined || observedGeneration < (metadata.generation ?? 0)) return true
  return updatedReplicas < Math.max(replicas, Number(spec?.replicas ?? 1))
}

async function readManager(
  client: KubeClient,
  { name, namespace }: (typeof MANAGERS)[number],
): Promise<Manager | null> {
  try {
    const deployment = await client.get({ group: 'apps', version: 'v1', plural: 'deployments' }, name, namespace)
    const template = deployment.spec?.template as unknown as { spec?: { containers?: Container[] } } | undefined
    const container = template?.spec?.containers?.find((c) => c.name === 'manager')
    // The argument may be given more than once: each adds to those before.
    const gates = (container?.args ?? [])
      .filter((argument) => argument.startsWith(ARGUMENT))
      .flatMap((argument) => argument.slice(ARGUMENT.length).split(','))
      .filter(Boolean)
      .map((pair) => pair.split('='))
    return {
      name,
      rollingOut: isRollingOut(deployment),
      gates: Object.fromEntries(gates.map(([gate, value]) => [gate!.trim(), TRUE.includes(value?.trim() ?? '')])),
      version: /:(v\d+\.\d+\.\d+[^@]*)/.exec(container?.image ?? '')?.[1] ?? null,
    }
  } catch (error) {
    if (error instanceof KubeError && (error.code === 404 || error.code === 403)) return null
    throw error
  }
}

/** Both are alpha: what is not named goes by AllAlpha (component-base, featuregate). */
const isOn = (gates: Manager['gates'], gate: string): boolean => gates[gate] ?? gates.AllAlpha ?? false

function gateState(managers: (Manager | null)[], gate: string, from: number): GateState {
  const asked = managers.slice(0, from)
  if (asked.some((m) => m === null))
    return { state: 'unknown', how: `The Deployment ${MANAGERS[asked.indexOf(null)]!.name} cannot be read.` }
  const off = asked.find((m) => !isOn(m!.gates, gate))
  // Also while it is rolled out: the new one is without.
  if (off) {
    const how = `${off.name} runs without ${gate}=true in --feature-gates.`
    return { state: 'off', how, ...(off.rollingOut ? { rolling: true } : {}) }
  }
  const rolling = asked.find((m) => m!.rollingOut)
  if (rolling)
    return { state: 'unknown', how: `The Deployment ${rolling.name} is being rolled out: the old one may still run.` }
  return {
    state: 'on',
    how: `${asked.map((m) => m!.name).join(' and ')} ${asked.length > 1 ? 'run' : 'runs'} with ${gate}=true.`,
  }
}

/** Names of ExtensionConfigs whose handlers for all three update hooks are discovered. */
function registeredForUpdates(configs: KubeObject[]): string[] {
  return configs
    .filter((config) => {
      const status = config.status as
        | { handlers?: { requestHook?: { hook?: string } }[]; conditions?: { type: string; status: string }[] }
        | undefined
      const hooks = new Set(status?.handlers?.map((h) => h.requestHook?.hook))
      return (
        HOOKS.every((h) => hooks.has(h)) &&
        status?.conditions?.some((c) => c.type === 'Discovered' && c.status === 'True')
      )
    })
    .map((config) => config.metadata.name)
}

/** Feature gates for in-place updates and how they are known (Cluster API reads them from its managers' arguments only). */
export async function discoverGates(
  client: KubeClient,
  served: Pick<Served, 'resources'>,
): Promise<{ gates: Required<Capabilities['gates']>; coreVersion: string | null }> {
  const managers = await Promise.all(MANAGERS.map((m) => readManager(client, m)))
  const gates = {
    inPlaceUpdates: gateState(managers, 'InPlaceUpdates', 2),
    runtimeSdk: gateState(managers, 'RuntimeSDK', 1),
  }
  const version = served.resources['extensionconfigs.runtime.cluster.x-k8s.io']
  if (gates.runtimeSdk.state === 'unknown' && version) {
    const page = await client
      .list({ group: 'runtime.cluster.x-k8s.io', version, plural: 'extensionconfigs' }, undefined, { limit: 100 })
      .catch(() => null)
    const names = registeredForUpdates(page?.items ?? [])
    // Only a manager with RuntimeSDK discovers an ExtensionConfig, and only one of 1.12 or later knows these hooks.
    if (names.length > 0)
      gates.runtimeSdk = {
        state: 'on',
        how: `The ExtensionConfig ${names.join(', ')} is discovered, which only RuntimeSDK does.`,
      }
  }
  const core = gateState(managers, 'InPlaceUpdates', 1)
  const ofKind: KindGates = {
    MachineDeployment: [core, gates.runtimeSdk],
    KubeadmControlPlane: [gates.inPlaceUpdates, gates.runtimeSdk],
  }
  return { gates: { ...gates, ofKind }, coreVersion: managers[0]?.version ?? null }
}
