import type { RevisionPair } from '@/lib/domain/changes'
import { workerConfig } from '@/lib/domain/changes/kubeadm'
import type { Compared } from '@/lib/providers/cluster-api/changes'
import { keyedDigest } from '@/lib/seal'

/** A pair with a digest of what the whole config of its machines shall be, where that is known. */
export const withConfig = (pair: RevisionPair, config: Compared['config']): RevisionPair => ({
  ...pair,
  ...(config ? { config: { apiVersion: config.apiVersion, digest: keyedDigest(workerConfig(config.spec)) } } : {}),
})
