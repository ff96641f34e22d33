import { withoutSecrets } from '@/lib/domain/changes/secrets'
import type { ConfigData, UpgradeFacts } from '@/lib/domain/upgradeable/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { strings, text } from './loose'
import { readOperator, readOverrides } from './operators'
import { conditionsOf, readClusterVersion } from './readers'

export const ADMIN_GATES = { namespace: 'openshift-config-managed', name: 'admin-gates' } as const
export const ADMIN_ACKS = { namespace: 'openshift-config', name: 'admin-acks' } as const
export const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps' } as const

export const keyOf = ({ namespace, name }: { namespace: string; name: string }): string => `${namespace}/${name}`

/** `readable`: the ConfigMap was looked for and would have been found. Its words are masked as those of conditions are. */
export function readConfigData(object: KubeObject | undefined, readable: boolean): ConfigData {
  if (!object) return readable ? null : undefined
  return Object.fromEntries(Object.entries(strings(object, 'data')).map(([key, text]) => [key, withoutSecrets(text)]))
}

/** What decides about updates of one cluster; absent objects are undefined. */
export interface UpgradeObjects {
  clusterVersion: KubeObject | undefined
  operators: readonly KubeObject[]
  gates: KubeObject | undefined
  acks: KubeObject | undefined
  readable: { gates: boolean; acks: boolean }
}

export function readUpgradeFacts(objects: UpgradeObjects): UpgradeFacts {
  const { clusterVersion, operators, gates, acks, readable } = objects
  return {
    history: readClusterVersion(clusterVersion).history,
    desired: text(clusterVersion, 'status', 'desired', 'version') ?? null,
    conditions: clusterVersion ? conditionsOf(clusterVersion) : null,
    overrides: readOverrides(clusterVersion),
    operators: operators.map(readOperator),
    gates: readConfigData(gates, readable.gates),
    acks: readConfigData(acks, readable.acks),
  }
}
