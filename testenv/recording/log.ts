import {
  has,
  isUpdating,
  listed,
  type Machine,
  type MachineDeployment,
  type MachineSet,
} from '@/sandbox/controllers/kinds'
import { ANNOTATION } from '@/sandbox/controllers/names'
import { templateReasons } from '@/sandbox/controllers/up-to-date'
import type { KubeObject } from '@/lib/kubernetes/types'
import { replicasOf, setOf, type History } from './history'
import { chosen } from './choices'
import type { LoggedChoice, LoggedDecision } from './manager-log'
import { Names } from './names'
import { pendingIn, seenBy, summaryOf, type Seen } from './seen'
import { diffOf, steering, writesIn, type Write } from './writes'

export interface Recorded {
  title: string
  history: History
  /** What the manager logged since the recording began. */
  decisions: LoggedDecision[]
  choices: LoggedChoice[]
  /** Everything was at rest up to here. */
  from: number
  /** The updater there covers everything. */
  updater: boolean
}

/** A log in the golden form, of a rollout on the real managers. */
export function logOf(recorded: Recorded): string {
  const { title, history, decisions, from } = recorded
  const writer = new Writer(recorded)
  const start: Seen = { deployment: from, set: from, machine: from }
  const lines = [`## ${title}`, '', ...writer.state('Initial state', start), writer.rollout(from)]
  const left = writesIn(history, from)
  const went = chosen(history, writer.names, recorded.choices, from).sort((a, b) => a.revision - b.revision)
  let iteration = 0
  const wentBefore = (revision: number) => {
    while (went[0] && went[0].revision < revision) lines.push(...went.shift()!.lines(++iteration))
  }
  let [seen, ownWrite] = [start, from]
  for (const decision of decisions) {
    const writes = decision.changes.map((change) => {
      const at = left.findIndex(({ set }) => set === change.set)
      const [write] = at < 0 ? [] : left.splice(at, 1)
      if (!write) throw new Error(`the manager says that it changed ${change.set}, and nothing of that was seen`)
      const diff = write.before && diffOf(write.before, write.after)
      if (diff !== undefined && diff !== change.diff)
        throw new Error(`${change.set}: logged ${change.diff}, written ${diff}`)
      return write
    })
    seen = seenBy(history, decision, writes, seen, ownWrite)
    ownWrite = Math.max(...writes.map(({ revision }) => revision))
    wentBefore(Math.min(...writes.map(({ revision }) => revision)))
    lines.push(...writer.state('Observed state', seen), ...writer.decision(++iteration, decision, writes, seen))
  }
  if (left.length > 0) throw new Error(`${left[0]!.set} was changed, and the manager says nothing of it`)
  wentBefore(Infinity)
  const end: Seen = { deployment: history.end, set: history.end, machine: history.end }
  return [...lines, ...writer.state('Final state', end), ''].join('\n')
}

const count = (object: KubeObject, key: string) => Number(object.status?.[key] ?? 0)
const countsOf = (md: KubeObject) =>
  `${count(md, 'replicas')}/${replicasOf(md)} replicas, ${count(md, 'availableReplicas')} available, ${count(md, 'upToDateReplicas')} upToDate`

class Writer {
  readonly names: Names

  constructor(private readonly recorded: Recorded) {
    this.names = new Names(recorded.history)
  }

  private deployment(revision: number): KubeObject {
    const [md] = this.recorded.history.at('deployment', revision)
    if (!md) throw new Error(`there was no MachineDeployment at revision ${revision}`)
    return md
  }

  private sets(revision: number) {
    const number = ({ metadata }: KubeObject) => Number(this.names.of(metadata.name).slice(2))
    return this.recorded.history.at('set', revision).sort((a, b) => number(a) - number(b))
  }

  rollout(revision: number): string {
    const md = this.deployment(revision) as unknown as MachineDeployment
    const { type, rollingUpdate: { maxSurge, maxUnavailable } = {} } = md.spec.rollout?.strategy ?? {}
    const how = type === 'OnDelete' ? 'onDeleteStrategy' : `MaxSurge=${maxSurge}, MaxUnavailable=${maxUnavailable}`
    return `[Test] Rollout ${this.recorded.history.at('machine', revision).length} replicas, ${how}`
  }

  state(title: string, seen: Seen): string[] {
    const md = this.deployment(seen.deployment)
    const machines = this.recorded.history.at('machine', seen.machine)
    const sets = this.sets(seen.set).flatMap((set) => {
      const name = this.names.of(set.metadata.name)
      return [`    ${name}: ${summaryOf(set)} ${this.machines(machines, set)}`, ...this.details(set, md, machines)]
    })
    return [`[Test] ${title}`, `    md: ${countsOf(md)}`, ...sets]
  }

  private details(set: KubeObject, md: KubeObject, machines: KubeObject[]): string[] {
    const [have, want] = [set as unknown as MachineSet, md as unknown as MachineDeployment]
    const wanted = templateReasons(have.spec.template, want.spec.template).length === 0
    const pending = pendingIn(machines, set.metadata.name).map((m) => this.names.of(m.metadata.name))
    return [
      ...(wanted ? ['Template as wanted'] : this.recorded.updater ? ['Can be updated in place'] : []),
      `Annotations: ${this.names.in(steering(set).join())}`,
      ...(pending.length > 0 ? [`Pending acknowledge: ${pending.sort().join()}`] : []),
    ].map((line) => `      - ${line}`)
  }

  private machines(all: KubeObject[], set: KubeObject | undefined): string {
    const known = listed(set?.metadata.annotations?.[ANNOTATION.acknowledged])
    const shown = all
      .filter((machine) => set && setOf(machine) === set.metadata.name)
      .map((machine) => {
        const { name } = machine.metadata
        const uncounted = has(machine, ANNOTATION.pendingMove) && !known.includes(name)
        return `${this.names.of(name)}${uncounted ? '🟠' : ''}${isUpdating(machine as unknown as Machine) ? '🟡' : ''}`
      })
    return `(${shown.sort((a, b) => parseInt(a.slice(1)) - parseInt(b.slice(1))).join()})`
  }

  decision(number: number, decision: LoggedDecision, writes: Write[], seen: Seen): string[] {
    const { summaries, changes } = decision
    const machines = this.recorded.history.at('machine', seen.machine)
    const sets = new Map(this.sets(seen.set).map((set) => [set.metadata.name, set]))
    for (const { set, after } of writes) sets.set(set, after)
    const names = Object.keys(summaries).sort(
      (a, b) => Number(this.names.of(a).slice(2)) - Number(this.names.of(b).slice(2)),
    )
    const lines = names.flatMap((set) => {
      const own = changes.find((change) => change.set === set)
      const line = `    ${this.names.of(set)}: ${summaries[set]} ${this.machines(machines, sets.get(set))}`
      return [
        line,
        ...this.change(
          own,
          writes.find((write) => write.set === set),
        ),
      ]
    })
    return [
      `[MD controller] Iteration ${number}, Reconcile md`,
      '[MD controller] - Result of rollout planner',
      `    md: md: ${this.counted(seen)}`,
      ...lines,
    ]
  }

  private change(change: LoggedDecision['changes'][number] | undefined, write: Write | undefined): string[] {
    if (!change || !write) return []
    const set = this.names.of(change.set)
    const [was, is] = [write.before ? replicasOf(write.before) : 0, replicasOf(write.after)]
    const lines: string[] = []
    if (change.what === 'created') lines.push(`      - MachineSet ${set} created, it is now the current MachineSet`)
    if (was !== is) {
      const [direction, by] = is < was ? ['down', `-${was - is}`] : ['up', `+${is - was}`]
      lines.push(`      - Scaled ${direction} ${change.kind} MachineSet ${set} from ${was} to ${is} replicas (${by})`)
    } else if (change.what !== 'created') lines.push(`      - Updated ${change.kind} MachineSet ${set}`)
    if (change.reason) lines.push(`        - Reason: ${this.names.in(change.reason)}`)
    if (change.diff) lines.push(`        - Diff: ${this.names.in(change.diff)}`)
    return lines
  }

  /**
   * The deployment's own counts: the sum of what the manager says that it saw. Not what is on the object: it patches only
   * what differs from its cache, and so the object may show a mixture of two reconciles for a moment.
   */
  private counted(seen: Seen): string {
    const sum = (key: string) => this.sets(seen.set).reduce((total, set) => total + count(set, key), 0)
    const keys = ['replicas', 'availableReplicas', 'upToDateReplicas']
    return countsOf({
      ...this.deployment(seen.deployment),
      status: Object.fromEntries(keys.map((key) => [key, sum(key)])),
    })
  }
}
