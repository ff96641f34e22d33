import { allows, fits, type Limit } from '../../lib/domain/health-checks'
import { condition, conditionOf, setConditions, type Wanted } from './conditions'
import { AS, heldByPause, NOT_PAUSED, writeConditions, writeStatus, type Env } from './env'
import { has, keyOf, type Machine, type MachineHealthCheck, type UnhealthyCondition } from './kinds'
import { ANNOTATION, HEALTH_CHECKS, LABEL, MACHINES } from './names'

const STARTUP_SECONDS = 600
const WAITING = condition('OwnerRemediated', false, 'WaitingForRemediation', 'Waiting for remediation')

/** What a check finds: what is the matter, or in how many seconds it may be. */
interface Found {
  reason: string
  messages: string[]
  next: number[]
}

/** core/reconcilers/machinehealthcheck, without remediation templates. */
export class HealthCheckController {
  constructor(private readonly env: Env) {}

  reconcile = async (key: string): Promise<number | undefined> => {
    const { env } = this
    const check = env.store.get(HEALTH_CHECKS, key) as unknown as MachineHealthCheck | undefined
    if (!check || check.metadata.deletionTimestamp) return undefined
    if (await heldByPause(env, HEALTH_CHECKS, check, check.spec.clusterName, AS.core)) return undefined
    const targets = this.targets(check)
    const found = targets.map((machine) => ({ machine, ...this.look(check, machine) }))
    const ill = found.filter(({ messages }) => messages.length > 0)
    // One that may fall ill in a moment counts as neither.
    const well = found.filter(
      ({ machine, messages, next }) => messages.length + next.length === 0 && this.known(machine),
    )
    const allowed = allows(limitOf(check), targets.length, targets.length - well.length)
    for (const { machine, reason, messages } of ill) {
      const words = `Health check failed:\n${messages.map((message) => `  * ${message}`).join('\n')}`
      const marks = [condition('HealthCheckSucceeded', false, reason, words)]
      const before = conditionOf(machine, 'OwnerRemediated')
      if (allowed && !machine.metadata.deletionTimestamp && before?.status !== 'False') marks.push(WAITING)
      await this.say(machine, marks)
    }
    for (const { machine } of well)
      await this.say(machine, [condition('HealthCheckSucceeded', true, 'HealthCheckSucceeded')])
    await this.writeStatus(check, targets, well.length, ill.length, allowed)
    const next = found.flatMap((one) => one.next)
    return next.length > 0 ? Math.min(...next) : undefined
  }

  /** A machine that is paused, or skipped, is none of them. */
  private targets({ metadata, spec }: MachineHealthCheck): Machine[] {
    const { matchLabels = {}, matchExpressions = [] } = spec.selector
    const expressions = matchExpressions.map(({ values = [], ...rest }) => ({ ...rest, values }))
    return this.env.cache
      .inCluster<Machine>(MACHINES, metadata.namespace, spec.clusterName)
      .filter((machine) => fits({ labels: matchLabels, expressions }, machine.metadata.labels ?? {}))
      .filter((machine) => !has(machine, ANNOTATION.paused) && !has(machine, ANNOTATION.skipRemediation))
  }

  private kubelet = ({ metadata, spec }: Machine) =>
    this.env.nodes.kubelet(metadata.namespace ?? '', spec.clusterName, metadata.name)

  private known = (machine: Machine) =>
    !machine.metadata.deletionTimestamp && machine.status?.nodeRef !== undefined && this.kubelet(machine) !== undefined

  private look(check: MachineHealthCheck, machine: Machine): Found {
    if (has(machine, ANNOTATION.remediate)) {
      const words = 'marked for remediation via cluster.x-k8s.io/remediate-machine annotation'
      return { reason: 'HasRemediateAnnotation', messages: [words], next: [] }
    }
    const cluster = this.env.cache.cluster(machine.metadata.namespace, check.spec.clusterName)
    const { controlPlaneInitialized, infrastructureProvisioned } = cluster?.status?.initialization ?? {}
    const controlPlane = machine.metadata.labels?.[LABEL.controlPlane] !== undefined
    if ((!controlPlaneInitialized && !controlPlane) || !infrastructureProvisioned)
      return { reason: '', messages: [], next: [] }
    const { unhealthyMachineConditions: ofMachine = [], unhealthyNodeConditions: ofNode = [] } = check.spec.checks ?? {}
    const own = this.conditions('Machine', ofMachine, (type) => {
      const c = conditionOf(machine, type)
      return c && { status: c.status, reason: c.reason, since: Date.parse(c.lastTransitionTime) }
    })
    const node = this.node(check, machine, ofNode)
    const reason = own.messages.length > 0 ? 'UnhealthyMachine' : node.reason
    return { reason, messages: [...own.messages, ...node.messages], next: [...own.next, ...node.next] }
  }

  private node(check: MachineHealthCheck, machine: Machine, conditions: UnhealthyCondition[]): Found {
    const { namespace = '', name } = machine.metadata
    if (!machine.status?.nodeRef) return this.startup(check, machine)
    if (this.kubelet(machine) === undefined)
      return { reason: 'NodeDeleted', messages: [`Node ${name} has been deleted`], next: [] }
    const silent = this.env.nodes.silentSince(namespace, machine.spec.clusterName, name)
    const found = this.conditions('Node', conditions, (type) =>
      type === 'Ready' && silent !== undefined
        ? { status: 'Unknown', reason: 'NodeStatusUnknown', since: silent }
        : undefined,
    )
    return { reason: 'UnhealthyNode', ...found }
  }

  private startup(check: MachineHealthCheck, machine: Machine): Found {
    const limit = check.spec.checks?.nodeStartupTimeoutSeconds ?? STARTUP_SECONDS
    if (limit === 0) return { reason: '', messages: [], next: [] }
    const provisioned = conditionOf(machine, 'InfrastructureReady')
    const since = Math.max(
      Date.parse(machine.metadata.creationTimestamp),
      provisioned?.status === 'True' ? Date.parse(provisioned.lastTransitionTime) : 0,
    )
    const left = limit - this.age(since)
    if (left >= 0) return { reason: '', messages: [], next: [left + 1] }
    return { reason: 'NodeStartupTimeout', messages: [`Node failed to report startup in ${limit}s`], next: [] }
  }

  private conditions(
    of: 'Machine' | 'Node',
    wanted: UnhealthyCondition[],
    read: (type: string) => { status: string; reason: string; since: number } | undefined,
  ): Omit<Found, 'reason'> {
    const found: Omit<Found, 'reason'> = { messages: [], next: [] }
    for (const { type, status, timeoutSeconds = 0 } of wanted) {
      const now = read(type)
      if (now?.status !== status) continue
      const left = timeoutSeconds - this.age(now.since)
      if (left >= 0) found.next.push(left + 1)
      else
        found.messages.push(
          `Condition ${type} on ${of} is reporting status ${status} with reason ${now.reason} for more than ${timeoutSeconds}s`,
        )
    }
    return found
  }

  private age = (since: number) => (Date.now() - since) / this.env.clock.ms(1)

  private async say(machine: Machine, wanted: Wanted[]) {
    const now = this.env.store.get(MACHINES, keyOf(machine)) as unknown as Machine | undefined
    if (now) await writeConditions(this.env, MACHINES, now, wanted, AS.core)
  }

  private async writeStatus(
    check: MachineHealthCheck,
    targets: Machine[],
    well: number,
    ill: number,
    allowed: boolean,
  ) {
    const conditions = [
      allowed
        ? condition('RemediationAllowed', true, 'RemediationAllowed')
        : condition(
            'RemediationAllowed',
            false,
            'TooManyUnhealthy',
            `Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy (total: ${targets.length}, unhealthy: ${ill})`,
          ),
      NOT_PAUSED,
    ]
    const status = {
      conditions: setConditions(check.status?.conditions, conditions, check.metadata.generation),
      currentHealthy: well,
      expectedMachines: targets.length,
      observedGeneration: check.metadata.generation,
      targets: targets.map((m) => m.metadata.name).sort(),
    }
    await writeStatus(this.env, HEALTH_CHECKS, check, status, AS.core)
  }
}

function limitOf({ spec }: MachineHealthCheck): Limit {
  const { unhealthyInRange, unhealthyLessThanOrEqualTo } = spec.remediation?.triggerIf ?? {}
  const [, from, to] = /^\[(\d+)-(\d+)\]$/.exec(unhealthyInRange ?? '') ?? []
  if (from && to) return { from: Number(from), to: Number(to) }
  return unhealthyLessThanOrEqualTo === undefined ? null : { atMost: String(unhealthyLessThanOrEqualTo) }
}
