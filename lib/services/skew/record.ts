import { db } from '@/lib/db/client'
import type { OpenShiftCluster } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { managesBootImages } from '@/lib/domain/skew/effective'
import { NO_PLATFORM } from '@/lib/domain/skew/types'
import { skewLabel, skewPatch, type SkewRequest } from '@/lib/domain/skew/patch'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import { platformWords } from '@/lib/domain/skew/platform-words'
import type { Managers } from '@/lib/domain/skew/types'
import { readSkewState } from '@/lib/providers/openshift/readers'
import { imagesBefore, setsNow } from '../boot-images/managed-now'
import { kubeClientFor } from '../clusters/connection'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import type { ActionDto } from '../openshift/action-row'
import { CLUSTER_CONFIGURATION, skewKind } from '../openshift/kinds/skew'
import { overwrites } from '../openshift/overwrites'
import { readTarget } from '../openshift/read-target'
import { recordAndApply, type NewAction } from '../openshift/record-action'
import { keptReview } from './standing-review'
import { confirmedBy, requireConfirmed, toConfirm } from './to-confirm'
import { nobodyActs, unsupported } from './unsupported'

export interface Wish {
  clusterId: string
  resourceVersion: string
  generation?: number
  uid?: string
  reason?: string
  /** Null: none; absent: the one that stands, where this is what stands. */
  reviewAt?: Date | null
  manageAll?: boolean
  /** What stood at the box that was ticked. */
  confirmed?: string | null
}

const AUDIT = { acknowledge: 'skew.acknowledged', 'opt-out': 'skew.opted-out', automatic: 'skew.returned' } as const

/** Records the decision as an action of one step and applies it right away. */
export const recordSkew = async (ctx: Ctx, request: SkewRequest, wish: Wish): Promise<ActionDto> =>
  recordAndApply(ctx, await planSkew(request, wish))

/** What is to be recorded of a decision, or a sentence that says why nothing can be. */
export async function planSkew(request: SkewRequest, wish: Wish): Promise<NewAction> {
  const { clusterId, resourceVersion, generation, uid, reason, manageAll = false, confirmed = null } = wish
  const card = await skewCluster(clusterId)
  if (manageAll) requireManaging(card)
  const reasons = toConfirm(card, request, manageAll)
  requireConfirmed(reasons, confirmed, request.action === 'acknowledge' ? 'version' : null)
  const reviewAt = (wish.reviewAt === undefined ? await keptReview(clusterId, request) : wish.reviewAt) ?? undefined
  // What is recorded besides is bound to the state that was looked at, as the write is.
  const overwrote =
    card.specSkew === null
      ? undefined
      : await overwrites(clusterId, skewKind, CLUSTER_CONFIGURATION, saidAt(card.specSkew as JsonObject))
  const full: SkewRequest = manageAll ? { ...request, manageAll: { current: await managersNow(clusterId) } } : request
  return {
    ...{ clusterId, kind: skewKind.kind, target: CLUSTER_CONFIGURATION, action: request.action },
    // All managed with it: what the controller does since is told as of any decision on that.
    wish: { manageAll, confirmed, ...(manageAll && { before: await before(clusterId) }) },
    versionKind: request.versionKind,
    version: request.version,
    steps: [{ label: skewLabel(request), body: skewPatch(full) }],
    looked: { resourceVersion, generation, uid },
    ...{ reason, reviewAt },
    audit: {
      action: AUDIT[request.action],
      details: {
        ...(request.version && { version: request.version, versionKind: request.versionKind }),
        ...(reviewAt && { reviewAt: reviewAt.toISOString() }),
        ...(manageAll && { manageAll: true }),
        ...confirmedBy(reasons),
        ...(overwrote && { overwrote }),
      },
    },
  }
}

/** The cluster's card, or a sentence that says why nothing can be done on it. */
export async function skewCluster(clusterId: string) {
  const row = await db().openShiftCluster.findUnique({
    where: { clusterId },
    include: { cluster: { select: { name: true } } },
  })
  if (!row)
    throw new ServiceError('not-found', 'There is no OpenShift cluster of that id, or it has not been read yet.')
  if (!row.skewSupported)
    throw unsupported(
      row,
      'It comes with OpenShift 4.22; an older API server would take the change and store nothing.',
      ` on ${row.cluster.name}`,
    )
  if (row.availability === 'field-without-operator')
    throw new ServiceError('invalid', `No operator of OpenShift ${row.version ?? ''} acts on boot image skew.`, {
      hint: 'It comes with OpenShift 4.22; what is written before that is stored and changes nothing.',
    })
  if (row.availability === 'hosted') throw nobodyActs(row)
  return row
}

/** The API server takes no `managedBootImages` where the operator updates none: there the stanza goes alone. */
export function requireManaging({ evidence, platform }: Pick<OpenShiftCluster, 'evidence' | 'platform'>): void {
  const { platform: of } = evidence as unknown as Partial<StoredEvidence>
  if (of && managesBootImages(of)) return
  if (!of?.type)
    throw new ServiceError('invalid', `${NO_PLATFORM}, and so not whether its operator updates boot images.`, {
      hint: 'Return to automatic without having machine sets managed, or try again when Infrastructure/cluster has been read.',
    })
  throw new ServiceError(
    'invalid',
    `The operator does not update boot images on ${platform ? platformWords(platform) : 'this platform'}.`,
    {
      hint: 'Return to automatic without having machine sets managed: the API server refuses that part there.',
    },
  )
}

/** Where a stanza says what it says: whoever changes the version alone does not take its mode from others. */
export function saidAt({ mode, manual }: JsonObject): string[] {
  const versions = Object.keys((manual ?? {}) as JsonObject).filter((key) => key.endsWith('Version'))
  const at = ['spec', 'bootImageSkewEnforcement']
  return mode === 'Manual' && versions[0] ? [...at, 'manual', versions[0]] : [...at, 'mode']
}

const before = async (clusterId: string) => imagesBefore(await setsNow(clusterId)) as unknown as JsonObject[]

/** A merge patch replaces the list whole: it is made of the live one, and the resourceVersion sees to it that it is still that. */
async function managersNow(clusterId: string): Promise<Managers> {
  const now = await readTarget(await kubeClientFor(clusterId), skewKind, skewKind.target(CLUSTER_CONFIGURATION))
  return readSkewState(now, true).managers
}
