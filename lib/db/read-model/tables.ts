/** How the rows of a table travel: one array per column and batch, of these types. */
export interface Table {
  name: string
  /** Field of the row -> [column, type]. */
  columns: Record<string, [column: string, type: string]>
  /** Columns by which an object made anew under the same name replaces the row of the old one. */
  naturalKey?: string[]
  /** Written along, but no reason to write. */
  quiet?: string[]
  /** Columns that somebody else writes, emptied where the row changes its management cluster. */
  forgotten?: string[]
  /** Columns of moments that only ever go back, for as long as there is one: a worker that begins anew sees things later. */
  earliest?: string[]
  /** Set to now() whenever the row changes. */
  touched: string
}

const snake = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const typed = (type: string, ...fields: string[]): Table['columns'] =>
  Object.fromEntries(fields.map((field) => [field, [snake(field), type]]))

const TEXT = 'text'

export const MACHINES: Table = {
  name: 'machine',
  columns: {
    ...typed('uuid', 'id'),
    ...typed(TEXT, 'provider', 'namespace', 'name', 'workloadCluster', 'groupKind', 'groupName', 'machineSet', 'node'),
    ...typed(TEXT, 'version', 'versionKey', 'phase', 'failureDomain', 'state', 'sentence', 'error', 'bootImage'),
    ...typed(
      TEXT,
      'bootImageVersion',
      'providerId',
      'resourceVersion',
      'trouble',
      'troubleWords',
      'checkWords',
      'skipMark',
    ),
    ...typed(TEXT, 'remediationReason', 'remediationWords'),
    ...typed('boolean', 'controlPlane', 'ready', 'available', 'upToDate', 'updating', 'deleting'),
    ...typed('boolean', 'deleteMarked', 'unhealthy', 'skipRemediation'),
    ...typed('int', 'severity'),
    ...typed('jsonb', 'plane'),
    ...typed('jsonb', 'labels', 'joining', 'amiss'),
    ...typed('timestamptz', 'createdAt', 'deletingSince', 'notReadySince', 'checkFailedSince', 'provisionedSince'),
  },
  earliest: ['provisioned_since'],
  // Heartbeats change nothing else; a write for each would be most of the writes.
  quiet: ['resourceVersion'],
  touched: 'changed_at',
}

export const GROUPS: Table = {
  name: 'machine_group',
  columns: {
    ...typed('uuid', 'id'),
    ...typed(TEXT, 'kind', 'apiVersion', 'namespace', 'name', 'workloadCluster', 'version', 'strategy', 'maxSurge'),
    ...typed(TEXT, 'maxUnavailable', 'deletionOrder', 'held', 'resourceVersion', 'etcd', 'topologyName'),
    ...typed(
      'int',
      'drainSeconds',
      'detachSeconds',
      'desiredReplicas',
      'replicas',
      'readyReplicas',
      'availableReplicas',
      'upToDateReplicas',
    ),
    ...typed('boolean', 'paused', 'governed', 'rollingOut'),
    ...typed('bigint', 'generation', 'observedGeneration'),
    ...typed('jsonb', 'conditions', 'ownPause'),
    ...typed('timestamptz', 'createdAt', 'heldSince'),
  },
  naturalKey: ['kind', 'namespace', 'name'],
  forgotten: ['let_go', 'scaling'],
  touched: 'seen_at',
}

export const WORKLOAD_CLUSTERS: Table = {
  name: 'workload_cluster',
  columns: {
    ...typed('uuid', 'id'),
    ...typed(TEXT, 'namespace', 'name', 'provider', 'version', 'phase', 'topologyClass'),
    ...typed('boolean', 'paused'),
    ...typed('jsonb', 'conditions', 'domains', 'labels'),
  },
  naturalKey: ['namespace', 'name'],
  touched: 'seen_at',
}

export const HEALTH_CHECKS: Table = {
  name: 'machine_health_check',
  columns: {
    ...typed('uuid', 'id'),
    ...typed(TEXT, 'namespace', 'name', 'workloadCluster'),
    ...typed('jsonb', 'spec'),
    ...typed('boolean', 'paused'),
    ...typed('int', 'targets', 'healthy'),
  },
  naturalKey: ['namespace', 'name'],
  touched: 'seen_at',
}

export const CONFIG_POOLS: Table = {
  name: 'config_pool',
  columns: {
    ...typed('uuid', 'id'),
    ...typed(TEXT, 'name', 'maxUnavailable', 'currentConfig', 'desiredConfig', 'currentRelease', 'desiredRelease'),
    ...typed(TEXT, 'wantedRelease', 'state', 'sentence', 'resourceVersion', 'pausedBy', 'imageMode'),
    ...typed(TEXT, 'builtImage', 'unheardWhy'),
    ...typed('bigint', 'generation'),
    ...typed('int', 'atOnce', 'machines', 'updated', 'ready', 'unavailable', 'degraded', 'severity'),
    ...typed('boolean', 'paused', 'clusterUpdating', 'required', 'pending'),
    ...typed('timestamptz', 'pausedSince', 'certExpiry', 'unheardSince'),
    ...typed('jsonb', 'certificates', 'conditions'),
  },
  naturalKey: ['name'],
  touched: 'seen_at',
}

export const CONFIG_NODES: Table = {
  name: 'config_node',
  columns: {
    ...typed('uuid', 'id'),
    ...typed(TEXT, 'pool', 'name', 'zone', 'currentConfig', 'desiredConfig', 'release', 'phase', 'step'),
    ...typed(TEXT, 'sentence', 'hint', 'currentImage', 'desiredImage'),
    ...typed('timestamptz', 'since', 'stuckFrom', 'joinedAt'),
    ...typed('jsonb', 'steps', 'drain'),
    ...typed('boolean', 'unavailable'),
    ...typed('int', 'severity'),
  },
  naturalKey: ['name'],
  touched: 'seen_at',
}
