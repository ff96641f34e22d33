/** How far what a held group wants is carried through to its machine set, by the worker; times are ISO. */
export interface Scaling {
  set: string | null
  /** Replicas of that set before it was carried for the first time, and now. */
  from: number | null
  to: number | null
  at: string | null
  /** Why it is not, or does not come to anything; null: it is. */
  trouble: string | null
}
