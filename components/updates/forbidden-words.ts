import { isRule } from '@/lib/domain/changes/reference'
import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { ChangeSet } from '@/lib/domain/changes/types'

/**
 * Neither way is one: what its policy allows, and what is left that nobody covers. Where nobody is asked about it, all that changes,
 * and why; where only some machines are replaced in any case, why those.
 */
export function forbiddenWords(
  { outlook, changeSet }: Pick<ChangeDto, 'outlook'> & { changeSet?: ChangeSet },
  forbidden: string,
): string {
  const { inPlace, uncovered, whyNotInPlace = '' } = outlook
  const only = 'Held: its policy allows in place only, and'
  if (inPlace) {
    const why = changeSet?.pairs.find(({ certainReplace }) => certainReplace)?.certainReplace
    return `Held: ${forbidden}${why ? ` ${why}` : ''}`
  }
  if (uncovered.length > 0) return `${only} nobody covers ${fewOf(uncovered)}.`
  const fields = (changeSet?.fields ?? []).filter(({ always }) => !always)
  if (fields.length === 0) return `Held: ${forbidden}`
  // Of several old revisions each has its own.
  const named = fewOf([
    ...new Set(fields.map((field) => `${isRule(field) ? 'the group' : field.object}: ${field.path}`)),
  ])
  // The way that its policy forbids is none.
  const why = whyNotInPlace.replace(/, or approve replacing\.$/i, '.')
  return why
    ? `${only} it cannot be updated in place now. ${why} It changes ${named}.`
    : `${only} ${named} cannot be changed in place.`
}
const MOST_FIELDS = 3
export function fewOf(names: readonly string[]): string {
  const more = names.length - MOST_FIELDS
  return `${names.slice(0, MOST_FIELDS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
