import { createHash } from 'node:crypto'
import type { Json } from '../json'
import { canonical, isRule, ofContent, versionsOf, type ChangeSet, type FieldChange } from '../changes'

/**
 * What a change wants, whoever wants it: changes with the same wish go through their policy's waves together. A version is
 * the whole wish, whatever else differs with it. Values that are secret are not looked at, nor are dates: who restarts
 * groups one after the other wants the same of each.
 */
export function wishOf(changeSet: ChangeSet): string {
  return keyOf(changeSet, (change) => change.secret === true || isRule(change))
}

/**
 * The same with its dates: who has it has what the other one wants. Null where a secret is a part of it, which nobody can compare.
 */
export function exactWishOf(changeSet: ChangeSet): string | null {
  const content = changeSet.pairs.flatMap(({ changes }) => changes.filter(ofContent))
  const { to } = versionsOf(changeSet.fields)
  return to === null && content.some(({ secret }) => secret) ? null : keyOf(changeSet, () => false)
}

/** Both, as a change keeps them. */
export const wishes = (changeSet: ChangeSet): { wish: string; wishExact: string | null } => ({
  wish: wishOf(changeSet),
  wishExact: exactWishOf(changeSet),
})

function keyOf({ pairs, fields }: ChangeSet, without: (change: FieldChange) => boolean): string {
  const { to } = versionsOf(fields)
  if (to !== null) return `version ${to}`
  const content = pairs.flatMap(({ changes }) =>
    changes
      .filter(ofContent)
      .map((change) =>
        canonical([
          change.object,
          change.path,
          without(change) || change.desired === undefined ? [] : [change.desired as Json],
        ]),
      ),
  )
  const distinct = [...new Set(content)].sort()
  return `content ${createHash('sha256').update(canonical(distinct)).digest('hex').slice(0, 32)}`
}
