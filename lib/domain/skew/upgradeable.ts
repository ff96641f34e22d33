import type { Floor } from './floors'
import { conditionOf, type Condition, type Recorded, type SkewMode } from './types'
import { below, minorOf, rhelOf } from './version'

/** ClusterOperator machine-config, condition Upgradeable, as its operator would write it. */
export interface Upgradeable {
  status: 'True' | 'False'
  reason: string
  message: string
}

export interface UpgradeableInput {
  mode: SkewMode | null
  recorded: Recorded
  conditions: readonly Condition[]
  /** null: the release enforces none */
  floor: Floor | null
  /** ClusterVersion.status.history[0].version: names the documentation's release */
  newest: string | undefined
  pools?: readonly { degraded: boolean; interrupted: boolean }[]
  enforced?: boolean
}

const FINE: Upgradeable = { status: 'True', reason: 'AsExpected', message: '' }
const closed = (reason: string, message: string): Upgradeable => ({ status: 'False', reason, message })

/** The first pool that is degraded or interrupted hides all others and the skew: why Drydock evaluates the skew itself. */
export function upgradeable(input: UpgradeableInput): Upgradeable {
  const pool = input.pools?.find((p) => p.degraded || p.interrupted)
  if (pool?.degraded)
    return closed(
      'DegradedPool',
      'One or more machine config pools are degraded, please see `oc get mcp` for further details and resolve before upgrading',
    )
  if (pool)
    return closed(
      'InterruptedBuild',
      "One or more machine config pools' builds have been interrupted, please see `oc get mcp` for further details and resolve before upgrading",
    )
  if (input.enforced === false) return FINE
  const message = skewMessage(input)
  return message ? closed('ClusterBootImageSkewError', message) : FINE
}

/** What an automatic record is worth right now. */
export function controllerState(conditions: readonly Condition[]): 'settled' | 'working' | 'degraded' {
  if (conditionOf(conditions, 'BootImageUpdateDegraded')?.status === 'True') return 'degraded'
  const progressing = conditionOf(conditions, 'BootImageUpdateProgressing')?.status
  return progressing === undefined || progressing === 'True' ? 'working' : 'settled'
}

function skewMessage(input: UpgradeableInput): string | undefined {
  const { mode, recorded, floor } = input
  if (!floor || (mode !== 'Automatic' && mode !== 'Manual')) return undefined
  if (mode === 'Automatic') {
    const state = controllerState(input.conditions)
    const why = conditionOf(input.conditions, 'BootImageUpdateDegraded')?.message ?? ''
    if (state === 'degraded')
      return `Upgrades have been disabled due to boot image update failures: boot image controller is degraded: ${why}`
    if (state === 'working') return undefined
  }
  const using = (what: string) => `Upgrades have been disabled because the cluster is using ${what}`
  const how = `To enable upgrades, please update your boot images or disable boot image skew enforcement by following the documentation at ${docs(input.newest)}`
  if (recorded.ocpVersion)
    return below(recorded.ocpVersion, floor.ocp)
      ? `${using(`OCP boot image version ${recorded.ocpVersion}`)}, which is below the minimum required version ${floor.ocp}. ${how}`
      : undefined
  const rhel = recorded.rhcosVersion ? rhelOf(recorded.rhcosVersion) : undefined
  return below(rhel, floor.rhel)
    ? `${using(`RHCOS boot image version ${recorded.rhcosVersion}(RHEL version: ${rhel})`)}, which is below the minimum required RHEL version ${floor.rhel}. ${how}`
    : undefined
}

const docs = (newest: string | undefined): string =>
  `https://docs.redhat.com/en/documentation/openshift_container_platform/${minorOf(newest ?? '') ?? 'latest'}/html/machine_configuration/mco-update-boot-skew-mgmt`
