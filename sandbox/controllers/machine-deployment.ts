import {
  planRollout,
  questions,
  fenceposts,
  type RolloutPlan,
  type RolloutState,
  type RolloutStrategy,
  type SetPlan,
} from '../../lib/domain/rollout'
import { createHash } from 'node:crypto'
import { AS, heldByPause, suffix, type Env } from './env'
import { canUpdateSet, type AnswerCache } from './can-update-set'
import { has, isUpdating, json, keyOf, listed, type Machine, type MachineDeployment, type MachineSet } from './kinds'
import { deploymentStatus } from './machine-deployment-status'
import { ANNOTATION, CORE, LABEL, MACHINES, MACHINE_DEPLOYMENTS, MACHINE_SETS } from './names'
import { propagateToSet } from './propagate'
import { expired, templateReasons } from './up-to-date'

const replicasOf = (object: { spec: { replicas?: number } }) => object.spec.replicas ?? 1

export class MachineDeploymentController {
  private readonly answers: AnswerCache = new Map()

  constructor(private readonly env: Env) {}

  reconcile = async (key: string): Promise<number | undefined> => {
    const { env } = this
    const deployment = env.store.get(MACHINE_DEPLOYMENTS, key) as unknown as MachineDeployment | undefined
    if (!deployment) return undefined
    if (await heldByPause(env, MACHINE_DEPLOYMENTS, deployment, deployment.spec.clusterName, AS.core)) return undefined
    if (deployment.metadata.deletionTimestamp) {
      const sets = env.cache.setsOf(deployment)
      for (const set of sets) {
        if (!set.metadata.deletionTimestamp) await env.store.delete(MACHINE_SETS, keyOf(set), AS.machineDeployment)
      }
      if (sets.length === 0)
        await env.store.merge(MACHINE_DEPLOYMENTS, key, { metadata: { finalizers: null } }, AS.core)
      return undefined
    }
    if (!deployment.metadata.finalizers?.length) {
      await env.store.merge(
        MACHINE_DEPLOYMENTS,
        key,
        { metadata: { finalizers: ['cluster.x-k8s.io/machinedeployment'] } },
        AS.core,
      )
    }
    let failure: unknown
    try {
      await (deployment.spec.paused ? this.onlyScale(deployment) : this.roll(deployment))
    } catch (error) {
      failure = error
    }
    // A plan that is held leaves observedGeneration behind: the only trace of it on the object.
    await deploymentStatus(env, key, failure === undefined)
    if (failure !== undefined) throw failure
    return undefined
  }

  private async onlyScale(deployment: MachineDeployment) {
    const [only, ...more] = this.env.cache.setsOf(deployment).filter((set) => replicasOf(set) > 0)
    if (!only || more.length > 0 || replicasOf(only) === replicasOf(deployment)) return
    await this.env.store.merge(
      MACHINE_SETS,
      keyOf(only),
      { spec: { replicas: replicasOf(deployment) } },
      AS.machineDeployment,
    )
  }

  private async roll(deployment: MachineDeployment) {
    const { env } = this
    const sets = env.cache.setsOf(deployment).filter((set) => !set.metadata.deletionTimestamp)
    const current = currentSet(deployment, sets)
    const olds = sets.filter((set) => set !== current)
    // As upstream: the name of a set that is not written yet is another one in every attempt.
    const wanted = current ?? newSet(deployment)
    const state = rolloutState(env, deployment, current, wanted.metadata.name, olds)
    const canUpdate = new Set<string>()
    for (const name of questions(state)) {
      const old = olds.find((set) => set.metadata.name === name) as MachineSet
      if (await canUpdateSet(env, this.answers, old, wanted, current !== undefined)) canUpdate.add(name)
    }
    const plan = planRollout(state, canUpdate)
    await this.write(deployment, plan, current, wanted, olds)
    for (const set of sets) await propagateToSet(env, deployment, set)
    await this.cleanUp(deployment, plan, olds)
  }

  private async write(
    deployment: MachineDeployment,
    plan: RolloutPlan,
    current: MachineSet | undefined,
    wanted: MachineSet,
    olds: MachineSet[],
  ) {
    const { store } = this.env
    if (current) await this.apply(deployment, plan.current, current)
    else {
      const annotations = {
        ...wanted.metadata.annotations,
        ...planned(deployment, plan.current),
      }
      const set = json({ ...wanted, metadata: { ...wanted.metadata, annotations: clean(annotations) } })
      await store.create(
        MACHINE_SETS,
        { ...set, spec: { ...(set.spec as object), replicas: plan.current.replicas } },
        AS.machineDeployment,
      )
    }
    for (const old of plan.olds) {
      await this.apply(deployment, old, olds.find((set) => set.metadata.name === old.name) as MachineSet)
    }
    const known = deployment.metadata.annotations?.[ANNOTATION.revision]
    const now = `${plan.current.revision}`
    if (known !== now) {
      const patch = { metadata: { annotations: { [ANNOTATION.revision]: now } } }
      await store.merge(MACHINE_DEPLOYMENTS, keyOf(deployment), patch, AS.machineDeployment)
    }
  }

  private async apply(deployment: MachineDeployment, plan: SetPlan, set: MachineSet) {
    const annotations = planned(deployment, plan)
    const changed = Object.entries(annotations).filter(([k, v]) => (set.metadata.annotations?.[k] ?? null) !== v)
    if (changed.length === 0 && replicasOf(set) === plan.replicas) return
    const patch = { metadata: { annotations: Object.fromEntries(changed) }, spec: { replicas: plan.replicas } }
    await this.env.store.merge(MACHINE_SETS, keyOf(set), patch, AS.machineDeployment)
  }

  /** Old sets go once they are empty and the rollout is over: there is no history. */
  private async cleanUp(deployment: MachineDeployment, plan: RolloutPlan, olds: MachineSet[]) {
    const { cache, store } = this.env
    if (plan.current.replicas !== replicasOf(deployment) || plan.olds.some((old) => old.replicas > 0)) return
    if (olds.some((old) => cache.owned(MACHINES, old.metadata.uid).length > 0)) return
    for (const old of olds) await store.delete(MACHINE_SETS, keyOf(old), AS.machineDeployment)
  }
}

function planned(deployment: MachineDeployment, plan: SetPlan): Record<string, string | null> {
  const replicas = replicasOf(deployment)
  const { surge } = fenceposts(strategyOf(deployment), replicas)
  return {
    [ANNOTATION.moveTo]: plan.moveTo ?? null,
    [ANNOTATION.receiveFrom]: plan.receiveFrom?.join(',') ?? null,
    [ANNOTATION.acknowledged]: plan.acknowledged?.join(',') ?? null,
    [ANNOTATION.disableCreate]: String(plan.disableMachineCreate),
    ...(plan.revision !== undefined ? { [ANNOTATION.revision]: `${plan.revision}` } : {}),
    [ANNOTATION.desiredReplicas]: `${replicas}`,
    [ANNOTATION.maxReplicas]: `${replicas + surge}`,
  }
}

const clean = (annotations: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== null))

export function strategyOf(deployment: MachineDeployment): RolloutStrategy {
  const { type, rollingUpdate } = deployment.spec.rollout?.strategy ?? {}
  return type === 'OnDelete' ? { type } : { type: 'RollingUpdate', ...rollingUpdate }
}

/** The set of the wanted template: most replicas, then oldest, then name. */
function currentSet(deployment: MachineDeployment, sets: MachineSet[]): MachineSet | undefined {
  const { after } = deployment.spec.rollout ?? {}
  return sets
    .filter((set) => templateReasons(set.spec.template, deployment.spec.template).length === 0)
    .filter((set) => !expired(set.metadata.creationTimestamp, after))
    .sort(
      (a, b) =>
        replicasOf(b) - replicasOf(a) ||
        Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
        (a.metadata.name < b.metadata.name ? -1 : 1),
    )[0]
}

function newSet(deployment: MachineDeployment): MachineSet {
  const { name, namespace, uid } = deployment.metadata
  const random = suffix()
  const number = createHash('sha256').update(JSON.stringify(deployment.spec.template)).digest().readUInt32BE(0)
  const { clusterName, template } = deployment.spec
  const labels = {
    ...template.metadata?.labels,
    [LABEL.cluster]: clusterName,
    [LABEL.deployment]: name,
    [LABEL.hash]: `${number}-${random}`,
  }
  return {
    apiVersion: CORE,
    kind: 'MachineSet',
    metadata: {
      name: `${name}-${random}`,
      namespace,
      labels,
      annotations: {},
      finalizers: ['cluster.x-k8s.io/machineset'],
      ownerReferences: [
        { apiVersion: CORE, kind: 'MachineDeployment', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      clusterName,
      replicas: 0,
      selector: { matchLabels: labels },
      ...(deployment.spec.deletion ? { deletion: deployment.spec.deletion } : {}),
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  } as unknown as MachineSet
}

/** What is not a number counts as none, as in mdutil.MaxRevision. */
function revisionOf(set: MachineSet): number | undefined {
  const value = set.metadata.annotations?.[ANNOTATION.revision]
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
}

function rolloutState(
  env: Env,
  deployment: MachineDeployment,
  current: MachineSet | undefined,
  name: string,
  olds: MachineSet[],
): RolloutState {
  const facts = (set: MachineSet) => ({
    name: set.metadata.name,
    createdAt: Date.parse(set.metadata.creationTimestamp),
    spec: replicasOf(set),
    status: set.status?.replicas ?? 0,
    available: set.status?.availableReplicas ?? 0,
    upToDate: set.status?.upToDateReplicas ?? 0,
    acknowledged: listed(set.metadata.annotations?.[ANNOTATION.acknowledged]),
    revision: revisionOf(set),
  })
  const owned = (set: MachineSet): Machine[] => env.cache.owned(MACHINES, set.metadata.uid)
  const after = deployment.spec.rollout?.after
  return {
    replicas: replicasOf(deployment),
    strategy: strategyOf(deployment),
    current: current ? facts(current) : { name, createdAt: Date.now(), spec: 0, status: 0, available: 0, upToDate: 0 },
    creates: !current,
    olds: olds.map((set) => {
      const discarded = templateReasons(set.spec.template, deployment.spec.template).length === 0
      return { ...facts(set), discarded, eligible: !discarded && !expired(set.metadata.creationTimestamp, after) }
    }),
    pendingMoves: current
      ? owned(current)
          .filter((m) => has(m, ANNOTATION.pendingMove))
          .map((m) => m.metadata.name)
      : [],
    updating: [...olds, ...(current ? [current] : [])].some((set) => owned(set).some(isUpdating)),
    inPlaceUpdates: env.gates.inPlaceUpdates,
  }
}
