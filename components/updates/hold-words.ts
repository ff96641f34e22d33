import type { HoldLevel } from '@/lib/domain/holds'
import type { WorkerScaling } from '@/lib/services/changes/held-scaling'
import type { Asked } from './standing-words'
import { isKnown } from './standing-words'

/** What the age of a hold means, and where a policy says so, that it does; nothing while it has its time. */
export function levelWords(level: HoldLevel, asked: Asked, groupKind: string): string {
  const by = (rule: 'remindAfter' | 'escalateAfter') =>
    isKnown(asked) && asked.rules[rule].policy ? ', by its policy' : ''
  switch (level) {
    case 'fresh':
      return ''
    case 'due':
      return `That is longer than a hold may rest unnoticed${by('remindAfter')}.`
    case 'overdue':
      return `That is so long that it is in Needs you for everybody, whatever their role${by('escalateAfter')}.`
    case 'dangerous':
      return groupKind === 'MachineConfigPool'
        ? 'That is dangerous: the first certificate that its nodes trust is near its end, or over it.'
        : 'A control plane that stands still for so long is dangerous.'
  }
}

/** What a held group that scales all the same does not come to now, and why. */
export function notScaledWords({ wanted, has }: Pick<WorkerScaling, 'wanted' | 'has'>, trouble: string): string {
  const not = wanted < has ? 'does not shrink' : wanted > has ? 'does not grow' : 'does not come to that'
  const why = `${trouble[0]!.toUpperCase()}${trouble.slice(1).replace(/\.$/, '')}`
  return `It wants ${wanted === 1 ? '1 machine' : `${wanted} machines`}, and ${not} now. ${why}.`
}
