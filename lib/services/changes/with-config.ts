import type { RevisionPair } from '@/lib/domain/changes'
import { canonical } from '@/lib/domain/changes/canonical'
import { workerConfig } from '@/lib/domain/changes/kubeadm'
import type { Compared } from '@/lib/providers/cluster-api/changes'
import { keyedDigest } from '@/lib/seal'

/** A pair with digests of what the whole configuration of its machines shall be, where that is known. */
export const withConfig = (
  pair: RevisionPair,
  { config, templates }: Pick<Compared, 'config' | 'templates'>,
): RevisionPair => ({
  ...pair,
  ...(config ? { config: { apiVersion: config.apiVersion, digest: keyedDigest(workerConfig(config.spec)) } } : {}),
  ...(templates ? { templates: keyedDigest(canonical(templates)) } : {}),
})
