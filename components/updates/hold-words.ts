import type { HoldLevel } from '@/lib/domain/holds'
import type { Asked } from './standing-words'
import { isKnown } from './standing-words'

/** What the age of a hold means, and by whose word; nothing while it has its time. */
export function levelWords(level: HoldLevel, asked: Asked, groupKind: string): string {
  const by = (rule: 'remindAfter' | 'escalateAfter') => isKnown(asked) && asked.rules[rule].policy === null
  switch (level) {
    case 'fresh':
      return ''
    case 'due':
      return `That is longer than ${by('remindAfter') ? 'what is built in' : 'its policy'} lets a hold rest unnoticed.`
    case 'overdue':
      return `By ${by('escalateAfter') ? 'what is built in' : 'its policy'} everybody sees that by now.`
    case 'dangerous':
      return groupKind === 'MachineConfigPool'
        ? 'That is dangerous: the first certificate that its nodes trust is near its end, or over it.'
        : 'A control plane that stands still for so long is dangerous.'
  }
}
