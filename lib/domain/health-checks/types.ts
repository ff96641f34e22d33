/** metav1.LabelSelector. */
export interface Selector {
  labels: Readonly<Record<string, string>>
  expressions: readonly { key: string; operator: string; values: readonly string[] }[]
}

/** A condition that means ill when it has had this status for so long. */
export interface Unhealthy {
  type: string
  status: string
  seconds: number
}

/** With how many ill machines anything is done at all; null: always. */
export type Limit = { atMost: string } | { from: number; to: number } | null

/** What a MachineHealthCheck says, in whichever version of its API it was read. */
export interface HealthCheckSpec {
  selector: Selector
  node: readonly Unhealthy[]
  machine: readonly Unhealthy[]
  /** How long a new machine may go without a node; null: for ever. */
  startupSeconds: number | null
  limit: Limit
  /** Kind of the template by which something else than the machine's owner remediates; null: its owner does. */
  external: string | null
}
