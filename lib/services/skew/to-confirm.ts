import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { managersAfter, type ManagedWish } from '@/lib/domain/boot-images/managed/plan'
import { manageAllSets, type SkewRequest } from '@/lib/domain/skew/patch'
import { whatFollows } from '@/lib/domain/skew/follows'
import { contradicted } from '@/lib/domain/skew/flagged'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import type { Managers, SkewMode, VersionKind } from '@/lib/domain/skew/types'
import { minorOf } from '@/lib/domain/skew/version'
import { aboveOwnRelease, closesUpdates, unreadable } from '@/lib/domain/skew/validate'
import { ServiceError } from '../errors'

/** Why a decision takes somebody who says that it is meant, each reason as a sentence; null: that is none. */
interface Reasons {
  newer: string | null
  closing: string | null
  against: string | null
  unreadable: string | null
}

const NONE: Reasons = { newer: null, closing: null, against: null, unreadable: null }

/** Of one decision on a cluster as it is now: asked when it is previewed, when it is made, and right before it is sent. */
export function toConfirm(
  card: OpenShiftCluster,
  { action, versionKind, version }: Pick<SkewRequest, 'action' | 'versionKind' | 'version'>,
  manageAll = false,
): Reasons {
  if (action === 'automatic')
    return { ...NONE, closing: closedByReturn(card, manageAll ? manageAllSets(configured(card)) : configured(card)) }
  if (action !== 'acknowledge' || !versionKind || !version) return NONE
  const [newer, closes, contra] = [aboveOwn, closing, against].map((asks) => asks(card, versionKind, version))
  return { newer: newer!, closing: closes!, against: contra!, unreadable: unreadable(versionKind, version) }
}

/** The same of a choice of managed machine sets: what is recorded first, or what the operator records by itself where all are managed. */
export function managedToConfirm(card: OpenShiftCluster, wish: ManagedWish): Reasons {
  const { sets, skew } = wish
  const all = sets.mode === 'All'
  const isFree = card.specSkew === null && card.mode !== 'Automatic'
  // Which mode it arrives at then, whatever becomes of its machine sets.
  if (!skew && isFree && card.mode === null)
    return { ...NONE, closing: closedByReturn(card, managersAfter(wish, configured(card))) }
  const { action, ...version } = skew ?? { action: all && isFree ? 'automatic' : 'opt-out' }
  return toConfirm(card, { action: action === 'automatic' && !all ? 'opt-out' : action, ...version }, all)
}

/** All of it, as it stands at the box; null: nothing is to be confirmed. */
export const sentenceOf = (reasons: Reasons): string | null => Object.values(reasons).filter(Boolean).join(' ') || null

/** Throws what is to be confirmed where it is not what somebody did confirm. `field`: of the version that is to be recorded. */
export function requireConfirmed(reasons: Reasons, confirmed: string | null, field: string | null): void {
  const sentence = sentenceOf(reasons)
  if (sentence === null || sentence === confirmed) return
  throw new ServiceError('invalid', sentence, {
    ...(field
      ? {
          hint: 'Say the oldest version that machines were started from, or confirm that this one is to be recorded.',
          fields: [{ field, message: sentence }],
        }
      : { hint: 'Look at what follows, and confirm that it is meant.' }),
  })
}

/** For a recorded decision before it is sent: why it is not any more; null: whatever is to be confirmed by now was. */
export function outgrown(reasons: Reasons, { confirmed }: { confirmed?: string | null }): string | null {
  if (Object.values(reasons).every((reason) => !reason || confirmed?.includes(reason))) return null
  return `${sentenceOf(reasons)} Nothing was recorded: look again, and confirm it where it is meant.`
}

/** For the audit event. */
export const confirmedBy = ({ newer, closing, against, unreadable: hides }: Reasons) => ({
  ...(newer && { newerConfirmed: true }),
  ...(closing && { closingConfirmed: true }),
  ...(against && { againstConfirmed: true }),
  ...(hides && { unreadableConfirmed: true }),
})

/** The API server stores a version that cannot be: here it takes somebody who says so. A sentence, or null: it can be. */
function aboveOwn(
  card: Pick<OpenShiftCluster, 'version' | 'evidence'>,
  kind: VersionKind,
  version: string,
): string | null {
  const { streamRelease } = card.evidence as unknown as StoredEvidence
  return aboveOwnRelease(kind, version, { release: card.version, streamRelease })
}

/** Where boot images keep nothing closed, a version below the floor would: that takes somebody who says so, too. */
function closing(
  { version: release, floorOcp, floorRhel, blocks }: OpenShiftCluster,
  kind: VersionKind,
  version: string,
): string | null {
  if (!floorOcp || !floorRhel || blocks !== null) return null
  return closesUpdates(kind, version, { floor: { ocp: floorOcp, rhel: floorRhel, source: 'table' }, release })
}

/** And so does one that is newer than an image of which the evidence tells. */
const against = ({ evidence }: Pick<OpenShiftCluster, 'evidence'>, kind: VersionKind, version: string): string | null =>
  contradicted({ kind, version }, (evidence as unknown as Partial<StoredEvidence>).items ?? [])

const configured = ({ managed }: OpenShiftCluster): Managers => (managed as unknown as StoredManagers).spec ?? undefined

/** What the operator decides by itself may close what boot images do not close now: that takes somebody who says so, as well. */
function closedByReturn(card: OpenShiftCluster, managers: Managers): string | null {
  const { version: release, floorOcp, floorRhel, blocks, recordedOcp, recordedRhcos } = card
  if (!floorOcp || !floorRhel || blocks !== null) return null
  const { effective } = card.managed as unknown as StoredManagers
  const { judgement } = whatFollows(
    { action: 'automatic' },
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
  return `This closes updates beyond ${minor}, which boot images do not close now. ${judgement.sentence}`
}
