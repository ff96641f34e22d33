import type { JsonObject } from '../../lib/domain/json'
import { ago, renderedName, type World } from './machines'
import { renderedSpec } from './rendered'
import { seed, type Seed } from './seed'

const API = 'machineconfiguration.openshift.io/v1'
const PREFIX = 'machineconfiguration.openshift.io/'
const PAUSED_DAYS = 96

/** Pools by name with how many nodes they have: the last one somebody paused long ago, and a config waits for it. */
export function poolSeeds(world: World, counts: { master: number; worker: number; gpu: number }): Seed[] {
  return [
    ...pool(world, 'master', counts.master, { maxUnavailable: 1 }),
    ...pool(world, 'worker', counts.worker, { maxUnavailable: 2 }),
    ...pool(world, 'gpu', counts.gpu, { maxUnavailable: '25%', paused: true }),
  ]
}

interface Plan {
  maxUnavailable: number | string
  paused?: boolean
}

function pool(world: World, name: string, machines: number, { maxUnavailable, paused = false }: Plan): Seed[] {
  const [has, wants] = [renderedName(world.cluster, name, 1), renderedName(world.cluster, name, paused ? 2 : 1)]
  const at = ago(world, 20)
  const condition = (type: string, status: string, message = ''): JsonObject => ({
    ...{ type, status, message, reason: '', lastTransitionTime: at },
  })
  const updated = paused ? 0 : machines
  const custom = name !== 'master' && name !== 'worker'
  return [
    config(world, has, paused ? '4.21.14' : world.release, 1),
    ...(paused ? [config(world, wants, world.release, 2)] : []),
    seed('machineconfigpools.machineconfiguration.openshift.io', world.cluster, {
      apiVersion: API,
      kind: 'MachineConfigPool',
      name,
      labels: {
        [`pools.operator.machineconfiguration.openshift.io/${name}`]: '',
        ...(name === 'master' && { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' }),
      },
      createdAt: world.installedAt,
      ...(paused && {
        writtenBy: {
          manager: 'kubectl-patch',
          at: ago(world, PAUSED_DAYS),
          fields: { 'f:spec': { 'f:paused': {} } },
        },
      }),
      spec: {
        configuration: { name: wants },
        machineConfigSelector: custom
          ? { matchExpressions: [{ key: `${PREFIX}role`, operator: 'In', values: ['worker', name] }] }
          : { matchLabels: { [`${PREFIX}role`]: name } },
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
        maxUnavailable,
        paused,
      },
      status: {
        observedGeneration: 1,
        configuration: { name: has },
        machineCount: machines,
        updatedMachineCount: updated,
        readyMachineCount: updated,
        unavailableMachineCount: 0,
        degradedMachineCount: 0,
        certExpirys: certificates(world),
        conditions: [
          condition(
            'Updated',
            paused ? 'False' : 'True',
            paused ? '' : `All nodes are updated with MachineConfig ${wants}`,
          ),
          condition('Updating', 'False', paused ? `Pool is paused; will not update to MachineConfig ${wants}` : ''),
          condition('Degraded', 'False'),
          condition('NodeDegraded', 'False'),
          condition('RenderDegraded', 'False'),
        ],
      },
    }),
  ]
}

const config = (world: World, name: string, release: string, round: number): Seed =>
  seed('machineconfigs.machineconfiguration.openshift.io', world.cluster, {
    apiVersion: API,
    kind: 'MachineConfig',
    name,
    annotations: { [`${PREFIX}release-image-version`]: release },
    createdAt: ago(world, 20),
    spec: renderedSpec(release, round),
  })

/** Signers that the nodes trust: one of ten years, and one of a year that is rotated before long. */
const certificates = (world: World): JsonObject[] =>
  (
    [
      ['CN=admin-kubeconfig-signer,OU=openshift', 2370],
      ['CN=kube-apiserver-to-kubelet-signer,OU=openshift', 52],
    ] as const
  ).map(([subject, days]) => ({ bundle: 'KubeAPIServerServingCAData', subject, expiry: ago(world, -days) }))
