import type { HealthCheckSpec, Limit, Unhealthy } from './types'

/**
 * How it would go. `expected`: updates took longer than the check waits, and the condition is there all the while; `possible`: they
 * took longer, but for how long the condition was there nobody knows; `unknown`: nothing was measured that could say so; `unlikely`: the
 * condition itself was measured, in this group and with these updaters, and was never there for so long.
 */
export const LEVELS = ['unlikely', 'unknown', 'possible', 'expected'] as const
export type Level = (typeof LEVELS)[number]

export interface Risk extends Unhealthy {
  on: 'node' | 'machine'
  level: Level
  /** How many of those that were measured took longer. */
  longer: number
}

/** How long updates took; `measured`: how many machines that is, 0 where it is a guess. */
export interface Updates {
  ms: readonly number[]
  measured: number
  /** Those of this very group, by the updaters that would do this one: what others took says nothing of it. */
  own: readonly number[]
}

/** True for the whole of an update in place (machine_controller_status.go). */
const ALL_THE_WHILE: Record<string, string> = { Updating: 'True' }
/** True from the moment on at which somebody wants something else, also while the group is held. */
const FROM_THE_CHANGE_ON: Record<string, string> = { UpToDate: 'False' }
/**
 * What a kubelet or a host that starts anew brings about in the conditions that a Machine has of its Node, and of control planes of
 * the pods and the etcd member that go with it. (Ready and Available of a Machine are refused in a check: machinehealthcheck_types.go.)
 */
const PODS = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy', 'EtcdPodHealthy']
const BY_HOST = ['NodeReady', 'NodeHealthy', 'EtcdMemberHealthy', ...PODS]

/** Whether an update in place may bring about that a Machine's condition has this status. */
export const isCounted = (type: string, status: string): boolean =>
  ALL_THE_WHILE[type] === status || FROM_THE_CHANGE_ON[type] === status || (status !== 'True' && BY_HOST.includes(type))

/** Fewer say little; lib/services/forecast calls them a guess, too. */
const ENOUGH = 3

/** What of a check an update in place may trip, the most likely first, and of those the shortest. */
export function risksOf({ node, machine }: Pick<HealthCheckSpec, 'node' | 'machine'>, updates: Updates): Risk[] {
  const risk = (on: Risk['on'], one: Unhealthy): Risk => {
    const longer = updates.measured > 0 ? updates.ms.filter((ms) => ms > one.seconds * 1_000).length : 0
    const sure = on === 'machine' && ALL_THE_WHILE[one.type] === one.status
    const always = on === 'machine' && FROM_THE_CHANGE_ON[one.type] === one.status
    return { ...one, on, longer, level: always ? 'expected' : levelOf(sure, longer, one.seconds, updates) }
  }
  return [
    ...node.filter(({ type, status }) => type === 'Ready' && status !== 'True').map((one) => risk('node', one)),
    ...machine.filter(({ type, status }) => isCounted(type, status)).map((one) => risk('machine', one)),
  ].sort((a, b) => LEVELS.indexOf(b.level) - LEVELS.indexOf(a.level) || a.seconds - b.seconds)
}

/** An update may be over in seconds, and its host away for minutes: only for what is there all the while does its time say enough. */
function levelOf(sure: boolean, longer: number, seconds: number, { own }: Updates): Level {
  if (longer > 0) return sure ? 'expected' : 'possible'
  return sure && own.length >= ENOUGH && own.every((ms) => ms <= seconds * 1_000) ? 'unlikely' : 'unknown'
}

/**
 * Whether a check would have anything done (machinehealthcheck_controller.go, isAllowedRemediation): it counts every machine that it
 * is over and not sure of as ill. `ill`: so many it counts now; `others`: of those, the ones that surely are not of the update; `moving`:
 * so many may be ill at once because they are updated.
 */
export function acts(
  limit: Limit,
  { targets, ill, others, moving }: { targets: number; ill: number; others: number; moving: number },
): boolean {
  for (let all = others + 1; all <= ill + Math.max(1, moving); all++)
    if (allows(limit, targets, Math.min(targets, all))) return true
  return false
}

/** With exactly so many ill. */
export const allows = (limit: Limit, targets: number, ill: number): boolean =>
  limit === null || ('from' in limit ? ill >= limit.from && ill <= limit.to : ill <= mostOf(limit.atMost, targets))

/** intstr.GetScaledValueFromIntOrPercent, rounded down. */
const mostOf = (atMost: string, targets: number): number =>
  atMost.endsWith('%') ? Math.floor((parseInt(atMost, 10) * targets) / 100) : parseInt(atMost, 10)
