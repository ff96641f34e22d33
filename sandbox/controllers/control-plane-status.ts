import { condition, isTrue, setConditions } from './conditions'
import { AS, NOT_PAUSED, writeStatus, type Env } from './env'
import type { ControlPlane, Machine } from './kinds'
import { CONTROL_PLANES, LABEL, MACHINES } from './names'
import {
  counters,
  deletingCondition,
  machinesReady,
  machinesUpToDate,
  notRemediating,
  rollingOut,
  scaling,
} from './summaries'

export async function controlPlaneStatus(env: Env, key: string, cluster: string, observed: boolean) {
  const controlPlane = env.store.get(CONTROL_PLANES, key) as unknown as ControlPlane | undefined
  if (!controlPlane) return
  const machines = env.cache.owned<Machine>(MACHINES, controlPlane.metadata.uid)
  const serving = machines.some((m) => isTrue(m, 'APIServerPodHealthy'))
  const initialized = controlPlane.status?.initialization?.controlPlaneInitialized === true || serving
  const members = machines.filter((m) => isTrue(m, 'EtcdMemberHealthy')).length
  const quorum = members >= Math.floor(machines.length / 2) + 1
  const healthy = machines.length > 0 && members === machines.length
  const versions = machines.flatMap((m) => (m.spec.version ? [m.spec.version] : [])).sort(byVersion)
  const waiting = 'Control plane not yet initialized'
  const conditions = [
    serving && quorum
      ? condition('Available', true, 'Available')
      : condition(
          'Available',
          false,
          'NotAvailable',
          initialized ? '* There are not enough healthy control plane machines' : waiting,
        ),
    condition('CertificatesAvailable', true, 'Available'),
    initialized ? condition('Initialized', true, 'Initialized') : condition('Initialized', false, 'NotInitialized'),
    ...(['EtcdClusterHealthy', 'ControlPlaneComponentsHealthy'] as const).map((type) =>
      healthy
        ? condition(type, true, 'Healthy')
        : condition(type, 'Unknown', 'HealthUnknown', initialized ? '' : waiting),
    ),
    rollingOut(machines),
    notRemediating,
    ...scaling(machines.length, controlPlane.spec.replicas ?? 1),
    machinesReady(machines),
    machinesUpToDate(machines),
    NOT_PAUSED,
    deletingCondition(controlPlane),
  ]
  const generation = observed ? controlPlane.metadata.generation : (controlPlane.status?.observedGeneration ?? 0)
  const status = {
    ...counters(machines),
    conditions: setConditions(controlPlane.status?.conditions, conditions, generation),
    initialization: initialized ? { controlPlaneInitialized: true } : {},
    observedGeneration: generation,
    selector: `${LABEL.cluster}=${cluster},${LABEL.controlPlane}`,
    ...(versions[0] ? { version: versions[0] } : {}),
  }
  await writeStatus(env, CONTROL_PLANES, controlPlane, status, AS.controlPlane)
}

const numbers = (version: string) => (version.match(/\d+/g) ?? []).map(Number)

function byVersion(a: string, b: string): number {
  const [x, y] = [numbers(a), numbers(b)]
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const difference = (x[i] ?? 0) - (y[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
