import { fenceposts } from '../../lib/domain/rollout'
import { condition, setConditions } from './conditions'
import { AS, NOT_PAUSED, writeStatus, type Env } from './env'
import type { Machine, MachineDeployment } from './kinds'
import { strategyOf } from './machine-deployment'
import { LABEL, MACHINES, MACHINE_DEPLOYMENTS } from './names'
import {
  counters,
  deletingCondition,
  machinesReady,
  machinesUpToDate,
  notRemediating,
  rollingOut,
  scaling,
} from './summaries'

export async function deploymentStatus(env: Env, key: string, observed: boolean) {
  const deployment = env.store.get(MACHINE_DEPLOYMENTS, key) as unknown as MachineDeployment | undefined
  if (!deployment) return
  const sets = env.cache.setsOf(deployment)
  const machines = sets.flatMap((set) => env.cache.owned<Machine>(MACHINES, set.metadata.uid))
  const count = counters(machines)
  const replicas = deployment.spec.replicas ?? 1
  const { unavailable } = fenceposts(strategyOf(deployment), replicas)
  const floor = replicas - unavailable
  const conditions = [
    count.availableReplicas >= floor
      ? condition('Available', true, 'Available')
      : condition(
          'Available',
          false,
          'NotAvailable',
          `${count.availableReplicas} available replicas, at least ${floor} required (spec.strategy.rollout.maxUnavailable is ${unavailable}, spec.replicas is ${replicas})`,
        ),
    rollingOut(machines),
    notRemediating,
    ...scaling(machines.length, replicas),
    machinesReady(machines),
    machinesUpToDate(machines),
    NOT_PAUSED,
    deletingCondition(deployment),
  ]
  const phase = machines.length < replicas ? 'ScalingUp' : machines.length > replicas ? 'ScalingDown' : 'Running'
  const generation = observed ? deployment.metadata.generation : (deployment.status?.observedGeneration ?? 0)
  const { name } = deployment.metadata
  const status = {
    ...count,
    conditions: setConditions(deployment.status?.conditions, conditions, generation),
    observedGeneration: generation,
    phase,
    selector: `${LABEL.cluster}=${deployment.spec.clusterName},${LABEL.deployment}=${name}`,
  }
  await writeStatus(env, MACHINE_DEPLOYMENTS, deployment, status, AS.core)
}
