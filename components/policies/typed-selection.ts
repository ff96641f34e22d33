import type { Selection } from '@/lib/domain/policies'

/** Which groups, as it is typed: of a policy, and of each of its waves. */
export interface TypedSelection {
  clusters: string
  workloadClusters: string
  labels: string
  namespaces: string
  kinds: string
  names: string
}

export const EMPTY_SELECTION: TypedSelection = {
  ...{ clusters: '', workloadClusters: '', labels: '', namespaces: '', kinds: '', names: '' },
}

/** In the order in which they are chosen from. */
const KINDS = ['MachineDeployment', 'KubeadmControlPlane', 'MachineConfigPool']

const LISTS = ['clusters', 'workloadClusters', 'namespaces', 'names', 'kinds'] as const

/** What stands in one field, with commas or spaces between. */
export const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** As it would have been typed. */
export function typedSelection(select: Selection): TypedSelection {
  const labels = Object.entries(select.labels ?? {}).map(([key, value]) => `${key}=${value}`)
  const lists = Object.fromEntries(LISTS.map((key) => [key, (select[key] ?? []).join(', ')]))
  return {
    ...{ ...EMPTY_SELECTION, ...lists, labels: labels.join(', ') },
    kinds: KINDS.filter((kind) => select.kinds?.includes(kind)).join(', '),
  }
}

/** As it is sent; what is empty does not restrict, and is left out. */
export function selectionOf(typed: TypedSelection): Selection {
  const lists = LISTS.flatMap((key) => (words(typed[key]).length > 0 ? [[key, words(typed[key])]] : []))
  return { ...(Object.fromEntries(lists) as Selection), ...labelsOf(typed.labels) }
}

/** A key that stands there twice is nothing that can be sent. */
function labelsOf(text: string): { labels?: Record<string, string> } {
  const labels = words(text).map((pair) => {
    const at = pair.indexOf('=')
    return at < 0 ? [pair, '*'] : [pair.slice(0, at), pair.slice(at + 1)]
  })
  if (labels.length === 0) return {}
  const twice = new Set(labels.map(([key]) => key)).size < labels.length
  return { labels: (twice ? labels : Object.fromEntries(labels)) as Record<string, string> }
}
