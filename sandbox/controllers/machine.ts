import { durationSeconds } from './clock'
import { heldByPause, writeStatus, AS, type Env } from './env'
import { HookError } from './hooks'
import { forHook } from './hooks/decide'
import { finishInPlace } from './in-place'
import { isUpdating, json, keyOf, listed, type Config, type Infrastructure, type Machine } from './kinds'
import { machineStatus, type Updating } from './machine-status'
import { deleteMachine } from './machine-deletion'
import { ANNOTATION, CONFIGS, DEV_MACHINES, HOST, MACHINES } from './names'

export class MachineController {
  /** Until when an updater that said "still running" is left alone, and what it said. */
  private readonly running = new Map<string, { until: number; message: string }>()
  private readonly phases = new Map<string, number>()
  /** Whose kubelets went when their updates began. */
  private readonly away = new Set<string>()

  constructor(private readonly env: Env) {}

  reconcile = async (key: string): Promise<number | undefined> => {
    const { env } = this
    const machine = env.store.get(MACHINES, key) as unknown as Machine | undefined
    if (!machine) {
      this.running.delete(key)
      this.phases.delete(key)
      return undefined
    }
    if (await heldByPause(env, MACHINES, machine, machine.spec.clusterName, AS.core)) return undefined
    if (machine.metadata.deletionTimestamp) {
      this.running.delete(key)
      return deleteMachine(env, machine, this.phases)
    }
    await this.adopt(machine)
    const { updating, again, error } = await this.update(key)
    const now = env.store.get(MACHINES, key) as unknown as Machine | undefined
    if (now) await writeStatus(env, MACHINES, now, machineStatus(env, now, updating), AS.core)
    if (error) throw error
    return again
  }

  /** Takes over what bootstrap and infrastructure reached. */
  private async adopt(machine: Machine) {
    const { store } = this.env
    const { namespace } = machine.metadata
    const config = machine.spec.bootstrap.configRef
    const bootstrap = config && (store.get(CONFIGS, `${namespace}/${config.name}`) as unknown as Config | undefined)
    const infrastructure = store.get(DEV_MACHINES, `${namespace}/${machine.spec.infrastructureRef.name}`) as unknown as
      Infrastructure | undefined
    const spec: { providerID?: string; bootstrap?: { dataSecretName: string } } = {}
    const secret = bootstrap?.status?.initialization?.dataSecretCreated ? bootstrap.status.dataSecretName : undefined
    if (secret && machine.spec.bootstrap.dataSecretName !== secret) spec.bootstrap = { dataSecretName: secret }
    const providerID = infrastructure?.spec.providerID
    if (providerID && machine.spec.providerID !== providerID) spec.providerID = providerID
    if (Object.keys(spec).length > 0) await store.merge(MACHINES, keyOf(machine), json({ spec }), AS.core)
  }

  private async update(key: string): Promise<{ updating?: Updating; again?: number; error?: unknown }> {
    const { env } = this
    const machine = env.store.get(MACHINES, key) as unknown as Machine | undefined
    if (!machine || !isUpdating(machine)) {
      this.running.delete(key)
      this.away.delete(key)
      return {}
    }
    const busy = 'In-place update in progress'
    const pending = listed(machine.metadata.annotations?.[ANNOTATION.pendingHooks]).includes('UpdateMachine')
    if (!pending || !machine.status?.nodeRef) return { updating: { failed: false, message: busy } }
    this.leave(key, machine)
    const waiting = this.running.get(key)
    const left = waiting ? waiting.until - Date.now() : 0
    const saying = (message: string): Updating => ({ failed: false, message: message ? `${busy}: ${message}` : busy })
    if (waiting && left > 0) return { updating: saying(waiting.message), again: left / env.clock.ms(1) }
    try {
      const answer = await env.hooks.ask('UpdateMachine', machine.metadata.namespace ?? '', this.request(machine))
      if (!answer) throw new HookError('no UpdateMachine hook is registered')
      const message = typeof answer.message === 'string' ? answer.message : ''
      const seconds = typeof answer.retryAfterSeconds === 'number' ? answer.retryAfterSeconds : 0
      if (seconds > 0) {
        this.running.set(key, { until: Date.now() + env.clock.ms(seconds), message })
        return { updating: saying(message), again: seconds }
      }
    } catch (error) {
      const message = 'UpdateMachine hook failed: please check controller logs for errors'
      return { updating: { failed: true, message }, error }
    }
    this.running.delete(key)
    await finishInPlace(env, machine, AS.core)
    return {}
  }

  /** A host that starts anew is silent for as long as that takes. */
  private leave(key: string, { metadata: { namespace = '', name }, spec }: Machine) {
    const host = this.env.store.get(DEV_MACHINES, `${namespace}/${spec.infrastructureRef.name}`)
    const lasts = host?.metadata.annotations?.[HOST.awayInUpdates]
    if (!lasts || this.away.has(key)) return
    this.away.add(key)
    this.env.nodes.setSilent(namespace, spec.clusterName, name, true)
    const back = () => this.env.nodes.setSilent(namespace, spec.clusterName, name, false)
    this.env.clock.after(this.env.clock.ms(durationSeconds(lasts)), back)
  }

  private request(machine: Machine) {
    const { store } = this.env
    const { namespace } = machine.metadata
    const infrastructure = store.get(DEV_MACHINES, `${namespace}/${machine.spec.infrastructureRef.name}`)
    if (!infrastructure) throw new HookError('In-place update not possible: InfraMachine not found')
    const config = machine.spec.bootstrap.configRef?.name
    const bootstrap = config ? store.get(CONFIGS, `${namespace}/${config}`) : undefined
    return {
      desired: {
        machine: forHook(machine),
        infrastructureMachine: forHook(infrastructure),
        ...(bootstrap ? { bootstrapConfig: forHook(bootstrap) } : {}),
      },
    }
  }
}
