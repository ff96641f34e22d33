import { createHash } from 'node:crypto'
import type { Json } from '../json'
import { canonical, isRule, ofContent, versionsOf, type ChangeSet } from '../changes'

/**
 * What a change wants, whoever wants it: changes with the same wish go through their policy's waves together. A version is
 * the whole wish, whatever else differs with it. Values that are secret are not looked at, nor are dates: who restarts
 * groups one after the other wants the same of each.
 */
export function wishOf({ pairs, fields }: ChangeSet): string {
  const { to } = versionsOf(fields)
  if (to !== null) return `version ${to}`
  const content = pairs.flatMap(({ changes }) =>
    changes
      .filter(ofContent)
      .map(({ object, path, desired, secret }) =>
        canonical([object, path, secret || isRule({ object, path }) || desired === undefined ? [] : [desired as Json]]),
      ),
  )
  const distinct = [...new Set(content)].sort()
  return `content ${createHash('sha256').update(canonical(distinct)).digest('hex').slice(0, 32)}`
}
