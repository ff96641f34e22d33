import type { HealthCheckSpec, Limit, Unhealthy } from '@/lib/domain/health-checks'
import type { Json } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, count, intOrString, items, text } from '../fields'
import type { Projection } from '../rows'
import { PAUSED } from './pause'

/** A MachineHealthCheck as a row; v1beta1 has other names for the same. */
export const projectHealthCheck: Projection = (check) => {
  const { metadata, spec, status } = check
  return {
    healthCheck: {
      id: metadata.uid,
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      workloadCluster: text(spec, 'clusterName') ?? '',
      spec: check.apiVersion.endsWith('/v1beta1') ? older(check) : newer(check),
      paused: PAUSED in (metadata.annotations ?? {}),
      targets: count(status, 'expectedMachines'),
      healthy: count(status, 'currentHealthy'),
    },
  }
}

/** The API server fills it in; so does the controller (DefaultNodeStartupTimeoutSeconds). */
const STARTUP_SECONDS = 600

function newer({ spec }: KubeObject): HealthCheckSpec {
  const seconds = (raw: Json): number => count(raw, 'timeoutSeconds') ?? 0
  return {
    selector: selectorOf(spec),
    node: items(spec, 'checks', 'unhealthyNodeConditions').map((raw) => unhealthy(raw, seconds(raw))),
    machine: items(spec, 'checks', 'unhealthyMachineConditions').map((raw) => unhealthy(raw, seconds(raw))),
    startupSeconds: startup(count(spec, 'checks', 'nodeStartupTimeoutSeconds')),
    limit: limitOf(
      text(spec, 'remediation', 'triggerIf', 'unhealthyInRange'),
      intOrString(spec, 'remediation', 'triggerIf', 'unhealthyLessThanOrEqualTo'),
    ),
    external: text(spec, 'remediation', 'templateRef', 'kind'),
  }
}

function older({ spec }: KubeObject): HealthCheckSpec {
  const seconds = (raw: Json): number => secondsOf(text(raw, 'timeout')) ?? 0
  return {
    selector: selectorOf(spec),
    node: items(spec, 'unhealthyConditions').map((raw) => unhealthy(raw, seconds(raw))),
    machine: items(spec, 'unhealthyMachineConditions').map((raw) => unhealthy(raw, seconds(raw))),
    startupSeconds: startup(secondsOf(text(spec, 'nodeStartupTimeout'))),
    limit: limitOf(text(spec, 'unhealthyRange'), intOrString(spec, 'maxUnhealthy')),
    external: text(spec, 'remediationTemplate', 'kind'),
  }
}

const startup = (seconds: number | null): number | null => (seconds === 0 ? null : (seconds ?? STARTUP_SECONDS))

const unhealthy = (raw: Json, seconds: number): Unhealthy => ({
  type: text(raw, 'type') ?? '',
  status: text(raw, 'status') ?? '',
  seconds,
})

/** "[3-5]" comes before a highest number. */
function limitOf(range: string | null, atMost: string | null): Limit {
  const [, from, to] = /^\[(\d+)-(\d+)\]$/.exec(range ?? '') ?? []
  if (from !== undefined && to !== undefined) return { from: Number(from), to: Number(to) }
  return atMost === null ? null : { atMost }
}

function selectorOf(spec: KubeObject['spec']): HealthCheckSpec['selector'] {
  const labels = Object.entries(at(spec, 'selector', 'matchLabels') ?? {})
  return {
    labels: Object.fromEntries(labels.filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
    expressions: items(spec, 'selector', 'matchExpressions').map((raw) => ({
      key: text(raw, 'key') ?? '',
      operator: text(raw, 'operator') ?? '',
      values: items(raw, 'values').filter((value): value is string => typeof value === 'string'),
    })),
  }
}

const UNITS: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 0.001, s: 1, m: 60, h: 3_600 }

/** A Go duration, "5m0s". */
function secondsOf(duration: string | null): number | null {
  if (duration === null) return null
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)]
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit!]!, 0)
}
