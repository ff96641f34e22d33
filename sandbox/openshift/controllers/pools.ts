import type { JsonObject } from '../../../lib/domain/json'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { nodeConditions, renderedName } from '../machines'
import { all, AS, conditionsWith, one, R, timestamp, type Env } from './env'

const PREFIX = 'machineconfiguration.openshift.io/'
const ROUND_SECONDS = 240

/** Workers take up a new rendered configuration one after another, over and over: cordon, drain, apply, reboot, back. */
export async function poolLife(env: Env, cluster: string): Promise<void> {
  for (let round = 2; await env.sleep(round === 2 ? 20 : ROUND_SECONDS); round++) {
    const pool = one(env, R.pools, 'worker')
    if (!pool || pool.spec?.paused === true) continue
    const config = renderedName(cluster, 'worker', round)
    await target(env, pool, config)
    for (const node of workers(env)) {
      if (one(env, R.pools, 'worker')?.spec?.paused === true) break
      if (!(await updateNode(env, node.metadata.name, config))) return
      await countPool(env, config)
    }
  }
}

const workers = (env: Env): KubeObject[] =>
  all(env, R.nodes).filter((n) => 'node-role.kubernetes.io/worker' in (n.metadata.labels ?? {}))

async function target(env: Env, pool: KubeObject, config: string): Promise<void> {
  if (!env.store.get(R.configs, config)) {
    const old = (pool.spec?.configuration as JsonObject | undefined)?.name
    const release = one(env, R.configs, String(old))?.metadata.annotations?.[`${PREFIX}release-image-version`] ?? ''
    const metadata = { name: config, annotations: { [`${PREFIX}release-image-version`]: release } }
    const body = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', metadata, spec: {} }
    await env.store.create(R.configs, body, AS.controller)
  }
  await env.store.merge(R.pools, 'worker', { spec: { configuration: { name: config } } }, AS.controller)
  await countPool(env, config)
}

/** False: everything is being stopped. */
async function updateNode(env: Env, name: string, config: string): Promise<boolean> {
  const mark = (annotations: Record<string, string>, more: JsonObject = {}) =>
    env.store.merge(
      R.nodes,
      name,
      {
        metadata: { annotations: Object.fromEntries(Object.entries(annotations).map(([k, v]) => [PREFIX + k, v])) },
        ...more,
      },
      AS.daemon,
    )
  const steps = (done: Record<string, 'True' | 'Unknown'>) => report(env, name, config, done)
  if (!env.store.get(R.nodes, name)) return true
  await mark(
    { desiredConfig: config, state: 'Working', desiredDrain: `drain-${config}` },
    { spec: { unschedulable: true } },
  )
  await steps({ UpdatePrepared: 'True', UpdateExecuted: 'Unknown', Cordoned: 'True', Drained: 'Unknown' })
  if (!(await env.sleep(4))) return false
  await mark({ lastAppliedDrain: `drain-${config}` })
  await steps({
    UpdatePrepared: 'True',
    UpdateExecuted: 'Unknown',
    Cordoned: 'True',
    Drained: 'True',
    AppliedFilesAndOS: 'Unknown',
  })
  if (!(await env.sleep(4))) return false
  await mark({ state: 'Rebooting' })
  await ready(env, name, false)
  await steps({
    UpdatePrepared: 'True',
    UpdateExecuted: 'True',
    Cordoned: 'True',
    Drained: 'True',
    AppliedFilesAndOS: 'True',
    RebootedNode: 'Unknown',
  })
  if (!(await env.sleep(6))) return false
  await ready(env, name, true)
  await mark(
    {
      currentConfig: config,
      state: 'Done',
      desiredDrain: `uncordon-${config}`,
      lastAppliedDrain: `uncordon-${config}`,
    },
    { spec: { unschedulable: null } },
  )
  await steps({})
  return env.sleep(1)
}

async function ready(env: Env, name: string, is: boolean): Promise<void> {
  const node = one(env, R.nodes, name)
  const conditions =
    node &&
    conditionsWith(node, [
      {
        type: 'Ready',
        status: is ? 'True' : 'Unknown',
        reason: is ? 'KubeletReady' : 'NodeStatusUnknown',
        message: is ? 'kubelet is posting ready status' : 'Kubelet stopped posting node status.',
      },
    ])
  if (conditions) await env.store.merge(R.nodes, name, { status: { conditions } }, AS.daemon, 'status')
}

async function report(
  env: Env,
  name: string,
  config: string,
  steps: Record<string, 'True' | 'Unknown'>,
): Promise<void> {
  if (!env.store.get(R.configNodes, name)) return
  await env.store.merge(R.configNodes, name, { spec: { configVersion: { desired: config } } }, AS.controller)
  const done = Object.keys(steps).length === 0
  const configVersion = { desired: config, ...(done && { current: config }) }
  const status = { configVersion, conditions: nodeConditions(timestamp(), config, steps) }
  await env.store.merge(R.configNodes, name, { status }, AS.daemon, 'status')
}

async function countPool(env: Env, config: string): Promise<void> {
  const pool = one(env, R.pools, 'worker')
  if (!pool) return
  const nodes = workers(env)
  const on = (n: KubeObject) =>
    n.metadata.annotations?.[`${PREFIX}currentConfig`] === config && n.metadata.annotations[`${PREFIX}state`] === 'Done'
  const updated = nodes.filter(on).length
  const unavailable = nodes.filter((n) => n.spec?.unschedulable === true).length
  const finished = updated === nodes.length
  const conditions = conditionsWith(pool, [
    {
      type: 'Updated',
      status: finished ? 'True' : 'False',
      reason: '',
      message: finished ? `All nodes are updated with MachineConfig ${config}` : '',
    },
    {
      type: 'Updating',
      status: finished ? 'False' : 'True',
      reason: '',
      message: finished ? '' : `All nodes are updating to MachineConfig ${config}`,
    },
  ])
  const status: JsonObject = {
    machineCount: nodes.length,
    updatedMachineCount: updated,
    readyMachineCount: updated,
    unavailableMachineCount: unavailable,
    ...(finished && { configuration: { name: config } }),
    ...(conditions && { conditions }),
  }
  await env.store.merge(R.pools, 'worker', { status }, AS.controller, 'status')
}
