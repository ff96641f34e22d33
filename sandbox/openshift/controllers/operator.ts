import type { JsonObject } from '../../../lib/domain/json'
import { floorOf } from '../../../lib/domain/skew/floors'
import { releaseFacts } from '../../../lib/domain/skew/releases'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { items, text } from '../../../lib/providers/openshift/loose'
import { operatorSync, type OperatorGates, type OperatorSync } from '../../../lib/providers/openshift/operator-sync'
import { platformName } from '../../../lib/providers/openshift/platform-name'
import { readClusterVersion, readInfrastructure } from '../../../lib/providers/openshift/readers'
import { guardBootImages } from './admin-gates'
import { disruptionStatus } from './disruption'
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
  const clusterVersion = one(env, R.clusterVersions, 'version')
  const infrastructure = one(env, R.infrastructures, 'cluster')
  const sync = operatorSync(
    {
      machineConfiguration: configuration,
      infrastructure,
      clusterVersion,
      provisioning: one(env, R.provisionings, 'provisioning-configuration'),
      pools: all(env, R.pools),
    },
    gatesOf(clusterVersion, infrastructure),
  )
  if (sync.optsIn)
    await env.store.merge(
      R.configuration,
      'cluster',
      { metadata: { annotations: { [OPTED_IN]: timestamp() } } },
      AS.operator,
    )
  const status: JsonObject = {
    observedGeneration: configuration.metadata.generation ?? 0,
    nodeDisruptionPolicyStatus: disruptionStatus(configuration),
    ...(sync.mode && {
      bootImageSkewEnforcementStatus: {
        mode: sync.mode,
        automatic: sync.mode === 'Automatic' ? exactly(sync.recorded) : null,
        manual: sync.mode === 'Manual' ? exactly(sync.recorded) : null,
      },
    }),
    ...(sync.managers && { managedBootImagesStatus: { machineManagers: sync.managers as unknown as JsonObject[] } }),
  }
  await env.store.merge(R.configuration, 'cluster', { status }, AS.operator, 'status')
  await report(env, sync)
  await guardBootImages(env)
}

/** What its release does without a preview's feature set. */
function gatesOf(clusterVersion: KubeObject | undefined, infrastructure: KubeObject | undefined): OperatorGates {
  const { version } = readClusterVersion(clusterVersion)
  const facts = releaseFacts(version)
  const support = facts?.machineSets[platformName(readInfrastructure(infrastructure))]
  return {
    skew: floorOf(version) !== null,
    controlPlanes: !facts || facts.controlPlanes === 'opt-in',
    says: !facts || (facts.says && (support === 'on' || support === 'opt-in')),
    byDefault: !facts || support === 'on',
  }
}

/** A merge patch keeps what it does not name: the version that is not recorded any more is named as null. */
const exactly = (recorded: JsonObject): JsonObject => ({ ocpVersion: null, rhcosVersion: null, ...recorded })

/** ClusterOperator machine-config; the Cluster Version Operator makes ClusterVersion's condition of it. */
async function report(env: Env, { upgradeable: verdict, error }: OperatorSync): Promise<void> {
  const operator = one(env, R.operators, 'machine-config')
  const release = operator && text(items(operator, 'status', 'versions')[0], 'version')
  const degraded = error
    ? {
        status: 'True',
        reason: 'MachineConfigurationFailed',
        message: `Failed to resync ${release ?? ''} because: ${error}`,
      }
    : { status: 'False', reason: 'AsExpected', message: '' }
  const own =
    operator &&
    conditionsWith(operator, [
      { type: 'Degraded', ...degraded },
      { type: 'Upgradeable', ...verdict },
    ])
  if (own) await env.store.merge(R.operators, 'machine-config', { status: { conditions: own } }, AS.operator, 'status')
}
