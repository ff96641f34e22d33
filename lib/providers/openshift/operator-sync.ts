import { effectiveManagers, effectiveSkew, optsInByItself } from '@/lib/domain/skew/effective'
import { floorInForce } from '@/lib/domain/skew/floors'
import { conditionOf, type Managers, type SkewMode } from '@/lib/domain/skew/types'
import { upgradeable, type Upgradeable } from '@/lib/domain/skew/upgradeable'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at } from './loose'
import { conditionsOf, readClusterVersion, readInfrastructure, readProvisioningUrl, readSkewState } from './readers'

export interface OperatorObjects {
  machineConfiguration: KubeObject
  infrastructure: KubeObject | undefined
  clusterVersion: KubeObject | undefined
  /** metal3 Provisioning/provisioning-configuration, which only bare metal has */
  provisioning?: KubeObject
  pools: readonly KubeObject[]
}

export interface OperatorGates {
  skew: boolean
  controlPlanes: boolean
  /** It writes which machine sets it manages into status; before 4.19 it does not, and manages what spec names. */
  says?: boolean
  /** Before 4.22 machine sets of some platforms are managed only where that is chosen. */
  byDefault?: boolean
}

export interface OperatorSync {
  managers: Managers
  mode: SkewMode | null
  /** the part of status beside the mode */
  recorded: JsonObject
  /** Whether it opts the cluster in by itself, which it notes in an annotation. */
  optsIn: boolean
  /** Why its sync fails, which makes ClusterOperator/machine-config Degraded. */
  error: string | null
  upgradeable: Upgradeable
}

const ALL_GATES: OperatorGates = { skew: true, controlPlanes: true }

const filled = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''))

/** Without the gate the operator neither reads nor writes the mode: what a release before left there stays. */
const leftOver = (machineConfiguration: KubeObject, mode: SkewMode | null): JsonObject => {
  const part = mode === 'Manual' ? 'manual' : 'automatic'
  return { ...(at(machineConfiguration, 'status', 'bootImageSkewEnforcementStatus', part) as JsonObject) }
}

/** What one sync of the Machine Config Operator makes of a cluster's objects. */
export function operatorSync(objects: OperatorObjects, gates = ALL_GATES): OperatorSync {
  const state = readSkewState(objects.machineConfiguration, gates.skew)
  const version = readClusterVersion(objects.clusterVersion)
  const platform = {
    ...readInfrastructure(objects.infrastructure),
    provisioningUrl: readProvisioningUrl(objects.provisioning),
  }
  const { managers: spec, effectiveManagers: before, conditions, mode, recorded } = state
  const skew = gates.skew
    ? effectiveSkew({
        spec: state.spec,
        managers: spec,
        platform,
        history: version.history,
        before: { mode, recorded },
      })
    : { mode, recorded: leftOver(objects.machineConfiguration, mode) }
  const degraded = conditionOf(conditions, 'BootImageUpdateDegraded')
  return {
    managers:
      gates.says === false
        ? undefined
        : effectiveManagers(spec, platform, before, gates.controlPlanes, gates.byDefault === false ? 'None' : 'All'),
    mode: skew.mode,
    recorded: filled(skew.recorded as JsonObject),
    optsIn: gates.says !== false && gates.byDefault !== false && optsInByItself(spec, platform, before),
    error: degraded?.status === 'True' ? `bootimage update failed: ${degraded.message ?? ''}` : null,
    upgradeable: upgradeable({
      mode: skew.mode,
      recorded: skew.recorded,
      conditions,
      floor: floorInForce(version.version, version.newest, skew.mode),
      newest: version.newest,
      pools: objects.pools.map((pool) => {
        const is = (type: string) => conditionOf(conditionsOf(pool), type)?.status === 'True'
        return { degraded: is('Degraded'), interrupted: is('BuildInterrupted') }
      }),
      enforced: gates.skew,
    }),
  }
}
