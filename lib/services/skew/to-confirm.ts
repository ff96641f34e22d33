import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { whatFollows } from '@/lib/domain/skew/follows'
import { contradicted } from '@/lib/domain/skew/flagged'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import type { SkewMode, VersionKind } from '@/lib/domain/skew/types'
import { minorOf } from '@/lib/domain/skew/version'
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

/** What the operator decides by itself may close what boot images keep open now: that takes somebody who says so, as well. */
export function closedByReturn(card: OpenShiftCluster, manageAll: boolean): string | null {
  const { version: release, floorOcp, floorRhel, blocks, recordedOcp, recordedRhcos } = card
  if (!floorOcp || !floorRhel || blocks !== null) return null
  const { spec, effective } = card.managed as unknown as StoredManagers
  const managers = spec ?? undefined
  const { judgement } = whatFollows(
    { action: 'automatic', ...(manageAll && { manageAll: { current: managers } }) },
    {
      ...(card.evidence as unknown as StoredEvidence),
      floor: { ocp: floorOcp, rhel: floorRhel, source: 'table' },
      release,
      state: {
        ...{ supported: true, spec: null, mode: card.mode as SkewMode | null, conditions: [], managers },
        recorded: {
          ...(recordedOcp && { ocpVersion: recordedOcp }),
          ...(recordedRhcos && { rhcosVersion: recordedRhcos }),
        },
        effectiveManagers: effective ?? undefined,
        ...{ generation: 0, observedGeneration: 0 },
      },
    },
  )
  if (judgement.blocks === null) return null
  const minor = (release && minorOf(release)) || 'this minor version'
  return `This closes updates beyond ${minor}, which boot images keep open now. ${judgement.sentence}`
}
