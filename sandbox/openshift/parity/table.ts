import type { ConfigurationForm } from '../machine-configuration'
import { sorted, type Answer } from './answer'
import type { Row } from './matrix'
import { statesOf } from './states'
import type { Played } from './play'

/** What one action is answered in some states. */
type Outcome = Omit<Row, 'action' | 'state'> & { states: 'all' | string[] }

/** All that was answered, in the form in which it is kept: an action's states are together where its answer is the same. */
export interface Table {
  actions: Record<string, Outcome[]>
  scenarios: Record<string, Record<string, Answer>>
}

function grouped<T>(list: readonly T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one])
  return groups
}

const keyOf = ({ action: _, state: __, ...outcome }: Row) => JSON.stringify(sorted(outcome as never))

export function tableOf({ rows, said }: Played, form: ConfigurationForm): Table {
  const all = statesOf(form).length
  const actions: Table['actions'] = {}
  for (const [action, of] of grouped(rows, (row) => row.action)) {
    const groups = [...grouped(of, keyOf).values()]
    actions[action] = groups.map((same) => {
      const { action: _, state: __, ...outcome } = same[0]!
      return { states: same.length === all ? 'all' : same.map((row) => row.state), ...outcome }
    })
  }
  const scenarios: Table['scenarios'] = {}
  for (const { scenario, step, answer } of said) {
    const steps = (scenarios[scenario] ??= {})
    if (step in steps) throw new Error(`Two steps of "${scenario}" are called "${step}".`)
    steps[step] = answer
  }
  return { actions, scenarios }
}

/** One line for each outcome, so that a difference is seen as one. */
export function textOf({ actions, scenarios }: Table): string {
  const line = (value: unknown) => JSON.stringify(sorted(value as never))
  const block = (entries: [string, string][], close: string) =>
    entries.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(`,\n${close}`)
  const outcomes = Object.entries(actions).map(([name, list]): [string, string] => [
    name,
    `[\n    ${list.map(line).join(',\n    ')}\n  ]`,
  ])
  const steps = Object.entries(scenarios).map(([name, said]): [string, string] => [
    name,
    `{\n    ${block(
      Object.entries(said).map(([step, answer]) => [step, line(answer)]),
      '    ',
    )}\n  }`,
  ])
  return `{"actions": {\n  ${block(outcomes, '  ')}\n},\n"scenarios": {\n  ${block(steps, '  ')}\n}}\n`
}
