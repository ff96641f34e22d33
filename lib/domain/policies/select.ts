import type { PolicyGroup, Selection } from './types'

/** Whether a text is what a pattern says; `*` stands for any characters. In time linear in the text. */
export function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** A part of the selection, from the most to the least telling one. */
export interface Part {
  /** 0: it does not restrict; up to 1: a pattern, by how much of it is written out; 2: the name itself. */
  rank: number
  words: string
}

const NONE: Part = { rank: 0, words: '' }

/**
 * How closely a selection describes a group, from the most telling part to the least; null: it is not for that group.
 * Names come before workload clusters, these before the namespaces in which they lie, their labels, management clusters, kinds.
 */
export const specificity = (select: Selection, group: PolicyGroup): Part[] | null => matcher(select)(group)

/** The same for many groups: what is equal in them is looked at once. Groups of a workload cluster share their labels. */
export function matcher(select: Selection): (group: PolicyGroup) => Part[] | null {
  const wanted = select.labels ?? {}
  const ofLabels = new Map<PolicyGroup['labels'], Part | null>()
  const labels = (there: PolicyGroup['labels']): Part | null => {
    let part = ofLabels.get(there)
    if (part === undefined) ofLabels.set(there, (part = labelled(wanted, there)))
    return part
  }
  const lists = {
    cluster: listed('management cluster', select.clusters),
    kind: listed('kind', select.kinds),
    workload: listed('workload cluster', select.workloadClusters),
    namespace: listed('namespace', select.namespaces),
    name: listed('group', select.names),
  }
  return (group) => {
    // What most groups share first: most of them end here.
    const cluster = lists.cluster(group.cluster)
    const kind = cluster && lists.kind(group.kind)
    const workload = kind && lists.workload(group.workloadCluster)
    const namespace = workload && lists.namespace(group.namespace)
    const labelled = namespace && labels(group.labels)
    const name = labelled && lists.name(group.name)
    return name ? [name, workload!, namespace!, labelled!, cluster!, kind!] : null
  }
}

/** Of one list of names and patterns; what is asked twice is answered from memory. */
function listed(what: string, list: readonly string[] | undefined): (value: string) => Part | null {
  if (!list?.length) return () => NONE
  const names = new Set(list)
  const patterns = list.filter((name) => name.includes('*')).sort((a, b) => literal(b) - literal(a))
  const known = new Map<string, Part | null>()
  const find = (value: string): Part | null => {
    if (names.has(value)) return { rank: 2, words: `it names the ${what} ${value}` }
    const best = patterns.find((pattern) => fits(pattern, value))
    if (best === undefined) return null
    return literal(best) === 0 ? NONE : { rank: literal(best) / 1000, words: `the ${what} fits ${best}` }
  }
  return (value) => {
    let part = known.get(value)
    if (part === undefined) known.set(value, (part = find(value)))
    return part
  }
}

const literal = (pattern: string): number => pattern.replaceAll('*', '').length

function labelled(wanted: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): Part | null {
  const pairs = Object.entries(wanted)
  if (pairs.length === 0) return NONE
  const there = pairs.every(([key, value]) => Object.hasOwn(labels, key) && fits(value, labels[key]!))
  const words = pairs.map(([key, value]) => (value === '*' ? key : `${key}=${value}`)).join(', ')
  return there ? { rank: pairs.length, words: `the workload cluster has the label ${words}` } : null
}

/** Positive: the first describes the group more closely. */
export function moreSpecific(a: readonly Part[], b: readonly Part[]): number {
  for (const [i, part] of a.entries()) if (part.rank !== b[i]!.rank) return part.rank - b[i]!.rank
  return 0
}

/** By which part of its selection a policy came to be for a group. */
export const wordsOf = (parts: readonly Part[]): string =>
  parts.find(({ rank }) => rank > 0)?.words ?? 'it is for every group'

/** In what it describes a group more closely than another policy, where its most telling part does not say so: ", and it names …". */
export function closerWords(parts: readonly Part[], than: readonly Part[], name: string): string {
  const at = parts.findIndex(({ rank }, i) => rank !== than[i]!.rank)
  if (at < 0 || at === parts.findIndex(({ rank }) => rank > 0)) return ''
  return `, and ${parts[at]!.words}, ${than[at]!.rank > 0 ? `more closely than ${name} does` : `which ${name} does not`}`
}

/** Policies by how closely they describe what they are for, whatever the group: the most specific one first. */
export function byPrecedence(a: { name: string; select: Selection }, b: { name: string; select: Selection }): number {
  const ranks = ({ select }: { select: Selection }): number[] => [
    ranked(select.names),
    ranked(select.workloadClusters),
    ranked(select.namespaces),
    Object.keys(select.labels ?? {}).length,
    ranked(select.clusters),
    ranked(select.kinds),
  ]
  const [mine, theirs] = [ranks(a), ranks(b)]
  const i = mine.findIndex((rank, at) => rank !== theirs[at])
  return i < 0 ? (a.name < b.name ? -1 : 1) : theirs[i]! - mine[i]!
}

/** As of the least telling entry of a list. */
const ranked = (list: readonly string[] | undefined): number =>
  list?.length ? Math.min(...list.map((name) => (name.includes('*') ? literal(name) / 1000 : 2))) : 0
