import { CATALOGUE } from './catalogue'
import { filled, found, searched, template, type Template } from './template'
import type { Entry, ErrorFacts, Explained, Explanation, Provider } from './types'

const KINDS: readonly [prefix: string, provider: Provider][] = [
  ['aws', 'aws'],
  ['azure', 'azure'],
  ['gcp', 'gcp'],
  ['vsphere', 'vsphere'],
  ['metal3', 'metal3'],
  ['baremetal', 'metal3'],
  ['openstack', 'openstack'],
  ['docker', 'docker'],
  ['dev', 'docker'],
]

export function providersOf({ api, infrastructure }: Pick<ErrorFacts, 'api' | 'infrastructure'>): Provider[] {
  const kind = infrastructure?.toLowerCase() ?? ''
  const made = KINDS.find(([prefix]) => kind.startsWith(prefix))?.[1]
  const family: Provider = api === 'machine.openshift.io' ? 'machine-api' : 'cluster-api'
  return made ? [family, made] : [family]
}

interface Compiled {
  entry: Entry
  conditions: readonly string[] | null
  reasons: readonly string[] | null
  templates: readonly Template[] | null
}

const list = (given: string | readonly string[] | undefined): readonly string[] | null =>
  given === undefined ? null : typeof given === 'string' ? [given] : given

const compile = (entry: Entry): Compiled => ({
  entry,
  conditions: list(entry.condition),
  reasons: list(entry.reason),
  templates: list(entry.message)?.map(template) ?? null,
})

const compiled = CATALOGUE.map(compile)
const byId = new Map(CATALOGUE.map((entry) => [entry.id, entry]))

export interface Claim extends Explained {
  /** Says more than another claim: its message first, then reason, condition, whose words, and how much of the message. */
  weight: readonly number[]
}

/** Every entry that has something to say to these facts, the most specific first. */
export function claims(facts: ErrorFacts): Claim[] {
  const providers = providersOf(facts)
  const message = searched(facts.message)
  const all: Claim[] = []
  for (const { entry, conditions, reasons, templates } of compiled) {
    if (conditions && !(facts.condition !== null && conditions.includes(facts.condition))) continue
    if (reasons && !(facts.reason !== null && reasons.includes(facts.reason))) continue
    if (entry.providers && !entry.providers.some((provider) => providers.includes(provider))) continue
    let length = 0
    let names: Record<string, string> = {}
    if (templates) {
      const hits = templates.flatMap((t) => {
        const hit = found(t, message)
        return hit ? [{ hit, length: t.pattern.source.length }] : []
      })
      const best = hits.sort((a, b) => b.length - a.length)[0]
      if (!best) continue
      names = best.hit
      length = best.length
    }
    const own = entry.providers ? (entry.providers.some((p) => p === providers[1]) ? 2 : 1) : 0
    const weight = [templates ? 1 : 0, entry.general ? 0 : 1, reasons ? 1 : 0, conditions ? 1 : 0, own, length]
    all.push({ entry, words: filled(entry.short, names), weight })
  }
  return all.sort((a, b) => compare(b.weight, a.weight))
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return 0
}

const REMEMBERED = 2_000
const answers = new Map<string, Explained | null>()

/** The entry that says most about it; null: Drydock does not know this error. Many machines say the same: answers are kept. */
export function explain(facts: ErrorFacts): Explained | null {
  const { api, infrastructure, condition, reason, message } = facts
  const key = JSON.stringify([api, infrastructure, condition, reason, message.slice(0, 9_000)])
  const known = answers.get(key)
  if (known !== undefined) return known
  const [best] = claims(facts)
  const answer = best ? { entry: best.entry, words: best.words } : null
  if (answers.size >= REMEMBERED) answers.clear()
  answers.set(key, answer)
  return answer
}

/** An entry that was found before, with the words that were made of it then. Null where a later version no longer has it. */
export function explanation(id: string | null, words: string | null): Explanation | null {
  const entry = id === null ? undefined : byId.get(id)
  return entry ? explanationOf({ entry, words: words ?? filled(entry.short, {}) }) : null
}

export function explanationOf({ entry, words }: Explained): Explanation {
  const { id, lasts, cause, step, source } = entry
  return {
    ...{ id, words, cause, step, source, general: entry.general ?? false, stage: entry.stage ?? false },
    terminal: lasts === 'terminal',
    normally: lasts === 'terminal' ? null : lasts.normally,
  }
}

/** What is stored with a machine, and what is to be counted. */
export interface Trouble {
  trouble: string | null
  troubleWords: string | null
  /** The words may stand in the place of the message: they say as much. */
  instead: string | null
  unknown: ErrorFacts | null
}

/** Nothing is the matter. */
export const NO_TROUBLE: Trouble = { trouble: null, troubleWords: null, instead: null, unknown: null }

/** `failing`: it counts as an error, not as a stage that it goes through. */
export function troubleOf(facts: ErrorFacts, failing: boolean): Trouble {
  const known = explain(facts)
  const exact = known !== null && !known.entry.general
  return {
    trouble: known?.entry.id ?? null,
    troubleWords: known?.words ?? null,
    instead: exact && !known.entry.stage ? known.words : null,
    unknown: failing && !exact ? facts : null,
  }
}
