/** Typed by whoever disconnects a cluster although something moves by it. */
export const ALL_THE_SAME = 'disconnect all the same'
