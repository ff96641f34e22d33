import type { Outlook } from '../changes/types'
import type { Resolved, Told } from './types'

const byWhom = ({ policy }: Told<unknown>): string => (policy ? `The policy ${policy.name}` : 'What is built in')

/** Machines that are replaced although the change is approved in place, besides one for the spare. */
function replacedAnyway({ inPlace }: Outlook): number {
  return inPlace ? (inPlace.counts.replace ?? 0) - (inPlace.spare ?? 0) : 0
}

/** Why the policy does not allow a change in this way, in one sentence; null: it does. */
export function whyNotThisWay(
  mode: 'in-place' | 'replace',
  { strategy }: Pick<Resolved, 'strategy'>,
  outlook: Outlook,
): string | null {
  if (strategy.value === 'replace')
    return mode === 'in-place' ? `${byWhom(strategy)} asks for new machines: approve replacing.` : null
  if (strategy.value === 'prefer-in-place') return null
  if (mode === 'replace')
    return `${byWhom(strategy)} allows in place only, and nothing else instead. ${whatIsLeft(outlook)}`.trim()
  const replaced = replacedAnyway(outlook)
  return replaced > 0
    ? `${byWhom(strategy)} allows in place only, and ${replaced} ${replaced === 1 ? 'machine' : 'machines'} of this would be replaced.`
    : null
}

const whatIsLeft = ({ inPlace, whyNotInPlace }: Outlook): string => (inPlace ? '' : (whyNotInPlace ?? ''))

/**
 * The way in which a change goes without anybody's approval; null: somebody has to approve it. Machines are replaced
 * unasked only where the policy says that replacing is what is wanted, and those of control planes never: etcd members go
 * with them.
 */
export function wayByItself(
  { strategy, approvals }: Pick<Resolved, 'strategy' | 'approvals'>,
  outlook: Outlook,
  kind: string,
): 'in-place' | 'replace' | null {
  if (approvals.value > 0 || outlook.blocked) return null
  const controlPlane = kind === 'KubeadmControlPlane'
  if (strategy.value === 'replace') return controlPlane ? null : 'replace'
  const { inPlace } = outlook
  if (!inPlace || replacedAnyway(outlook) > 0) return null
  // Where none of its machines differs as far as is known, the spare might come before anybody is asked.
  if (controlPlane && (inPlace.deleted > 0 || !inPlace.counts['in-place'])) return null
  return 'in-place'
}
