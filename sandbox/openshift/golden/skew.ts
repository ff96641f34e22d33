import { isObject } from '../../../lib/domain/changes'
import type { JsonObject } from '../../../lib/domain/json'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { operatorSync } from '../../../lib/providers/openshift/operator-sync'
import { skewRows } from '../../../lib/providers/openshift/skew-rows'
import { differs, TableError, whole, type Exception, type Played } from './table'

export interface SkewRow {
  id: string
  in: {
    gates: string[]
    infrastructure: JsonObject
    machineConfiguration: JsonObject
    clusterVersion?: JsonObject
    provisioning?: JsonObject
    pools?: Record<string, string>[]
  }
  out: {
    mode: string | null
    recorded: JsonObject | null
    managedBootImagesStatus: JsonObject | null
    optedInAnnotation: boolean
    operatorSyncError?: string
    upgradeable: { status: string; reason: string; message: string }
  }
}

/** Where Drydock's verdict is another one than the operator's, and why. */
export const HIDDEN_BY_POOL: Exception = {
  name: 'hidden by a pool',
  reason:
    'The operator reports a pool instead of the skew; Drydock says both, for the skew stays when the pool is repaired.',
}

const POOL_REASONS = ['DegradedPool', 'InterruptedBuild']
const CLOSED = ['out-of-skew', 'update-failing']

function poolOf(conditions: unknown, i: number): KubeObject {
  if (!isObject(conditions)) throw new TableError(`in.pools[${i}] is not an object of conditions`)
  return whole('MachineConfigPool', `pool-${i}`, {
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  })
}

/** One sync of the operator by our rules, and then what Drydock tells people, against what the operator's own code answered. */
export function playSkewRow(row: SkewRow): Played {
  const given = row.in
  if (!given?.machineConfiguration || !row.out) throw new TableError('it has no MachineConfiguration or no answer')
  const machineConfiguration = whole('MachineConfiguration', 'cluster', given.machineConfiguration)
  const infrastructure = whole('Infrastructure', 'cluster', given.infrastructure)
  const clusterVersion = given.clusterVersion && whole('ClusterVersion', 'version', given.clusterVersion)
  const gates = {
    skew: given.gates.includes('BootImageSkewEnforcement'),
    controlPlanes: given.gates.includes('ManagedBootImagesCPMS'),
  }
  const sync = operatorSync(
    {
      machineConfiguration,
      infrastructure,
      clusterVersion,
      provisioning: given.provisioning && whole('Provisioning', 'provisioning-configuration', given.provisioning),
      pools: (given.pools ?? []).map(poolOf),
    },
    gates,
  )
  const { upgradeable, ...rest } = row.out
  const difference = differs(
    { ...rest, upgradeable },
    {
      mode: sync.mode,
      recorded: Object.keys(sync.recorded).length ? sync.recorded : null,
      managedBootImagesStatus: sync.managers ? { machineManagers: sync.managers } : null,
      optedInAnnotation: sync.optsIn,
      operatorSyncError: sync.error,
      upgradeable: sync.upgradeable,
    },
  )
  if (difference) return { id: row.id, difference, exceptions: [] }
  return { id: row.id, ...verdict(row, machineConfiguration, infrastructure, clusterVersion, gates.skew) }
}

/** Drydock closes updates exactly where the operator does, but for a pool that stands in front of the skew. */
function verdict(
  row: SkewRow,
  before: KubeObject,
  infrastructure: KubeObject,
  clusterVersion: KubeObject | undefined,
  supported: boolean,
): Pick<Played, 'difference' | 'exceptions'> {
  const { mode, recorded, upgradeable } = row.out
  const part = mode === 'Manual' ? 'manual' : 'automatic'
  const status = {
    ...(before.status as JsonObject),
    // What a release before left there: without the gate the API server has no such field, and shows none.
    bootImageSkewEnforcementStatus: supported && mode ? { mode, [part]: recorded } : null,
    managedBootImagesStatus: row.out.managedBootImagesStatus,
  }
  const { judgement } = skewRows(
    {
      machineConfiguration: { ...before, status } as KubeObject,
      machineSets: [],
      controlPlanes: [],
      configMap: undefined,
      clusterVersion,
      infrastructure,
      operator: undefined,
    },
    supported,
  )
  const ours = CLOSED.includes(judgement.verdict)
  if (ours && POOL_REASONS.includes(upgradeable.reason)) return { exceptions: [HIDDEN_BY_POOL] }
  const theirs = upgradeable.reason === 'ClusterBootImageSkewError'
  const words = (closed: boolean) => (closed ? 'closed for boot images' : 'open for boot images')
  return {
    difference: differs(words(theirs), words(ours), `verdict (${judgement.verdict})`),
    exceptions: [],
  }
}
