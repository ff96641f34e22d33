import type { StreamRow } from '@/lib/services/clusters/get-cluster'

/** Of a cluster with objects that are, by their uids, another connected cluster's; null: it has none. */
export function elsewhereWords(streams: readonly Pick<StreamRow, 'resource' | 'elsewhere'>[]): string | null {
  const some = streams.filter(({ elsewhere }) => elsewhere > 0)
  if (some.length === 0) return null
  const which = some.map(({ resource, elsewhere }) => `${elsewhere.toLocaleString('en-GB')} of ${resource}`).join(', ')
  return `Objects here have the uids of objects of another connected cluster (${which}): they are shown, planned and approved there alone, and of the ones here nothing is. Either this is that cluster, connected twice, or one of them is a copy of the other: disconnect one.`
}
