/** A watch that reconnects is heard again within seconds. */
export const HICCUP_MS = 20_000
