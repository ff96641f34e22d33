interface Begun {
  heldBy: string
  /** Somebody decided on it here. */
  decided: boolean
  /** ms since epoch */
  detectedAt: number
  startedAt: number | null
}

/** Both moments are of one writing then; that a hold was taken away is noticed by a later look. */
const AT_ONCE_MS = 500

/**
 * Never held, and not decided here: it was under way when Drydock first saw it. When it was written, and when it began, is
 * not known.
 */
export const foundUnderWay = ({ heldBy, decided, detectedAt, startedAt }: Begun): boolean =>
  heldBy === 'none' && !decided && startedAt !== null && startedAt - detectedAt < AT_ONCE_MS
