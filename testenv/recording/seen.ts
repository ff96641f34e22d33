import {
  has,
  isUpdating,
  listed,
  type MachineDeployment,
  type MachineSet,
  type Machine,
} from '@/sandbox/controllers/kinds'
import { ANNOTATION } from '@/sandbox/controllers/names'
import { templateReasons } from '@/sandbox/controllers/up-to-date'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Kind } from './capture'
import { replicasOf, setOf, type History } from './history'
import type { LoggedDecision } from './manager-log'
import type { Write } from './writes'

/** How far each of the manager's caches was: it watches each kind by itself. */
export type Seen = Record<Kind, number>

export class NoSuchState extends Error {}

/**
 * What the manager had in its caches when it decided. It cannot have gone back, and it waits until it sees its own writes
 * to MachineSets; of what is left it is the newest that fits what the manager wrote down: how it saw each MachineSet, for how many
 * replicas, and which Machines it counted and saw updating. Our own rules have no say in it.
 */
export function seenBy(
  history: History,
  decision: LoggedDecision,
  writes: Write[],
  before: Seen,
  ownWrite: number,
): Seen {
  const until = Math.min(...writes.map(({ revision }) => revision)) - 1
  const newest = (kind: Kind, from: number, what: string, fits: (objects: KubeObject[]) => boolean) => {
    const found = history.revisions(kind, from, until).find((revision) => fits(history.at(kind, revision)))
    if (found === undefined) throw new NoSuchState(`${what} from ${from} to ${until} (reconcile ${decision.reconcile})`)
    return found
  }
  const deployment = newest('deployment', before.deployment, 'no MachineDeployment wants what was written', ([md]) =>
    writes.every((write) => wantedBy(md as never, write, decision)),
  )
  const set = newest('set', Math.max(before.set, ownWrite), 'no MachineSets are as the manager saw them', (sets) =>
    asSummed(sets, decision),
  )
  const sets = history.at('set', set)
  const counted = (machines: KubeObject[]) => asCounted(machines, sets, decision)
  // It lists all that it has counted and that are not taken over yet: so much more is known of its Machines then.
  const noted = (machines: KubeObject[]) => counted(machines) && asNoted(machines, decision, writes)
  const some = history.revisions('machine', before.machine, until).some((at) => noted(history.at('machine', at)))
  const fitting = some ? noted : counted
  const machine = newest('machine', before.machine, 'no Machines are as the manager counted them', fitting)
  return { deployment, set, machine }
}

function wantedBy(md: MachineDeployment, { after }: Write, { changes }: LoggedDecision): boolean {
  const kind = changes.find(({ set }) => set === after.metadata.name)?.kind
  const same = templateReasons((after as unknown as MachineSet).spec.template, md.spec.template).length === 0
  return (
    Number(after.metadata.annotations?.[ANNOTATION.desiredReplicas]) === (md.spec.replicas ?? 1) &&
    same === (kind === 'current')
  )
}

/** "3/2 replicas, 2 available, 1 upToDate" */
export const summaryOf = (set: KubeObject, wants = replicasOf(set)) => {
  const count = (key: string) => Number(set.status?.[key] ?? 0)
  const [there, is] = [count('replicas'), replicasOf(set)]
  const replicas = is === wants ? `${there}/${is}` : `from ${there}/${is} to ${there}/${wants}`
  return `${replicas} replicas, ${count('availableReplicas')} available, ${count('upToDateReplicas')} upToDate`
}

function asSummed(sets: KubeObject[], { summaries, changes }: LoggedDecision): boolean {
  const made = changes.filter(({ what }) => what === 'created').length
  return (
    sets.length + made === Object.keys(summaries).length &&
    sets.every((set) => {
      const summary = summaries[set.metadata.name] ?? ''
      const wants = / to \d+\/(\d+) replicas/.exec(summary)?.[1]
      return summary === summaryOf(set, wants === undefined ? undefined : Number(wants))
    })
  )
}

const namesOf = (machines: KubeObject[]) =>
  machines
    .map(({ metadata }) => metadata.name)
    .sort()
    .join()

export const pendingIn = (machines: KubeObject[], set: string) =>
  machines.filter((m) => setOf(m) === set && has(m, ANNOTATION.pendingMove))

function asCounted(machines: KubeObject[], sets: KubeObject[], decision: LoggedDecision): boolean {
  const { changes, acknowledged, updating } = decision
  if (updating && namesOf(machines.filter((m) => isUpdating(m as unknown as Machine))) !== updating.join()) return false
  if (!acknowledged) return true
  const current = currentIn(sets, changes)
  const known = listed(current?.metadata.annotations?.[ANNOTATION.acknowledged])
  const pending = pendingIn(machines, current?.metadata.name ?? '')
  return namesOf(pending.filter(({ metadata }) => !known.includes(metadata.name))) === acknowledged.join()
}

const currentIn = (sets: KubeObject[], changes: LoggedDecision['changes']) => {
  const name = changes.find(({ kind }) => kind === 'current')?.set
  return sets.find((set) => set.metadata.name === name)
}

function asNoted(machines: KubeObject[], { changes }: LoggedDecision, writes: Write[]): boolean {
  const name = changes.find(({ kind, what }) => kind === 'current' && what !== 'created')?.set
  const write = writes.find(({ after }) => after.metadata.name === name)
  if (!write) return true
  return namesOf(pendingIn(machines, name!)) === (write.after.metadata.annotations?.[ANNOTATION.acknowledged] ?? '')
}
