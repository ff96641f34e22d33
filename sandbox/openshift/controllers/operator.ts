import { effectiveManagers, effectiveSkew, optsInByItself } from '../../../lib/domain/skew/effective'
import { floorOf } from '../../../lib/domain/skew/floors'
import type { JsonObject } from '../../../lib/domain/json'
import { upgradeable, type Upgradeable } from '../../../lib/domain/skew/upgradeable'
import {
  conditionsOf,
  readClusterVersion,
  readInfrastructure,
  readSkewState,
} from '../../../lib/providers/openshift/readers'
import { all, AS, conditionsWith, one, R, timestamp, type Env } from './env'

const OPTED_IN = 'machineconfiguration.openshift.io/boot-image-updates-opted-in-at'

/** One sync of the Machine Config Operator: effective configuration and mode into status, then whether updates are open. */
export async function syncOperator(env: Env): Promise<void> {
  const configuration = one(env, R.configuration, 'cluster')
  if (!configuration) {
    const body = { apiVersion: 'operator.openshift.io/v1', kind: 'MachineConfiguration', metadata: { name: 'cluster' } }
    await env.store.create(R.configuration, { ...body, spec: { managementState: 'Managed' } }, AS.operator)
    return
  }
  const state = readSkewState(configuration, true)
  const version = readClusterVersion(one(env, R.clusterVersions, 'version'))
  const platform = { ...readInfrastructure(one(env, R.infrastructures, 'cluster')), provisioningUrl: false }
  const before = { mode: state.mode, recorded: state.recorded }
  const skew = effectiveSkew({ spec: state.spec, managers: state.managers, platform, history: version.history, before })
  const managers = effectiveManagers(state.managers, platform, state.effectiveManagers)
  if (optsInByItself(state.managers, platform, state.effectiveManagers))
    await env.store.merge(
      R.configuration,
      'cluster',
      { metadata: { annotations: { [OPTED_IN]: timestamp() } } },
      AS.operator,
    )
  const status: JsonObject = {
    observedGeneration: state.generation,
    bootImageSkewEnforcementStatus: {
      mode: skew.mode,
      automatic: skew.mode === 'Automatic' ? exactly({ ...skew.recorded }) : null,
      manual: skew.mode === 'Manual' ? exactly({ ...skew.recorded }) : null,
    },
    ...(managers && { managedBootImagesStatus: { machineManagers: managers as unknown as JsonObject[] } }),
  }
  await env.store.merge(R.configuration, 'cluster', { status }, AS.operator, 'status')
  const pools = all(env, R.pools).map((pool) => {
    const is = (type: string) => conditionsOf(pool).some((c) => c.type === type && c.status === 'True')
    return { degraded: is('Degraded'), interrupted: is('BuildInterrupted') }
  })
  const now = readSkewState(one(env, R.configuration, 'cluster') ?? configuration, true)
  const floor = floorOf(version.version) ?? { ocp: '0.0.0', rhel: '0.0', source: 'table' as const }
  await report(
    env,
    upgradeable({
      mode: now.mode,
      recorded: now.recorded,
      conditions: now.conditions,
      floor,
      newest: version.newest,
      pools,
    }),
  )
}

/** A merge patch keeps what it does not name: the version that is not recorded any more is named as null. */
const exactly = (recorded: JsonObject): JsonObject => ({ ocpVersion: null, rhcosVersion: null, ...recorded })

/** ClusterOperator machine-config first; the cluster version operator repeats it up to 4.22 with a few words in front. */
async function report(env: Env, verdict: Upgradeable): Promise<void> {
  const operator = one(env, R.operators, 'machine-config')
  const own = operator && conditionsWith(operator, [{ type: 'Upgradeable', ...verdict }])
  if (own) await env.store.merge(R.operators, 'machine-config', { status: { conditions: own } }, AS.operator, 'status')
  const version = one(env, R.clusterVersions, 'version')
  if (!version) return
  if (verdict.status === 'True') {
    const kept = ((version.status?.conditions ?? []) as JsonObject[]).filter((c) => c.type !== 'Upgradeable')
    if (kept.length === ((version.status?.conditions ?? []) as JsonObject[]).length) return
    await env.store.merge(R.clusterVersions, 'version', { status: { conditions: kept } }, AS.version, 'status')
    return
  }
  const message = `Cluster operator machine-config should not be upgraded between minor versions: ${verdict.message}`
  const repeated = conditionsWith(version, [{ type: 'Upgradeable', status: 'False', reason: verdict.reason, message }])
  if (repeated)
    await env.store.merge(R.clusterVersions, 'version', { status: { conditions: repeated } }, AS.version, 'status')
}
