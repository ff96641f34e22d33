/** How the answer ends where a write found, when it looked again, that there was nothing to do. */
export const NOTHING_WRITTEN = 'nothing was written.'
