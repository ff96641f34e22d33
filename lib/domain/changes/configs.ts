import { createHash } from 'node:crypto'
import { canonical } from './canonical'
import type { ChangeSet, RevisionPair, WholeConfig } from './types'

/**
 * Whether the whole configuration of any machine would be another one than was shown, also beside the fields that differ: updaters are
 * sent all of it. Of an old revision that is gone, or came since, nothing is compared.
 */
export const configsEdited = (shown: Configured, now: Configured): boolean => editedIn(shown, now).length > 0

/** In which of them: `config`, of a kubeadm config; `templates`, all else. */
export function editedIn(shown: Configured, now: Configured): ('config' | 'templates')[] {
  const before = new Map(shown.pairs.map((pair) => [pair.from, pair]))
  // From before that was kept, nothing is known of them.
  const isOther = {
    config: ({ from, config }: Configured['pairs'][number]) => {
      const was = before.get(from)?.config
      return was !== undefined && !sameConfig(was, config)
    },
    templates: ({ from, templates }: Configured['pairs'][number]) => {
      const was = before.get(from)?.templates
      return was !== undefined && was !== templates
    },
  }
  return (['config', 'templates'] as const).filter((part) => now.pairs.some(isOther[part]))
}

export const sameConfig = (a: WholeConfig | undefined, b: WholeConfig | undefined): boolean =>
  sameContent(a, b) && a?.apiVersion === b?.apiVersion

/** The same in whatever version of its API. */
export const sameContent = (a: WholeConfig | undefined, b: WholeConfig | undefined): boolean =>
  a?.digest === b?.digest && a?.filled === b?.filled && a?.copied === b?.copied

interface Configured {
  pairs: readonly Pick<RevisionPair, 'from' | 'config' | 'templates'>[]
}

/** What the whole configurations of its machines shall be, in short; null: none is known. Who looked at others looked at another change. */
export function configsOf({ pairs = [] }: Partial<Pick<ChangeSet, 'pairs'>>): string | null {
  const known = pairs.flatMap(({ config, templates }) => [
    ...(config
      ? [
          `${config.apiVersion} ${config.digest}`,
          ...(config.filled ? [config.filled] : []),
          ...(config.copied ? [config.copied] : []),
        ]
      : []),
    ...(templates ? [templates] : []),
  ])
  if (known.length === 0) return null
  return createHash('sha256')
    .update(canonical([...new Set(known)].sort()))
    .digest('hex')
}
