/** What the URL of the page says; everything on it can be linked to. */
export interface ActivitySearch {
  q?: string
  action?: string
  cursor?: string
}

/** Kinds of actions, as the filter offers them. */
export const KINDS: [prefix: string, words: string][] = [
  ['', 'everything'],
  ['change.', 'changes'],
  ['decision.', 'what clusters answered'],
  ['skew.', 'boot images'],
  ['managed.', 'managed boot images'],
  ['cluster.', 'clusters'],
  ['latch.', 'latch'],
  ['gate.', 'gate'],
  ['updater.', 'updaters'],
  ['user.', 'people'],
  ['audit.', 'audit'],
]

const one = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value) || undefined

export function activityInput(search: ActivitySearch): { q?: string; action?: string; cursor?: string } {
  return { q: one(search.q), action: one(search.action), cursor: one(search.cursor) }
}

/** The page's address with these changes; a changed filter begins at the top again. */
export function activityHref(search: ActivitySearch, change: Partial<ActivitySearch> = {}, base = '/activity'): string {
  const next = { ...activityInput(search), ...('cursor' in change ? {} : { cursor: undefined }), ...change }
  const params = new URLSearchParams(Object.entries(next).flatMap(([k, v]) => (v ? [[k, v]] : [])))
  const query = params.toString()
  return query ? `${base}?${query}` : base
}
