/** What the rules need of a cluster's MachineConfiguration, Infrastructure and ClusterVersion; providers make it of raw objects. */
export type SkewMode = 'Automatic' | 'Manual' | 'None'
export type VersionKind = 'OCPVersion' | 'RHCOSVersion'

export interface Recorded {
  ocpVersion?: string
  rhcosVersion?: string
}

export interface MachineManager {
  resource: string
  apiGroup: string
  selection: { mode: string; partial?: { machineResourceSelector: LabelSelector } }
}

export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

export interface Condition {
  type: string
  status: string
  reason?: string
  message?: string
  lastTransitionTime?: string
}

/** undefined: absent (the platform's default); an empty list opts out of everything. */
export type Managers = MachineManager[] | undefined

export interface SkewSpec {
  mode: string
  manual?: Recorded & { mode?: string }
}

export interface SkewState {
  /** Whether the served schema has the stanza at all. */
  supported: boolean
  spec: SkewSpec | null
  mode: SkewMode | null
  recorded: Recorded
  managers: Managers
  effectiveManagers: Managers
  conditions: Condition[]
  generation: number
  observedGeneration: number
}

export interface HistoryEntry {
  state?: string
  version?: string
}

export interface Platform {
  /** Infrastructure.status.platformStatus.type; '': it cannot be read */
  type: string
  azureStack: boolean
  topology: string
  /** BareMetal only: whether provisioningOSDownloadURL is set; undefined: Drydock cannot read it. */
  provisioningUrl?: boolean
}

/** Of a cluster whose platform is not known, which is not one that the operator leaves alone. */
export const NO_PLATFORM = 'Which platform it is cannot be read'
export const WHY_NO_PLATFORM = `${NO_PLATFORM}: Infrastructure/cluster is missing or does not say it, or Drydock may not read it.`

export const conditionOf = (conditions: readonly Condition[], type: string): Condition | undefined =>
  conditions.find((c) => c.type === type)
