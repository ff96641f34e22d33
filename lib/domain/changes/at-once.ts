/** How many changes somebody decides with one word: what a person can still read before it, and a server can answer in one go. */
export const MOST_AT_ONCE = 100
