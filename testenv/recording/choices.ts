import { choiceLines, wentLines, type Choice } from '@/lib/domain/rollout/golden'
import type { DeletionOrder } from '@/lib/domain/rollout'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Machine } from '@/sandbox/controllers/kinds'
import { candidate } from '@/sandbox/controllers/machine-set'
import { ANNOTATION } from '@/sandbox/controllers/names'
import type { Version } from './capture'
import { replicasOf, setOf, type History } from './history'
import type { LoggedChoice } from './manager-log'
import type { Names } from './names'
import { NoSuchState } from './seen'

/** A decision of the MachineSet controller: which machines of a set went, and when. */
export interface Chosen {
  revision: number
  lines(iteration: number): string[]
}

/** All of them, each from what its manager can have seen of the machines: never less than it had seen before. */
export function chosen(history: History, names: Names, choices: LoggedChoice[], from: number): Chosen[] {
  const seen = new Map<string, number>()
  return choices.map((choice) => {
    const written = [...choice.deleted, ...choice.moved].map((name) => leaving(history, choice, name, from))
    const first = written.reduce((a, b) => (a.revision < b.revision ? a : b))
    const machines = seenMachines(history, choice, seen.get(choice.set) ?? from, first.revision - 1)
    seen.set(choice.set, machines)
    const set = seenSet(history, choice, from, first.revision - 1)
    const observed = observedOf(names, choice, set, history.at('machine', machines), timeOf(first))
    const of = (list: string[]) => list.map((name) => names.of(name))
    const went = { surplus: choice.surplus, deleted: of(choice.deleted), moved: of(choice.moved) }
    const target = choice.moveTo === undefined ? {} : { moveTo: names.of(choice.moveTo) }
    return {
      revision: first.revision,
      lines: (iteration) => [
        ...choiceLines(observed),
        ...wentLines(iteration, observed.set, choice.replicas, { ...went, ...target }),
      ],
    }
  })
}

/** The write by which a machine began to leave its set. */
function leaving(history: History, { set, moveTo, moved }: LoggedChoice, name: string, from: number): Version {
  const left = ({ metadata, ...machine }: KubeObject) =>
    moved.includes(name) ? setOf({ metadata, ...machine }) === moveTo : metadata.deletionTimestamp !== undefined
  const found = history
    .of('machine')
    .find(({ revision, object }) => revision > from && object.metadata.name === name && left(object))
  if (!found) throw new Error(`the manager says that ${name} leaves ${set}, and nothing of that was seen`)
  return found
}

/** To the second, as the API server writes it. */
function timeOf({ object: { metadata } }: Version): number {
  const times = (metadata.managedFields ?? []).map(({ time }) => Date.parse(time ?? ''))
  const of = metadata.deletionTimestamp === undefined ? Math.max(...times) : Date.parse(metadata.deletionTimestamp)
  return Math.floor(of / 1000)
}

const membersOf = (machines: KubeObject[], set: string) => machines.filter((machine) => setOf(machine) === set)

function seenMachines(history: History, { set, machineCount, reconcile }: LoggedChoice, from: number, until: number) {
  const as = (revision: number) => membersOf(history.at('machine', revision), set).length === machineCount
  const found = history.revisions('machine', from, until).find(as)
  if (found === undefined)
    throw new NoSuchState(`${set} never had ${machineCount} machines from ${from} to ${until} (reconcile ${reconcile})`)
  return found
}

function seenSet(history: History, choice: LoggedChoice, from: number, until: number): KubeObject {
  const states = history.revisions('set', from, until).flatMap((revision) => {
    const set = history.at('set', revision).find(({ metadata }) => metadata.name === choice.set)
    return set && replicasOf(set) === choice.replicas ? [set] : []
  })
  // What it moves to, it has read on the set; where that was never there, our rules are told what was.
  const told = ({ metadata }: KubeObject) => metadata.annotations?.[ANNOTATION.moveTo] === choice.moveTo
  const found = states.find(told) ?? states[0]
  if (!found)
    throw new NoSuchState(`${choice.set} never wanted ${choice.replicas} machines (reconcile ${choice.reconcile})`)
  return found
}

function observedOf(names: Names, choice: LoggedChoice, set: KubeObject, all: KubeObject[], now: number): Choice {
  const { annotations = {} } = set.metadata
  const target = annotations[ANNOTATION.moveTo]
  const machines = membersOf(all, choice.set).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  return {
    set: names.of(choice.set),
    goal: {
      ...{ replicas: choice.replicas, order: choice.order as DeletionOrder },
      ...(target === undefined ? {} : { moveTo: names.of(target) }),
      receives: annotations[ANNOTATION.receiveFrom] !== undefined,
    },
    machines: machines.map((machine) => {
      const { createdAt, name, ...facts } = candidate(machine as unknown as Machine)
      return { ...facts, name: names.of(name), age: Math.max(0, now - createdAt / 1000) }
    }),
  }
}
