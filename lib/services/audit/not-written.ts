/** How the answer ends where a write found, when it looked again, that there was nothing to do. */
export const NOTHING_WRITTEN = 'nothing was written.'

/** How it begins where the API server answered a write with an error of its own: that is no refusal. */
export const NOT_KNOWN = 'Not known whether it was stored: '

/** And where a write was not made, for what it goes by cannot be read. */
export const UNREAD = 'What it goes by cannot be read: '

/** What of it is the API server's. */
export const saidBy = (answer: string): string =>
  [NOT_KNOWN, UNREAD].reduce((words, begin) => (words.startsWith(begin) ? words.slice(begin.length) : words), answer)
