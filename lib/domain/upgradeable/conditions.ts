import type { Finding } from './report'
import { formOf } from './gates'
import type { BlockerSource } from './types'
import { wordsOf } from './version-words'

export interface WrittenCondition {
  type: string
  status: 'True' | 'False'
  reason: string
  message: string
}

/** The sub-conditions that only releases up to 4.22 write. */
export const SUB_CONDITIONS = [
  'UpgradeableAdminAckRequired',
  'UpgradeableClusterOperators',
  'UpgradeableClusterVersionOverrides',
  'UpgradeableDeletesInProgress',
  'UpgradeableUpgradeInProgress',
] as const

/**
 * The conditions of ClusterVersion that its operator writes for what it found; none at all where updates are open. Up to 4.22 a
 * sub-condition for each kind, or where there is one kind only, `Upgradeable` alone with that kind's words; from 4.23 on always
 * `Upgradeable` alone.
 */
export function upgradeableConditions(found: readonly Finding[], desired: string | null): WrittenCondition[] {
  if (found.length === 0) return []
  return formOf(desired) === 'risks' ? [fromRisks(found)] : fromKinds(found, wordsOf(desired).between)
}

const upgradeable = (reason: string, message: string): WrittenCondition => ({
  type: 'Upgradeable',
  status: 'False',
  reason,
  message,
})

/** What a condition's reason may look like in the API: names of risks have hyphens, which it may not. */
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/

const riskName = ({ source, item, reason }: Finding): string =>
  source === 'operator' ? `ClusterOperatorUpgradeable-${item}` : reason

function fromRisks(found: readonly Finding[]): WrittenCondition {
  const [only] = found
  if (found.length === 1 && only) {
    const name = riskName(only)
    return upgradeable(REASON.test(name) ? name : 'RiskNameNotCompatibleWithReasonProperty', only.message)
  }
  return upgradeable(
    'MultipleReasons',
    `Cluster should not be upgraded between minor or major versions for multiple reasons:\n* ${found.map((f) => f.message).join('\n* ')}`,
  )
}

type Kind = (typeof SUB_CONDITIONS)[number]
const KINDS: Partial<Record<BlockerSource, Kind>> = {
  overrides: 'UpgradeableClusterVersionOverrides',
  gate: 'UpgradeableAdminAckRequired',
  gates: 'UpgradeableAdminAckRequired',
  operator: 'UpgradeableClusterOperators',
  deletion: 'UpgradeableDeletesInProgress',
  updating: 'UpgradeableUpgradeInProgress',
}

function fromKinds(found: readonly Finding[], between: string): WrittenCondition[] {
  const kinds = new Map<Kind, Finding[]>()
  for (const finding of found) {
    const kind = KINDS[finding.source]
    if (kind) kinds.set(kind, [...(kinds.get(kind) ?? []), finding])
  }
  const subs = [...kinds].map(([type, of]): WrittenCondition => ({
    type,
    status: type === 'UpgradeableUpgradeInProgress' ? 'True' : 'False',
    ...kindWords(type, of, between),
  }))
  const [only] = subs
  if (subs.length === 1 && only) return [upgradeable(only.reason, only.message)]
  const all = `${subs.map((s) => s.reason).join(',')}\n* ${subs.map((s) => s.message).join('\n* ')}`
  return [
    upgradeable('MultipleReasons', `Cluster should not be upgraded between ${between} for multiple reasons: ${all}`),
    ...subs,
  ].sort((a, b) => (a.type < b.type ? -1 : 1))
}

function kindWords(kind: Kind, found: readonly Finding[], between: string): { reason: string; message: string } {
  const [only] = found as [Finding]
  if (kind === 'UpgradeableClusterOperators') {
    const says = ({ item }: Finding) => `Cluster operator ${item} should not be upgraded between ${between}: `
    if (found.length === 1) return { reason: only.reason, message: `${says(only)}${only.message}` }
    return {
      reason: 'ClusterOperatorsNotUpgradeable',
      message: `Multiple cluster operators should not be upgraded between ${between}:\n* ${found.map((f) => `${says(f)}${f.reason}: ${f.message}`).join('\n* ')}`,
    }
  }
  if (kind !== 'UpgradeableAdminAckRequired') return { reason: only.reason, message: only.message }
  const reasons = new Map<string, string[]>()
  for (const { reason, message } of found) reasons.set(reason, [...(reasons.get(reason) ?? []), message])
  const messages = [...reasons.values()].map((list) => list.sort().join(' ')).sort()
  return { reason: reasons.size === 1 ? only.reason : 'MultipleReasons', message: messages.join(' ') }
}
