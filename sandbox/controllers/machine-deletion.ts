import { timestamp } from './clock'
import { AS, writeStatus, type Env } from './env'
import { has, json, keyOf, type Machine } from './kinds'
import { machineStatus } from './machine-status'
import { ANNOTATION, CONFIGS, DEV_MACHINES, HOST, MACHINES, PRE_DRAIN, PRE_TERMINATE } from './names'

/** How long simulated hosts take to drain and to go, in seconds. */
const DRAIN = 4
const INFRASTRUCTURE = 3

/** One step of a machine's deletion; returns when to look again. `phases`: since when each wait lasts. */
export async function deleteMachine(
  env: Env,
  machine: Machine,
  phases: Map<string, number>,
): Promise<number | undefined> {
  const { store } = env
  const { namespace = '', name } = machine.metadata
  const key = keyOf(machine)
  const say = async (reason: string, message: string) => {
    const now = (store.get(MACHINES, key) as unknown as Machine | undefined) ?? machine
    await writeStatus(env, MACHINES, now, machineStatus(env, now, undefined, { reason, message }), AS.core)
  }
  const hooks = (prefix: string) =>
    Object.keys(machine.metadata.annotations ?? {})
      .filter((k) => k.startsWith(prefix))
      .map((k) => k.slice(prefix.length))
      .sort()

  const preDrain = hooks(PRE_DRAIN)
  if (preDrain.length > 0) {
    await say('WaitingForPreDrainHook', `Waiting for pre-drain hooks to succeed (hooks: ${preDrain.join(',')})`)
    return undefined
  }
  if (machine.status?.nodeRef && !has(machine, ANNOTATION.excludeDrain)) {
    const left = await drain(env, machine, phases, say)
    if (left !== undefined) return left
  }
  const preTerminate = hooks(PRE_TERMINATE)
  if (preTerminate.length > 0) {
    await say(
      'WaitingForPreTerminateHook',
      `Waiting for pre-terminate hooks to succeed (hooks: ${preTerminate.join(',')})`,
    )
    return undefined
  }
  const infrastructure = `${namespace}/${machine.spec.infrastructureRef.name}`
  if (store.get(DEV_MACHINES, infrastructure)) {
    await say('WaitingForInfrastructureDeletion', `Waiting for ${machine.spec.infrastructureRef.kind} to be deleted`)
    const left = remaining(env, phases, `${key}|infrastructure`, INFRASTRUCTURE)
    if (left > 0) return left
    await store.delete(DEV_MACHINES, infrastructure, AS.core)
    const live = store.get(DEV_MACHINES, infrastructure)
    if (live) await store.merge(DEV_MACHINES, infrastructure, { metadata: { finalizers: null } }, AS.infrastructure)
  }
  const config = machine.spec.bootstrap.configRef?.name
  if (config && store.get(CONFIGS, `${namespace}/${config}`))
    await store.delete(CONFIGS, `${namespace}/${config}`, AS.core)
  env.nodes.remove(namespace, machine.spec.clusterName, name)
  await store.merge(MACHINES, key, { metadata: { finalizers: null } }, AS.core)
  for (const id of [...phases.keys()]) if (id.startsWith(`${key}|`)) phases.delete(id)
  return undefined
}

function remaining(env: Env, phases: Map<string, number>, id: string, seconds: number) {
  const since = phases.get(id) ?? Date.now()
  phases.set(id, since)
  return Math.max(0, (since + env.clock.ms(seconds) - Date.now()) / env.clock.ms(1))
}

async function drain(
  env: Env,
  machine: Machine,
  phases: Map<string, number>,
  say: (reason: string, message: string) => Promise<void>,
): Promise<number | undefined> {
  const { store } = env
  const { namespace } = machine.metadata
  const key = keyOf(machine)
  const started = machine.status?.deletion?.nodeDrainStartTime ?? timestamp()
  const write = (deletion: object) => store.merge(MACHINES, key, json({ status: { deletion } }), AS.core, 'status')
  if (!machine.status?.deletion?.nodeDrainStartTime) await write({ nodeDrainStartTime: started })

  const host = store.get(DEV_MACHINES, `${namespace}/${machine.spec.infrastructureRef.name}`)
  const budget = host?.metadata.annotations?.[HOST.blockedByBudget]
  const limit = machine.spec.deletion?.nodeDrainTimeoutSeconds ?? 0
  // From when the drain began, also where the time-out came later.
  const givenUp = limit > 0 && Date.now() >= Date.parse(started) + env.clock.ms(limit)
  if (budget && !givenUp) {
    const name = budget.split('/').at(-1) ?? budget
    const message =
      `Drain not completed yet (started at ${started}):\n` +
      `* Pod ${budget}-0: cannot evict pod as it would violate the pod's disruption budget. ` +
      `The disruption budget ${name} needs 3 healthy pods and has 3 currently`
    await say('DrainingNode', message)
    return 20
  }
  const left = remaining(env, phases, `${key}|drain`, DRAIN)
  if (left > 0) {
    await say('DrainingNode', `Drain not completed yet (started at ${started}):`)
    return left
  }
  if (!machine.status?.deletion?.waitForNodeVolumeDetachStartTime) {
    await write({ waitForNodeVolumeDetachStartTime: timestamp() })
  }
  return undefined
}
