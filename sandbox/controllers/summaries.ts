import { condition, conditionOf, indented, isTrue, type Wanted } from './conditions'
import { isUpdating, type Counters, type Machine } from './kinds'

/** Counters as the API means them since v1beta2: machines whose condition is True. */
export function counters(machines: Machine[]): Required<Counters> {
  // A machine whose update just began may still carry the conditions of before.
  const of = (type: string) => machines.filter((m) => isTrue(m, type) && !isUpdating(m)).length
  const versions = new Map<string, number>()
  for (const m of machines) if (m.spec.version) versions.set(m.spec.version, (versions.get(m.spec.version) ?? 0) + 1)
  return {
    replicas: machines.length,
    readyReplicas: of('Ready'),
    availableReplicas: of('Available'),
    upToDateReplicas: of('UpToDate'),
    versions: [...versions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([version, replicas]) => ({ version, replicas })),
  }
}

/** Machines grouped by what their condition says: "* Machines a, b:\n  * Version x, y required". */
function aggregated(machines: Machine[], type: string): string {
  const groups = new Map<string, string[]>()
  for (const m of machines) {
    const c = conditionOf(m, type)
    if (c?.status === 'True') continue
    const message = c?.message || (c ? c.reason : `Condition ${type} not yet reported`)
    const text = message.startsWith('* ') ? message : `* ${message}`
    groups.set(text, [...(groups.get(text) ?? []), m.metadata.name])
  }
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length || ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1))
    .map(([message, names]) => `* ${names.length > 1 ? 'Machines' : 'Machine'} ${short(names)}:\n${indented(message)}`)
    .join('\n')
}

const short = (names: string[]) =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')}, ... (${names.length - 3} more)`

function overall(machines: Machine[], type: string, as: string, good: string, bad: string): Wanted {
  if (machines.length === 0) return condition(as, true, 'NoReplicas')
  const message = aggregated(machines, type)
  return message ? condition(as, false, bad, message) : condition(as, true, good)
}

export const machinesReady = (machines: Machine[], as = 'MachinesReady') =>
  overall(machines, 'Ready', as, 'Ready', 'NotReady')

/** Machines younger than ten seconds have nothing to say yet. */
export const machinesUpToDate = (machines: Machine[], as = 'MachinesUpToDate') =>
  overall(
    machines.filter(
      (m) => conditionOf(m, 'UpToDate') || Date.now() - Date.parse(m.metadata.creationTimestamp) > 10_000,
    ),
    'UpToDate',
    as,
    'UpToDate',
    'NotUpToDate',
  )

export function rollingOut(machines: Machine[]): Wanted {
  const behind = machines.flatMap((m) => {
    const c = conditionOf(m, 'UpToDate')
    return c && c.status !== 'True' ? [c] : []
  })
  if (behind.length === 0) return condition('RollingOut', false, 'NotRollingOut')
  const reasons = [...new Set(behind.flatMap((c) => c.message.split('\n')))]
  const order = (line: string) => (line.startsWith('* Version') ? 0 : line.startsWith('* In-place') ? 1 : 2)
  reasons.sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1))
  return condition(
    'RollingOut',
    true,
    'RollingOut',
    [`Rolling out ${behind.length} not up-to-date replicas`, ...reasons].join('\n'),
  )
}

export function scaling(machines: number, replicas: number, blocked?: string): Wanted[] {
  const up = `Scaling up from ${machines} to ${replicas} replicas`
  return [
    machines > replicas
      ? condition('ScalingDown', true, 'ScalingDown', `Scaling down from ${machines} to ${replicas} replicas`)
      : condition('ScalingDown', false, 'NotScalingDown'),
    machines < replicas
      ? condition('ScalingUp', true, 'ScalingUp', blocked ? `${up} is blocked because:\n* ${blocked}` : up)
      : condition('ScalingUp', false, 'NotScalingUp'),
  ]
}

export const notRemediating = condition('Remediating', false, 'NotRemediating')

export const deletingCondition = (object: { metadata: { deletionTimestamp?: string } }): Wanted =>
  object.metadata.deletionTimestamp
    ? condition('Deleting', true, 'Deleting', 'Deletion in progress')
    : condition('Deleting', false, 'NotDeleting')
