/** What of the URL makes the list. */
export const LIST_KEYS = ['q', 'sort', 'dir', 'after'] as const

export const TABS = ['clusters', 'sets', 'nodes'] as const
export type Tab = (typeof TABS)[number]
