import type { PolicySpec, Selection } from '@/lib/domain/policies'

/** A policy as it is typed: everything is a text, and what is empty is not said. */
export interface Typed {
  name: string
  clusters: string
  workloadClusters: string
  labels: string
  namespaces: string
  kinds: string
  names: string
  strategy: string
  approvals: string
  notTheAuthor: string
  reasonRequired: string
  expiresAfter: string
}

const LISTS = ['clusters', 'workloadClusters', 'namespaces', 'names'] as const

export const EMPTY: Typed = {
  ...{ name: '', clusters: '', workloadClusters: '', labels: '', namespaces: '', kinds: '', names: '' },
  ...{ strategy: '', approvals: '', notTheAuthor: '', reasonRequired: '', expiresAfter: '' },
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)
const said = (value: boolean | undefined): string => (value === undefined ? '' : value ? 'yes' : 'no')

/** As it would have been typed. */
export function typedOf(name: string, { select, ...rules }: PolicySpec): Typed {
  const lists = Object.fromEntries(LISTS.map((key) => [key, (select[key] ?? []).join(', ')]))
  return {
    ...{ ...EMPTY, name, ...lists },
    kinds: select.kinds?.length === 1 ? select.kinds[0]! : '',
    labels: Object.entries(select.labels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(', '),
    strategy: rules.strategy ?? '',
    approvals: rules.approvals === undefined ? '' : String(rules.approvals),
    notTheAuthor: said(rules.notTheAuthor),
    reasonRequired: said(rules.reasonRequired),
    expiresAfter: rules.expiresAfter ?? '',
  }
}

/** As it is sent: what cannot be right goes as it was typed, so that the server says what is wrong with it. */
export function specOf(typed: Typed): { select: Selection } & Record<string, unknown> {
  const lists = LISTS.flatMap((key) => (words(typed[key]).length > 0 ? [[key, words(typed[key])]] : []))
  const labels = words(typed.labels).map((pair) => {
    const at = pair.indexOf('=')
    return at < 0 ? [pair, '*'] : [pair.slice(0, at), pair.slice(at + 1)]
  })
  const { strategy, expiresAfter } = typed
  // A key that stands there twice is nothing that can be sent.
  const twice = new Set(labels.map(([key]) => key)).size < labels.length
  const number = typed.approvals.trim()
  return {
    select: {
      ...(Object.fromEntries(lists) as Selection),
      ...(labels.length > 0 ? { labels: (twice ? labels : Object.fromEntries(labels)) as Record<string, string> } : {}),
      ...(typed.kinds ? { kinds: [typed.kinds] } : {}),
    },
    ...(strategy ? { strategy } : {}),
    ...(number ? { approvals: /^\d+$/.test(number) ? Number(number) : number } : {}),
    ...(typed.notTheAuthor ? { notTheAuthor: typed.notTheAuthor === 'yes' } : {}),
    ...(typed.reasonRequired ? { reasonRequired: typed.reasonRequired === 'yes' } : {}),
    ...(expiresAfter.trim() ? { expiresAfter: expiresAfter.trim() } : {}),
  }
}
