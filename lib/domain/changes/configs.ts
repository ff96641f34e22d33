import { createHash } from 'node:crypto'
import { canonical } from './canonical'
import type { ChangeSet } from './types'

/**
 * Whether the whole configuration of any machine would be another one than was shown, also beside the fields that differ: updaters are
 * sent all of it. Of an old revision that is gone, or came since, nothing is compared.
 */
export function configsEdited(shown: Pick<ChangeSet, 'pairs'>, now: Pick<ChangeSet, 'pairs'>): boolean {
  const before = new Map(shown.pairs.map(({ from, config }) => [from, config]))
  return now.pairs.some(({ from, config }) => {
    const was = before.get(from)
    return was !== undefined && (was.digest !== config?.digest || was.apiVersion !== config.apiVersion)
  })
}

/** What the whole configurations of its machines shall be, in short; null: none is known. Who looked at others looked at another change. */
export function configsOf({ pairs = [] }: Partial<Pick<ChangeSet, 'pairs'>>): string | null {
  const known = pairs.flatMap(({ config }) => (config ? [`${config.apiVersion} ${config.digest}`] : []))
  if (known.length === 0) return null
  return createHash('sha256')
    .update(canonical([...new Set(known)].sort()))
    .digest('hex')
}
