/** What of the URL makes the list; the open machine and the columns do not. */
export const LIST_KEYS = ['q', 'sort', 'dir', 'after'] as const
