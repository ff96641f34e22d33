import {
  limitWords,
  RULES,
  ruleWords,
  saidRules,
  spansWords,
  spanWords,
  wavesWords,
  whyWords,
  type PolicySpec,
  type Resolved,
  type Rules,
  type Selection,
  type Span,
  type Told,
} from '@/lib/domain/policies'
import { withRest } from '@/lib/domain/waves/members'
import { placeWords } from '@/lib/services/policies/unknown-words'
import type { PreviewedGroup, Said } from '@/lib/services/policies/previewed-groups'

const KINDS: Record<string, string> = {
  MachineDeployment: 'worker groups',
  KubeadmControlPlane: 'control planes',
  MachineConfigPool: 'pools',
}

const kindsWords = (kinds: readonly string[]): string =>
  kinds
    .map((kind) => KINDS[kind] ?? kind)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1')

/** What a policy may be for; also the choice that is there already, where it is none of the usual ones. */
export function kindChoices(typed: string): { value: string; words: string }[] {
  const usual = [
    'MachineDeployment',
    'KubeadmControlPlane',
    'MachineDeployment, KubeadmControlPlane',
    'MachineConfigPool',
  ]
  const all = typed === '' || usual.includes(typed) ? usual : [...usual, typed]
  return [
    { value: '', words: `${kindsWords(Object.keys(KINDS))}: every kind` },
    ...all.map((value) => {
      const kinds = value.split(', ')
      return { value, words: kinds.length === 1 ? `${kindsWords(kinds)} (${value})` : kindsWords(kinds) }
    }),
  ]
}

const list = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : (names[0] ?? '')

/** "worker groups in namespace payments, of clusters labelled env=prod": for which groups a policy is. */
export function selectionWords(select: Selection): string {
  const { kinds, names, namespaces, workloadClusters, labels, clusters } = select
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => (value === '*' ? key : `${key}=${value}`))
  const parts = [
    names?.length && `named ${list(names)}`,
    namespaces?.length && `in namespace ${list(namespaces)}`,
    workloadClusters?.length && `of workload cluster ${list(workloadClusters)}`,
    pairs.length > 0 && `of workload clusters labelled ${pairs.join(' and ')}`,
    clusters?.length && `in management cluster ${list(clusters)}`,
  ].filter(Boolean)
  const what = kinds?.length ? kindsWords(kinds) : parts.length > 0 ? 'groups' : 'every group'
  return [what, parts.join(', ')].filter(Boolean).join(' ')
}

const SHORT: { [Rule in keyof Rules]: (value: Rules[Rule]) => string } = {
  approvals: (n) => (n === 0 ? 'no approval' : ruleWords('approvals', n)),
  strategy: (strategy) => strategy.replaceAll('-', ' '),
  notTheAuthor: (strict) => (strict ? 'not the author’s' : 'the author’s counts'),
  reasonRequired: (required) => (required ? 'with a reason' : 'a reason may be left out'),
  expiresAfter: (time) => (time === 'never' ? 'does not expire' : `expires after ${time}`),
  stopsAt: (limit) => (limit === 'never' ? 'does not stop by itself' : `stops when ${limitWords(limit)} failed`),
  readyWithin: (time) => (time === 'never' ? 'Ready at any time' : `Ready within ${time}`),
  remindAfter: (time) => (time === 'never' ? 'nobody is reminded of holds' : `reminds of holds after ${time}`),
  escalateAfter: (time) =>
    time === 'never' ? 'holds are not shown to everybody' : `shows holds to everybody after ${time}`,
  holdLimit: (time) =>
    time === 'never'
      ? 'holds of control planes are never called dangerous'
      : `holds of control planes are dangerous after ${time}`,
  maxSurge: (n) => (n === null ? 'the group’s own maxSurge' : `maxSurge ${n}`),
  maxUnavailable: (n) => (n === null ? 'the group’s own maxUnavailable' : `maxUnavailable ${n}`),
  deletionOrder: (order) => (order === null ? 'the group’s own deletion order' : `deletion order ${order}`),
  drainTimeout: (time) => (time === null ? 'the group’s own drain time-out' : `drain time-out ${time}`),
  detachTimeout: (time) => (time === null ? 'the group’s own detach time-out' : `detach time-out ${time}`),
  updaterOrder: (names) => (names.length === 0 ? 'updaters in their own order' : `updaters first: ${names.join(', ')}`),
  scaleWhileHeld: (carried) => (carried ? 'scales while it is held' : 'does not scale while it is held'),
}

export const shortRule = <Rule extends keyof Rules>(rule: Rule, value: Rules[Rule]): string => SHORT[rule](value)

/** "2 approvals, in place only": what a policy says, in few words. */
export const rulesWords = (spec: Omit<PolicySpec, 'select'>): string => rulesParts(spec).join(', ') || 'nothing'

function rulesParts(spec: Omit<PolicySpec, 'select'>, after?: number): string[] {
  const spans = (all: readonly Span[]) => all.map((span) => spanWords(span, after)).join('; ')
  const parts = RULES.flatMap((rule) => {
    const value = spec[rule]
    return value === undefined ? [] : [shortRule(rule, value as never)]
  })
  const { windows, freezes, waves } = spec
  if (windows) parts.push(windows === 'always' ? 'at any time' : `only in: ${spans(windows)}`)
  if (waves) parts.push(waves === 'none' ? 'all at once' : `in waves: ${wavesWords(withRest(waves))}`)
  if (freezes) parts.push(`not in: ${spans(freezes)}`)
  return parts
}

/** Which groups are in which wave, where that does not take whatever is left. */
const whoIn = (waves: PolicySpec['waves']): string[] =>
  waves && waves !== 'none'
    ? waves.flatMap(({ name, select }) => (select ? [`in wave ${name}: ${selectionWords(select)}`] : []))
    : []

/** What one version of a policy says and the one before did not, and the other way round. */
export function versionsApart(now: PolicySpec, before: PolicySpec): { gone: string[]; come: string[] } {
  // Of what repeats, the first day may be all that is another one.
  const rules = (spec: PolicySpec) => rulesParts(spec, -Infinity)
  const said = (spec: PolicySpec) => [`for ${selectionWords(spec.select)}`, ...rules(spec), ...whoIn(spec.waves)]
  const [is, was] = [said(now), said(before)]
  return { gone: was.filter((part) => !is.includes(part)), come: is.filter((part) => !was.includes(part)) }
}

/** "1 approval → 2 approvals": one rule, or the times, where it would be another. */
export function changeWords(rule: Said, now: Resolved, then: Resolved): string {
  if (rule === 'windows') return `${inWindows(now)} → ${inWindows(then)}`
  if (rule === 'freezes') return `${inFreezes(now)} → ${inFreezes(then)}`
  if (rule === 'waves')
    return inWaves(now) === inWaves(then) ? othersIn(now, then) : `${inWaves(now)} → ${inWaves(then)}`
  return `${shortRule(rule, now[rule].value as never)} → ${shortRule(rule, then[rule].value as never)}`
}

type Changed = Pick<PreviewedGroup, 'cluster' | 'workloadCluster' | 'name' | 'now' | 'then' | 'changes'>

/** Groups that get the same other rules, taken together, in the order of their first. */
export function alike(groups: readonly Changed[]): { words: string; names: string[] }[] {
  const found = new Map<string, string[]>()
  for (const { cluster, workloadCluster, name, now, then, changes } of groups) {
    const words = changes.map((rule) => changeWords(rule, now, then)).join('; ')
    found.set(words, [...(found.get(words) ?? []), [cluster, workloadCluster, name].join(' / ')])
  }
  return [...found].map(([words, names]) => ({ words, names }))
}

const inWindows = ({ windows }: Resolved): string =>
  windows.length > 0 ? `only in: ${spansWords(windows, 'and')}` : 'at any time'
const inFreezes = ({ freezes }: Resolved): string =>
  freezes.length > 0 ? `not in: ${spansWords(freezes, 'and')}` : 'no freeze'

/** "2 approvals (prod)": all that policies say for a group, each with the policy that says it. */
export function saidParts(rules: Resolved): string[] {
  const by = (told: readonly Told<unknown>[]): string =>
    `(${[...new Set(told.flatMap(({ policy }) => policy?.name ?? []))].join(', ')})`
  const { windows, freezes, waves, always, noWaves } = rules
  return [
    ...saidRules(rules).map((rule) => `${shortRule(rule, rules[rule].value as never)} ${by([rules[rule]])}`),
    ...(windows.length > 0 ? [`${inWindows(rules)} ${by(windows)}`] : always ? [`at any time ${by([always])}`] : []),
    ...(freezes.length > 0 ? [`${inFreezes(rules)} ${by(freezes)}`] : []),
    ...(waves ? [`${inWaves(rules)} ${by([waves])}`] : noWaves ? [`all at once ${by([noWaves])}`] : []),
  ]
}

/** The same waves, with other groups in them. */
function othersIn(now: Resolved, then: Resolved): string {
  const [is, was] = [whoIn(then.waves?.value), whoIn(now.waves?.value)]
  const [gone, come] = [was.filter((one) => !is.includes(one)), is.filter((one) => !was.includes(one))]
  return `waves change: ${gone.join('; ') || 'in the same waves'} → ${come.join('; ') || 'in the same waves, without that'}`
}
const inWaves = ({ waves }: Resolved): string =>
  waves ? `in waves: ${wavesWords(withRest(waves.value))}` : 'all at once'

/** Which policies say so: "policy prod, version 3: it names the namespace payments". */
export const saidBy = (rule: Said, rules: Resolved): string =>
  [rules[rule]]
    .flat()
    .flatMap((told) => (told ? whyWords(told) : []))
    .filter(Boolean)
    .join('; ')

/** What fields of the editor are called; what is nested, and what is not here, goes by its key. */
export const LABELS = {
  name: 'Name',
  'select.labels': 'Labels of the workload cluster',
  'select.workloadClusters': 'Workload clusters',
  'select.clusters': 'Management clusters',
  'select.namespaces': 'Namespaces',
  'select.names': 'Groups',
  'select.kinds': 'Kinds',
  strategy: 'Strategy',
  approvals: 'Approvals',
  expiresAfter: 'An approval lasts',
  stopsAt: 'It stops by itself',
  readyWithin: 'Ready within',
  notTheAuthor: 'The author’s own approval',
  reasonRequired: 'A reason',
  scaleWhileHeld: 'Scaling of a worker group',
  remindAfter: 'People are reminded after',
  escalateAfter: 'Everybody sees it after',
  holdLimit: 'A control plane’s is dangerous after',
  deletionOrder: 'The machine that goes first',
  drainTimeout: 'A node is drained for at most',
  detachTimeout: 'Its volumes are detached for at most',
  updaterOrder: 'Updaters that are asked first',
} as const

/** Of one of its windows, freezes or waves. */
export const PART_LABELS = {
  ...{ starts: 'Starts', ends: 'Lasts, or ends', lasts: 'Lasts, or ends', repeats: 'Again', timeZone: 'Time zone' },
  ...{ size: 'How many groups', soak: 'Then it soaks for', ownApproval: 'It begins' },
} as const

function labelOf(path: readonly string[]): string | undefined {
  const key = path[0] === 'select' ? path.slice(0, 2).join('.') : path.join('.')
  const part = (PART_LABELS as Record<string, string>)[path[2] ?? '']
  return (
    (LABELS as Record<string, string>)[key] ??
    (part && path.length === 3 ? `${placeOf(path.slice(0, 2))}, ${part}` : undefined)
  )
}

const placeOf = (path: readonly string[]): string =>
  placeWords(path.map((part) => (/^\d+$/.test(part) ? Number(part) : part)))

/** "wave 1, Then it soaks for: Write a time as …", for each field, as the form calls it. */
export const wrongWords = ({ fields = [] }: { fields?: readonly { field: string; message: string }[] }): string[] => [
  ...new Set(
    fields.map(({ field, message }) => {
      const path = field.replace(/^spec\./, '').split('.')
      return `${labelOf(path) ?? placeOf(path)}: ${message}`
    }),
  ),
]

/** Of what is for pools only there is nothing to play: no rule says how their nodes are taken. */
export const POOLS_NEXT =
  'The next rollout of a pool is not played forward here: this policy says whether and when its configurations go, not in which order nor how many nodes at once, and how long they take depends on what is in them. The page of a change that waits plays that one forward.'
