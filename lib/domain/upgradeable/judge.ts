import { conditionOf, type Condition } from '../skew/types'
import { minorOf } from '../skew/version'
import { isSkewWords, SKEW_ERROR } from '../skew/unheard'
import { SUB_CONDITIONS } from './conditions'
import { formOf, judgeGates } from './gates'
import { findings, type Finding } from './report'
import type { Blocker, Form, Gate, Upgradeability, UpgradeFacts, UpgradeState } from './types'

/**
 * Why updates are closed is taken from the ClusterOperators, gates and overrides themselves, whether they are from ClusterVersion:
 * its words hide reasons behind one another, and from 4.23 on name none. Never throws.
 */
export function upgradeability(facts: UpgradeFacts): Upgradeability {
  const form = formOf(facts.desired)
  const gates = judgeGates(form, facts)
  const condition = conditionOf(facts.conditions ?? [], 'Upgradeable')
  const words = saidWords(facts.conditions ?? [])
  const found = findings(facts, form).map((f): Blocker => ({ ...f, said: says(words, f, form) ? 'both' : 'not-yet' }))
  const left = condition?.status === 'False' ? leftOver(condition, found, facts, gates) : []
  const blockers = [...found, ...left].sort((a, b) => pressing(a, gates) - pressing(b, gates))
  const state = stateOf(facts, condition, blockers)
  return { state, sentence: sentenceOf(state, facts, condition, blockers), form, blockers, gates }
}

/** What takes one click first, what opens by itself last. */
function pressing({ source, item, said }: Blocker, gates: readonly Gate[]): number {
  if (said === 'no-longer') return 2
  return source === 'gate' && gates.some((gate) => gate.name === item && gate.state === 'waiting') ? 0 : 1
}

/** All that ClusterVersion says against updates, as one text in its parts. */
const saidWords = (conditions: readonly Condition[]): string =>
  conditions
    .filter((c) => (c.type === 'Upgradeable' && c.status === 'False') || SUBS.includes(c.type))
    .map((c) => withoutLeads(c.message ?? ''))
    .join('\n* ')

const SUBS: readonly string[] = SUB_CONDITIONS

const says = (words: string, finding: Finding, form: Form): boolean =>
  (finding.source === 'operator' || finding.message.trim() !== '') && wordsOf(finding, form).test(words)

const LEAD = /Cluster should not be upgraded between minor(?: or major)? versions for multiple reasons:[^\n]*/g
const OPERATOR = /Cluster operator (\S+) should not be upgraded between minor(?: or major)? versions:\s*/g
const MANY = /Multiple cluster operators should not be upgraded between minor(?: or major)? versions:/g
const withoutLeads = (text: string): string => text.replaceAll(LEAD, '').replaceAll(MANY, '')
const DELETION = 'resource deletions are in progress'
const MACHINE_CONFIG = 'machine-config'

/**
 * What ClusterVersion says and nothing else does: deletions, which its operator alone knows, what was repaired and is not taken up
 * yet, and what Drydock may not read.
 */
function leftOver(
  condition: Condition,
  found: readonly Blocker[],
  facts: UpgradeFacts,
  gates: readonly Gate[],
): Blocker[] {
  const form = formOf(facts.desired)
  let rest = withoutLeads(condition.message ?? '')
  for (const finding of [...found].sort((a, b) => b.message.length - a.message.length)) {
    rest = rest.replaceAll(wordsOf(finding, form), '')
  }
  const since = condition.lastTransitionTime ?? null
  // What stands in one text is no part of its own.
  const whole: string[] = []
  for (const text of textsOf(gates).filter((text) => text.includes('\n* ')))
    rest = rest.replaceAll(wordsOfGate(text, form), () => {
      whole.push(text)
      return ''
    })
  const parts = [...whole, ...rest.split(/\n\* /).map((words) => words.trim())]
  const known = parts.filter((words) => /\w/.test(words))
  if (known.length === 0 && found.length === 0)
    return [
      {
        source: 'other',
        item: '',
        reason: condition.reason ?? '',
        message: condition.message ?? '',
        since,
        said: 'both',
      },
    ]
  // Of whom it is known what they say now, what they said before is of no use.
  const current = new Set(found.map(keyOf))
  const all = known
    .flatMap((message) => attributed(message, condition.reason ?? '', facts, gates))
    .map((blocker): Blocker => ({ since, ...blocker }))
  const left = together(all.filter((blocker) => blocker.item === '' || !current.has(keyOf(blocker))))
  if (form !== 'risks') return left
  const named = new Set(all.map(keyOf))
  const unnamed = found.filter((finding) => !named.has(keyOf(finding)))
  return withoutFormer(left, unnamed)
}

const keyOf = ({ source, item }: Pick<Blocker, 'source' | 'item'>): string => `${source}/${item}`

/** What is said of one in several parts, as where one text begins another, is one reason, in all of these words. */
function together(left: readonly Blocker[]): Blocker[] {
  const by = new Map<string, Blocker[]>()
  for (const [i, blocker] of left.entries()) {
    const key = blocker.source === 'other' ? `${i}` : keyOf(blocker)
    by.set(key, [...(by.get(key) ?? []), blocker])
  }
  return [...by.values()].map((parts) => ({
    ...parts[0]!,
    message: [...new Set(parts.map(({ message }) => message))].join('\n'),
  }))
}

/** A part that is this operator’s words, with its name where the release writes that. Other words keep the name, to be known by it. */
function wordsOfOperator({ item, reason, message: text }: Finding): RegExp {
  const message = text.trim()
  const name = `${OPERATOR.source.replace('(\\S+)', escaped(item))}(?:${escaped(reason)}:\\s*)?`
  const all = message ? `(?:${name})?${escaped(message)}` : name
  return part(all)
}

const part = (words: string): RegExp => new RegExp(`(?<=^|\\n\\* )\\s*${words}(?=\\s*(?:\\n\\* |$))`, 'g')

/** Up to 4.22 the texts of gates stand in one part, one after another. */
function wordsOf(finding: Finding, form: Form): RegExp {
  return finding.source === 'operator' ? wordsOfOperator(finding) : wordsOfGate(finding.message, form)
}

function wordsOfGate(text: string, form: Form): RegExp {
  const words = escaped(text.trim())
  return form === 'risks' ? part(words) : new RegExp(`(?<!\\w)${words}(?!\\w)`, 'g')
}

/**
 * From 4.23 on words come without a name. While what an operator says now is not taken up, such words are what it said before: for two
 * minutes at most, so that nothing else is passed over for longer. Of one that says nothing it cannot be told when it is taken up.
 */
function withoutFormer(left: readonly Blocker[], found: readonly Blocker[]): Blocker[] {
  let former = found.filter((f) => f.source === 'operator' && f.said === 'not-yet' && f.message.trim()).length
  return left.filter(({ source }) => source !== 'other' || former-- <= 0)
}

function attributed(
  message: string,
  reason: string,
  facts: UpgradeFacts,
  all: readonly Gate[],
): Omit<Blocker, 'since'>[] {
  if (message.includes(DELETION)) return [{ source: 'deletion', item: '', reason, message, said: 'both' }]
  const [lead = '', named] = new RegExp(OPERATOR.source).exec(message) ?? []
  const words = message.slice(message.indexOf(lead) + lead.length)
  // From 4.23 on nobody is named; these are known by themselves.
  const isSkew = isSkewWords(words)
  const operator = named ?? (isSkew ? MACHINE_CONFIG : undefined)
  if (operator) {
    // The operator itself is known and no longer objects; one that is not known cannot be asked.
    const said = facts.operators.some((o) => o.name === operator) ? 'no-longer' : 'both'
    return [{ source: 'operator', item: operator, reason: isSkew ? SKEW_ERROR : reason, message: words, said }]
  }
  // Without the acknowledgements, ClusterVersion is the only one to say that a gate is not acknowledged.
  const said = facts.acks === undefined ? 'both' : 'no-longer'
  const gates = gatesIn(message, all)
  if (gates.length > 0) return gates.map((gate) => ({ source: 'gate', ...gate, reason, said }))
  return [{ source: 'other', item: '', reason, message, said: isFormer(message, facts) ? 'no-longer' : 'both' }]
}

/**
 * Up to 4.22 what gates say has a condition of its own, or where nothing else is said the reason: where all of them are read, what none
 * says now is what one said before.
 */
function isFormer(message: string, { gates, acks, conditions }: UpgradeFacts): boolean {
  const own = (conditions ?? []).find(
    ({ type, reason }) =>
      type === 'UpgradeableAdminAckRequired' || (type === 'Upgradeable' && reason === 'AdminAckRequired'),
  )
  return Boolean(gates) && acks !== undefined && own?.status === 'False' && (own.message ?? '').includes(message)
}

/** What gates say, the longest first. */
const textsOf = (gates: readonly Gate[]): string[] =>
  [...new Set(gates.map(({ text }) => text.trim()))].filter(Boolean).sort((a, b) => b.length - a.length)

/** Whose words these are: of all gates whose texts they are, one after another; else of those of which they have most. */
function gatesIn(message: string, gates: readonly Gate[]): Pick<Blocker, 'item' | 'message'>[] {
  const texts = textsOf(gates).filter((text) => message.includes(text))
  let rest = message
  const found = texts.filter((text) => {
    if (!rest.includes(text)) return false
    rest = rest.replaceAll(text, '\n')
    return true
  })
  if (/\w/.test(rest))
    return texts.slice(0, 1).flatMap((text) => whoseText(text, gates).map((item) => ({ item, message })))
  return found.flatMap((text) => whoseText(text, gates).map((item) => ({ item, message: text })))
}

/** All that have this text: which of them is meant nobody tells, but that it is for this release where one is. */
function whoseText(text: string, gates: readonly Gate[]): string[] {
  const all = gates.filter((gate) => gate.text.trim() === text)
  const here = all.filter(({ state }) => state !== 'other-release')
  return (here.length > 0 ? here : all).map(({ name }) => name)
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function stateOf(facts: UpgradeFacts, condition: Condition | undefined, blockers: readonly Blocker[]): UpgradeState {
  if (facts.conditions === null) return 'unknown'
  if (condition?.status === 'False') return 'closed'
  if (condition?.status === 'Unknown') return 'unknown'
  return blockers.length > 0 ? 'closing' : 'open'
}

function sentenceOf(
  state: UpgradeState,
  facts: UpgradeFacts,
  condition: Condition | undefined,
  blockers: readonly Blocker[],
): string {
  const minor = minorOf(facts.desired ?? '') ?? 'this minor version'
  const reasons = (n: number) => (n === 1 ? 'One reason' : `${n} reasons`)
  const holding = blockers.filter((b) => b.said !== 'no-longer').length
  if (state === 'open') return `Updates beyond ${minor} are open.`
  if (facts.conditions === null)
    return 'ClusterVersion/version cannot be read, so it is not known whether updates are open.'
  if (state === 'unknown')
    return `The Cluster Version Operator could not find out whether updates beyond ${minor} are open${condition?.reason ? ` (${condition.reason})` : ''}. It does not stop an update for that.`
  if (state === 'closing')
    return `${reasons(holding)} will close updates beyond ${minor}: the Cluster Version Operator has not taken ${holding === 1 ? 'it' : 'them'} up yet.`
  if (holding === 0)
    return `Updates beyond ${minor} are still closed, but what closed them is no longer in the way: they open when the Cluster Version Operator looks again.`
  // What ClusterVersion does not say yet keeps nothing closed now.
  const notYet = blockers.filter((b) => b.said === 'not-yet').length
  const now = holding - notYet || holding
  const more =
    now < holding
      ? `, and ${notYet} more will when the Cluster Version Operator takes ${notYet === 1 ? 'it' : 'them'} up`
      : ''
  return `${reasons(now)} ${now === 1 ? 'keeps' : 'keep'} updates beyond ${minor} closed${more}. Patch releases within ${minor} stay open.`
}
