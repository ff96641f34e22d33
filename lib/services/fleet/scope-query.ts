export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** The scope, and what else a page reads of its URL, in one order: the same text on the server and in the browser. */
export function scopeQuery(params: Awaited<SearchParams>, also: readonly string[] = []): URLSearchParams {
  const query = new URLSearchParams()
  for (const key of ['cluster', 'workload', ...also]) {
    const value = params[key]
    if (typeof value === 'string' && value !== '') query.set(key, value)
  }
  return query
}
