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
  if (outlook.only)
    return mode === outlook.only ? null : 'A configuration replaces no node: it can only be taken up in place.'
  if (strategy.value === 'replace')
    return mode === 'in-place' ? `${byWhom(strategy)} asks for new machines: approve replacing.` : null
  if (strategy.value === 'prefer-in-place') return null
  if (mode === 'replace')
    return `${byWhom(strategy)} allows in place only, and nothing else instead. ${whatIsLeft(outlook)}`.trim()
  const replaced = replacedAnyway(outlook)
  // Elsewhere all that are replaced are counted together.
  const spare = outlook.inPlace?.spare ? `, besides ${outlook.inPlace.spare} for the spare` : ''
  return replaced > 0
    ? `${byWhom(strategy)} allows in place only, and ${replaced} ${replaced === 1 ? 'machine' : 'machines'} of this would be replaced${spare}.`
    : null
}

interface Waits {
  state: string
  outlook: Pick<Outlook, 'blocked' | 'unknown'>
}

/** It waits, and its policy lets it go in neither way, as far as is known: it is no rollout that somebody could approve. */
export const isForbidden = ({ state, outlook }: Waits, standing: { forbidden: string | null } | null | undefined) =>
  !!standing?.forbidden && ['waiting', 'rejected'].includes(state) && !outlook.blocked && !outlook.unknown

const whatIsLeft = ({ inPlace, whyNotInPlace }: Outlook): string => (inPlace ? '' : (whyNotInPlace ?? ''))

type AsksNobody = Pick<Resolved, 'strategy' | 'approvals'>

/**
 * The way in which a change goes without anybody's approval; null: somebody has to approve it. Machines are replaced
 * unasked only where the policy says that replacing is what is wanted, and those of control planes never: etcd members go
 * with them.
 */
export const wayByItself = (...about: Parameters<typeof byItself>): 'in-place' | 'replace' | null =>
  byItself(...about).way

const unknownWords = ({ whyNotInPlace = '' }: Outlook): string =>
  `Whether it can go in place is not known: ${whyNotInPlace.replace(/\.$/, '')}. Where it can, it goes by itself once that is known.`

const NEVER_DELETED = 'Machines of control planes are never deleted by itself.'

/** The same, with why somebody has to approve it. `open`: it goes by itself where it turns out that it can go in place. */
export function byItself(
  { strategy, approvals }: AsksNobody,
  outlook: Outlook,
  kind: string,
): { way: 'in-place' | 'replace'; why: null } | { way: null; why: string; open?: true } {
  const asks = (why: string) => ({ way: null, why })
  if (approvals.value > 0) return asks(`${byWhom(approvals)} asks for approvals.`)
  if (outlook.blocked) return asks(outlook.blocked)
  if (outlook.only) return { way: outlook.only, why: null }
  const controlPlane = kind === 'KubeadmControlPlane'
  if (strategy.value === 'replace') return controlPlane ? asks(NEVER_DELETED) : { way: 'replace', why: null }
  const { inPlace, unknown } = outlook
  if (unknown && !unknown.counts.replace)
    return controlPlane && outlook.spareFirst ? asks(NEVER_DELETED) : { ...asks(unknownWords(outlook)), open: true }
  const replaced = unknown?.counts.replace ?? replacedAnyway(outlook)
  if (!inPlace || replaced > 0) {
    const what = replaced > 0 ? `${replaced} of its machines would be replaced` : 'Its machines would be replaced'
    return asks(`${what}, which goes by itself only where a policy says strategy: replace.`)
  }
  if (controlPlane && inPlace.deleted > 0) return asks(NEVER_DELETED)
  // Where none of its machines differs as far as is known, the spare might come before anybody is asked.
  if (controlPlane && !inPlace.counts['in-place'])
    return asks('No machine of this control plane is known to be updated in place: somebody has to look.')
  return { way: 'in-place', why: null }
}
