import { Environment } from '@marcbachmann/cel-js'
import { heldWords } from './expressions'
import type { LatchedKind } from './table'

// The same expressions that the API server evaluates, for the webhook form and for checks: there is only one table.
const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })
const parsed = new Map<string, ReturnType<typeof environment.parse>>()

export function evaluateCel(expression: string, variables: Record<string, unknown>): unknown {
  let program = parsed.get(expression)
  if (!program) parsed.set(expression, (program = environment.parse(expression)))
  return program(variables)
}

/** What the latch writes into drydock.dev/held for this change. */
export function heldWordsFor(kind: LatchedKind, object: unknown, oldObject: unknown): string {
  return String(evaluateCel(heldWords(kind), { object, oldObject }))
}
