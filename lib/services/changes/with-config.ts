import type { RevisionPair, WholeConfig } from '@/lib/domain/changes'
import { canonical } from '@/lib/domain/changes/canonical'
import { filledConfig, workerConfig } from '@/lib/domain/changes/kubeadm'
import type { Compared } from '@/lib/providers/cluster-api/changes'
import { keyedDigest } from '@/lib/seal'

/** A pair with digests of what the whole configuration of its machines shall be, where that is known. */
export const withConfig = <Pair extends Pick<RevisionPair, 'from'>>(
  pair: Pair,
  { config, templates }: Pick<Compared, 'config' | 'templates'>,
): Pair & Pick<RevisionPair, 'config' | 'templates'> => ({
  ...pair,
  ...(config ? { config: wholeOf(config) } : {}),
  ...(templates ? { templates: keyedDigest(canonical(templates)) } : {}),
})

function wholeOf({ apiVersion, spec, metadata }: NonNullable<Compared['config']>): WholeConfig {
  const filled = filledConfig(spec)
  const digest = keyedDigest(workerConfig(spec))
  return {
    ...{ apiVersion, digest },
    ...(filled === null ? {} : { filled: keyedDigest(filled) }),
    ...(metadata ? { copied: keyedDigest(canonical(metadata)) } : {}),
  }
}
