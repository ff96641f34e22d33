import { createHash } from 'node:crypto'
import { canonical } from './canonical'
import type { ChangeSet, RevisionPair } from './types'

/**
 * Whether the whole configuration of any machine would be another one than was shown, also beside the fields that differ: updaters are
 * sent all of it. Of an old revision that is gone, or came since, nothing is compared.
 */
export function configsEdited(shown: Configured, now: Configured): boolean {
  const before = new Map(shown.pairs.map((pair) => [pair.from, pair]))
  return now.pairs.some(({ from, config, templates }) => {
    const was = before.get(from)
    // From before that was kept, nothing is known of them.
    if (was?.templates !== undefined && was.templates !== templates) return true
    return (
      was?.config !== undefined && (was.config.digest !== config?.digest || was.config.apiVersion !== config.apiVersion)
    )
  })
}
interface Configured {
  pairs: readonly Pick<RevisionPair, 'from' | 'config' | 'templates'>[]
}

/** What the whole configurations of its machines shall be, in short; null: none is known. Who looked at others looked at another change. */
export function configsOf({ pairs = [] }: Partial<Pick<ChangeSet, 'pairs'>>): string | null {
  const known = pairs.flatMap(({ config, templates }) => [
    ...(config ? [`${config.apiVersion} ${config.digest}`] : []),
    ...(templates ? [templates] : []),
  ])
  if (known.length === 0) return null
  return createHash('sha256')
    .update(canonical([...new Set(known)].sort()))
    .digest('hex')
}
