import type { OpenShiftCluster } from '@/lib/db/generated/client'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import type { VersionKind } from '@/lib/domain/skew/types'
import { aboveOwnRelease } from '@/lib/domain/skew/validate'

/** The API server stores a version that cannot be: here it takes somebody who says so. A sentence, or null: it can be. */
export function aboveOwn(
  card: Pick<OpenShiftCluster, 'version' | 'evidence'>,
  kind: VersionKind,
  version: string,
): string | null {
  const { streamRelease } = card.evidence as unknown as StoredEvidence
  return aboveOwnRelease(kind, version, { release: card.version, streamRelease })
}
