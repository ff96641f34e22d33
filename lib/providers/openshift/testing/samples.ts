import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { SkewObjects } from '../skew-objects'

/** Objects as an API server with OpenShift's schemas returned them; their clusters are invented. */
export interface Scenario {
  machineConfiguration: KubeObject
  infrastructure: KubeObject
  clusterVersion: KubeObject
  clusterOperator: KubeObject
}
const read = <T>(name: string): T => JSON.parse(readFileSync(join(import.meta.dirname, 'samples', name), 'utf8')) as T
export const SCENARIOS = read<Record<string, Scenario>>('scenarios.json')
export const SETS = read<Record<string, KubeObject>>('machine-sets.json')
export const CONFIG_MAP = read<KubeObject>('coreos-bootimages.json')

export function objects(scenario: string, sets: KubeObject[] = [], more: Partial<SkewObjects> = {}): SkewObjects {
  const { clusterOperator: operator, ...singletons } = SCENARIOS[scenario]!
  return {
    ...singletons,
    operator,
    machineSets: sets,
    controlPlanes: [],
    configMap: CONFIG_MAP,
    controlPlaneArch: 'x86_64',
    ...more,
  }
}
