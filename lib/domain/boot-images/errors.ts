import { conditionOf, type Condition } from '../skew/types'
import { DEGRADED } from './pass'

interface OneError {
  /** "MAPI MachineSet" */
  kind: string
  name: string
  words: string
}

/** A list of errors, "[error syncing MAPI MachineSet a: …, error syncing ControlPlaneMachineSet cluster: …]", one by one. */
function errorsOf(text: string): OneError[] {
  const list = text.replace(/^\[([\s\S]*)\]$/, '$1')
  const heads = [...list.matchAll(/(?:^|, )error syncing ([\w ]+) ([^\s:]+):\s?/g)]
  return heads.map((head, i) => ({
    ...{ kind: head[1]!, name: head[2]! },
    words: list.slice(head.index + head[0].length, heads[i + 1]?.index),
  }))
}

/** Machine sets and texts of a list of errors. What it failed at besides (a control plane's set) is of none of them. */
export const errorsBySet = (text: string): Map<string, string> =>
  new Map(errorsOf(text).flatMap(({ kind, name, words }) => (kind === 'MAPI MachineSet' ? [[name, words]] : [])))

/** Whom it failed on, with the cause alone. */
export const causesOf = (text: string): { name: string; cause: string }[] =>
  errorsOf(text).map(({ kind, name, words }) => ({
    name: kind === 'ControlPlaneMachineSet' ? 'the control plane’s set' : name,
    cause: words.replace(WRAPPED, ''),
  }))

/** What the operator says of its last pass while that counts as failed: its errors, or all that it says; null: it did not fail. */
export function failedPass(conditions: readonly Condition[]): string | null {
  const degraded = conditionOf(conditions, DEGRADED)
  if (degraded?.status !== 'True') return null
  const message = degraded.message ?? ''
  return /Error\(s\): ([\s\S]*)$/.exec(message)?.[1] ?? message
}

/** The machine sets that it names there, each with the cause alone. */
export function failedSets(conditions: readonly Condition[]): Map<string, string> {
  const said = failedPass(conditions)
  return new Map([...errorsBySet(said ?? '')].map(([name, words]) => [name, words.replace(WRAPPED, '')]))
}

const WRAPPED = /^failed to reconcile \w+ \S+, err: /
