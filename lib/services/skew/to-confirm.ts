import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { contradicted } from '@/lib/domain/skew/flagged'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import type { VersionKind } from '@/lib/domain/skew/types'
import { aboveOwnRelease, closesUpdates } from '@/lib/domain/skew/validate'

/** The API server stores a version that cannot be: here it takes somebody who says so. A sentence, or null: it can be. */
export function aboveOwn(
  card: Pick<OpenShiftCluster, 'version' | 'evidence'>,
  kind: VersionKind,
  version: string,
): string | null {
  const { streamRelease } = card.evidence as unknown as StoredEvidence
  return aboveOwnRelease(kind, version, { release: card.version, streamRelease })
}

/** Where boot images keep nothing closed, a version below the floor would: that takes somebody who says so, too. */
export function closing(
  { version: release, floorOcp, floorRhel, blocks }: OpenShiftCluster,
  kind: VersionKind,
  version: string,
): string | null {
  if (!floorOcp || !floorRhel || blocks !== null) return null
  return closesUpdates(kind, version, { floor: { ocp: floorOcp, rhel: floorRhel, source: 'table' }, release })
}

/** And so does one that is newer than an image of which the evidence tells. */
export const against = (
  { evidence }: Pick<OpenShiftCluster, 'evidence'>,
  kind: VersionKind,
  version: string,
): string | null => contradicted({ kind, version }, (evidence as unknown as Partial<StoredEvidence>).items ?? [])
