/** How far what a held group wants is carried through to its machine set, by the worker; times are ISO. */
export interface Scaling {
  set: string | null
  /** Replicas of that set before it was carried for the first time, and now. */
  from: number | null
  to: number | null
  /** What its machines are: "v1.34.1, template web-2"; absent on what was carried before this was kept. */
  makes?: string
  at: string | null
  /** Why it is not, or does not come to anything; null: it is. */
  trouble: string | null
}
