import { withoutSecrets } from '@/lib/domain/changes/secrets'
import type {
  Condition,
  HistoryEntry,
  Managers,
  Platform,
  Recorded,
  SkewMode,
  SkewSpec,
  SkewState,
} from '@/lib/domain/skew/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, count, items, text } from './loose'

export const MACHINE_CONFIGURATION = { group: 'operator.openshift.io', version: 'v1', plural: 'machineconfigurations' }

export function conditionsOf(object: KubeObject | undefined): Condition[] {
  return items(object, 'status', 'conditions').flatMap((c) => {
    const [type, status] = [text(c, 'type'), text(c, 'status')]
    if (!type || !status) return []
    return [
      {
        type,
        status,
        reason: text(c, 'reason'),
        message: withoutSecrets(text(c, 'message') ?? '') || undefined,
        lastTransitionTime: text(c, 'lastTransitionTime'),
      },
    ]
  })
}

const managersOf = (object: KubeObject | undefined, ...path: string[]): Managers => {
  const list = at(object, ...path, 'machineManagers')
  return Array.isArray(list) ? (list as unknown as Managers) : undefined
}

/** MachineConfiguration/cluster, as the skew rules see it. `supported`: the served schema has the stanza. */
export function readSkewState(object: KubeObject, supported: boolean): SkewState {
  const status = at(object, 'status', 'bootImageSkewEnforcementStatus')
  const mode = text(status, 'mode')
  const part = mode === 'Automatic' ? 'automatic' : 'manual'
  const recorded: Recorded = {}
  const [ocp, rhcos] = [text(status, part, 'ocpVersion'), text(status, part, 'rhcosVersion')]
  if (ocp) recorded.ocpVersion = ocp
  if (rhcos) recorded.rhcosVersion = rhcos
  return {
    supported,
    spec: (at(object, 'spec', 'bootImageSkewEnforcement') as unknown as SkewSpec | undefined) ?? null,
    mode: mode === 'Automatic' || mode === 'Manual' || mode === 'None' ? (mode satisfies SkewMode) : null,
    recorded,
    managers: managersOf(object, 'spec', 'managedBootImages'),
    effectiveManagers: managersOf(object, 'status', 'managedBootImagesStatus'),
    conditions: conditionsOf(object),
    generation: object.metadata.generation ?? 0,
    observedGeneration: count(object, 'status', 'observedGeneration'),
  }
}

export interface ClusterVersionFacts {
  /** Newest completed version, which is what the cluster runs; else what it works towards. */
  version: string | null
  history: (HistoryEntry & { completionTime?: string | null; startedTime?: string })[]
  /** Newest entry of the history, also when it is not complete. */
  newest: string | undefined
  updating: boolean
  multiArch: boolean
  conditions: Condition[]
}

export function readClusterVersion(object: KubeObject | undefined): ClusterVersionFacts {
  const history = items(object, 'status', 'history').map((h) => ({
    state: text(h, 'state'),
    version: text(h, 'version'),
    startedTime: text(h, 'startedTime'),
    completionTime: text(h, 'completionTime') ?? null,
  }))
  const completed = history.find((h) => h.state === 'Completed')?.version
  return {
    version: completed ?? text(object, 'status', 'desired', 'version') ?? null,
    history,
    newest: history[0]?.version,
    updating: history[0]?.state === 'Partial',
    multiArch: text(object, 'status', 'desired', 'architecture') === 'Multi',
    conditions: conditionsOf(object),
  }
}

export interface InfrastructureFacts extends Platform {
  name: string | null
}

export function readInfrastructure(object: KubeObject | undefined): InfrastructureFacts {
  return {
    name: text(object, 'status', 'infrastructureName') ?? null,
    type: text(object, 'status', 'platformStatus', 'type') ?? '',
    azureStack: text(object, 'status', 'platformStatus', 'azure', 'cloudName') === 'AzureStackCloud',
    topology: text(object, 'status', 'controlPlaneTopology') ?? '',
  }
}

/** Whether bare metal still starts from an image of its own; an address that is no text is taken for one, as the operator does. */
export function readProvisioningUrl(provisioning: KubeObject | undefined): boolean {
  const url = at(provisioning, 'spec', 'provisioningOSDownloadURL')
  return url !== undefined && url !== ''
}

/** ClusterOperator machine-config: what the operator itself says about updates. */
export function readUpgradeable(object: KubeObject | undefined): Condition | undefined {
  return conditionsOf(object).find((c) => c.type === 'Upgradeable')
}
