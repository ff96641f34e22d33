import type { Condition } from '@/lib/domain/rows'

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim().replace(/\.$/, '').toLowerCase()

/** Whether a text stands in another one already, but for spaces and the full stop. */
export const isSaid = (text: string, where: string): boolean => plain(where).includes(plain(text))

/** "* Deleting: Drain not completed yet" in a summary such as Ready: what another condition says itself. */
const linesOf = (message: string): string[] =>
  message
    .split('\n')
    .map((line) => plain(line.replace(/^\s*\*\s*([A-Za-z]+:\s*)?/, '')))
    .filter(Boolean)

/** Each condition's message, or none where other conditions have said all of it: a drain stands once, not in every summary. */
export function messagesOf(conditions: readonly Condition[]): string[] {
  const kept = conditions.map(({ message }) => message)
  conditions.forEach((condition, at) => {
    const lines = linesOf(condition.message)
    const others = kept.filter((message, i) => i !== at && message !== '').map((message) => linesOf(message).join(' '))
    const summary = /^\s*\*/m.test(condition.message)
    if (summary && lines.every((line) => others.some((other) => other.includes(line)))) kept[at] = ''
  })
  return kept
}
