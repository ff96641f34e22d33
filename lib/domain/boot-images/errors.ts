import { conditionOf, type Condition } from '../skew/types'
import { DEGRADED } from './pass'

/**
 * Machine sets and texts of a list of errors, "[error syncing MAPI MachineSet a: …, error syncing MAPI MachineSet b: …]". What it
 * failed at besides (a control plane's set) is of none of them.
 */
export function errorsBySet(text: string): Map<string, string> {
  const list = text.replace(/^\[([\s\S]*)\]$/, '$1')
  const heads = [...list.matchAll(/(?:^|, )error syncing ([\w ]+) ([^\s:]+):\s?/g)]
  return new Map(
    heads.flatMap((head, i) =>
      head[1] === 'MAPI MachineSet' ? [[head[2]!, list.slice(head.index + head[0].length, heads[i + 1]?.index)]] : [],
    ),
  )
}

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

const WRAPPED = /^failed to reconcile machineset \S+, err: /
