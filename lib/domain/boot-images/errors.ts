import { conditionOf, type Condition } from '../skew/types'
import { DEGRADED } from './pass'

/** Sets and texts of a list of errors, "[error syncing MAPI MachineSet a: …, error syncing MAPI MachineSet b: …]". */
export const errorsBySet = (text: string): Map<string, string> =>
  new Map(
    text
      .replace(/^\[([\s\S]*)\]$/, '$1')
      .split(/(?:^|, )error syncing MAPI MachineSet /)
      .filter(Boolean)
      .map((part) => [part.slice(0, part.indexOf(':')), part.slice(part.indexOf(':') + 2)]),
  )

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
  if (!said?.includes('error syncing MAPI MachineSet ')) return new Map()
  return new Map([...errorsBySet(said)].map(([name, words]) => [name, words.replace(WRAPPED, '')]))
}

const WRAPPED = /^failed to reconcile machineset \S+, err: /
