import { randomBytes } from 'node:crypto'
import { durationSeconds } from './clock'
import { condition, isTrue, setConditions, type Wanted } from './conditions'
import { AS, NOT_PAUSED, writeStatus, type Env } from './env'
import { has, json, keyOf, type Config, type Infrastructure, type Machine } from './kinds'
import { ANNOTATION, CONFIGS, DEV_MACHINES, HOST, LABEL, MACHINES } from './names'

const machineOf = (env: Env, object: Config | Infrastructure) => {
  const owner = object.metadata.ownerReferences?.find((ref) => ref.kind === 'Machine')
  return (
    owner && (env.store.get(MACHINES, `${object.metadata.namespace}/${owner.name}`) as unknown as Machine | undefined)
  )
}

const frozen = (env: Env, object: Config | Infrastructure, machine: Machine) =>
  has(object, ANNOTATION.paused) ||
  env.cache.cluster(machine.metadata.namespace, machine.spec.clusterName)?.spec.paused === true

/** The kubeadm bootstrap provider: data is there once the cluster can be joined. */
export const reconcileConfig = (env: Env) => async (key: string) => {
  const config = env.store.get(CONFIGS, key) as unknown as Config | undefined
  const machine = config && machineOf(env, config)
  if (!machine || config.metadata.deletionTimestamp || frozen(env, config, machine)) return undefined
  if (config.status?.initialization?.dataSecretCreated) return undefined
  const joins = config.spec.initConfiguration === undefined
  const cluster = env.cache.cluster(machine.metadata.namespace, machine.spec.clusterName)
  if (joins && !cluster?.status?.initialization?.controlPlaneInitialized) return undefined
  if (joins) {
    const { host = '127.0.0.1', port = 6443 } = cluster?.spec.controlPlaneEndpoint ?? {}
    const discovery = {
      bootstrapToken: {
        apiServerEndpoint: `${host}:${port}`,
        caCertHashes: [`sha256:${randomBytes(32).toString('hex')}`],
        token: `${randomBytes(3).toString('hex')}.${randomBytes(8).toString('hex')}`,
      },
    }
    await env.store.merge(CONFIGS, key, { spec: { joinConfiguration: { discovery } } }, AS.bootstrap)
  }
  const ready = [
    condition('Ready', true, 'Ready'),
    condition('CertificatesAvailable', true, 'Available'),
    condition('DataSecretAvailable', true, 'Available'),
    NOT_PAUSED,
  ]
  const now = (env.store.get(CONFIGS, key) as unknown as Config | undefined) ?? config
  const status = {
    conditions: setConditions(now.status?.conditions, ready, now.metadata.generation),
    dataSecretName: machine.metadata.name,
    initialization: { dataSecretCreated: true },
    observedGeneration: now.metadata.generation,
  }
  await writeStatus(env, CONFIGS, now, status, AS.bootstrap)
  return undefined
}

interface InMemory {
  backend?: { inMemory?: Record<'vm' | 'node', { provisioning?: { startupDuration?: string } } | undefined> }
}

/** The in-memory infrastructure provider: a host starts, then its kubelet joins. */
export class InfrastructureController {
  private readonly since = new Map<string, number>()

  constructor(private readonly env: Env) {}

  reconcile = async (key: string): Promise<number | undefined> => {
    const { env } = this
    const host = env.store.get(DEV_MACHINES, key) as unknown as Infrastructure | undefined
    if (!host) {
      this.since.delete(`${key}|vm`)
      this.since.delete(`${key}|node`)
      return undefined
    }
    const machine = machineOf(env, host)
    if (!machine || host.metadata.deletionTimestamp || frozen(env, host, machine)) return undefined
    if (isTrue(host, 'Ready')) return undefined
    const vm = machine.spec.bootstrap.dataSecretName ? this.left(key, host, 'vm') : 'WaitingForBootstrapData'
    const node = vm === 0 ? this.left(key, host, 'node') : 'WaitingForVMProvisioned'
    await this.write(host, machine, vm, node)
    return [vm, node].find((left) => typeof left === 'number' && left > 0) as number | undefined
  }

  /** Seconds left of this start-up phase. */
  private left(key: string, host: Infrastructure, phase: 'vm' | 'node'): number {
    if (isTrue(host, phase === 'vm' ? 'VMProvisioned' : 'NodeProvisioned')) return 0
    const { clock } = this.env
    const seconds = durationSeconds((host.spec as InMemory).backend?.inMemory?.[phase]?.provisioning?.startupDuration)
    const since = this.since.get(`${key}|${phase}`) ?? Date.now()
    this.since.set(`${key}|${phase}`, since)
    return Math.max(0, (since + clock.ms(seconds) - Date.now()) / clock.ms(1))
  }

  private async write(host: Infrastructure, machine: Machine, vm: number | string, node: number | string) {
    const { env } = this
    const { namespace = '', name } = machine.metadata
    const key = keyOf(host)
    const lost = has(host, HOST.neverJoins)
    const done = vm === 0 && node === 0
    if (done && !lost) env.nodes.join(namespace, machine.spec.clusterName, name, machine.spec.version ?? '')
    if (done && !host.spec.providerID) {
      await env.store.merge(DEV_MACHINES, key, { spec: { providerID: `in-memory://${name}` } }, AS.infrastructure)
    }
    const step = (type: string, left: number | string): Wanted =>
      left === 0
        ? condition(type, true, 'Provisioned')
        : condition(type, false, typeof left === 'string' ? left : 'WaitingForStartupTimeout')
    const steps = [step('NodeProvisioned', node), step('VMProvisioned', vm)]
    const ready = done ? condition('Ready', true, 'Ready') : condition('Ready', false, 'NotReady')
    const now = (env.store.get(DEV_MACHINES, key) as unknown as Infrastructure | undefined) ?? host
    const status = {
      conditions: setConditions(now.status?.conditions, [ready, ...steps, NOT_PAUSED], now.metadata.generation),
      ...(done ? { initialization: { provisioned: true } } : {}),
    }
    await writeStatus(env, DEV_MACHINES, now, json(status), AS.infrastructure)
    if (machine.metadata.labels?.[LABEL.controlPlane] !== undefined) env.enqueue(MACHINES, keyOf(machine))
  }
}
