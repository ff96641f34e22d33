import { failure, type Failure } from '@/lib/auth/failure'
import { atMost } from '@/lib/at-most'
import { db } from '@/lib/db/client'
import { planeBeside } from '@/lib/domain/skew/plane-beside'
import type { VersionKind } from '@/lib/domain/skew/types'
import { parseInput, requirePermission, type Ctx } from '../context'
import { AT_ONCE } from '../openshift/batch'
import { offerOf } from './offer-of'
import { previewSkewAction, type SkewPreview } from './preview'
import { PreviewSeveralInput } from './schemas'
import { refusedWrite } from './refused-write'
import { setsBeside } from './sets-beside'
import { reviewWords, standingReviews } from './standing-review'

export interface SeveralSkewRow {
  clusterId: string
  name: string
  /** How it stands now. */
  sentence: string
  /** Of an acknowledgement: what was typed, else what the evidence says, or what is acknowledged already. */
  versionKind: VersionKind
  version: string
  /** Why the evidence says that version, and what the control plane's set says beside it; null: neither says anything. */
  why: string | null
  /** What becomes of a review date that stands, where none is given; null: there is none. */
  review: string | null
  /** null: nothing can be decided there, and `refused` says why. */
  preview: SkewPreview | null
  refused: Failure | null
}

/** What one decision would do on each of several clusters, and why it cannot be made on some. */
export async function previewSeveralSkew(ctx: Ctx, input: unknown): Promise<SeveralSkewRow[]> {
  requirePermission(ctx, 'skew:act')
  const { action, manageAll, clusters } = parseInput(PreviewSeveralInput, input)
  const cards = await db().openShiftCluster.findMany({
    where: { clusterId: { in: clusters.map(({ clusterId }) => clusterId) } },
    include: { cluster: { select: { name: true, discovery: true } } },
  })
  const sets = await setsBeside(cards.map((card) => card.clusterId))
  const reviews = await standingReviews(clusters.map(({ clusterId }) => clusterId))
  const turn = atMost(AT_ONCE)
  return Promise.all(
    clusters.map(({ clusterId, ...typed }) =>
      turn(async (): Promise<SeveralSkewRow> => {
        const card = cards.find((one) => one.clusterId === clusterId)
        const offer = card ? offerOf(card) : null
        const versionKind = typed.versionKind ?? offer?.versionKind ?? 'OCPVersion'
        const version = typed.version ?? offer?.version ?? ''
        const own = sets.filter((set) => set.clusterId === clusterId)
        const besides = planeBeside(own, { kind: versionKind, version })
        const row = {
          ...{ clusterId, versionKind, version },
          review: reviewWords(reviews.get(clusterId), { action, version }),
          name: card?.cluster.name ?? 'a cluster that is gone',
          sentence: card?.sentence ?? '',
          why: [offer?.why, besides].filter(Boolean).join(' ') || null,
        }
        const wish = { clusterId, action, manageAll, ...(action === 'acknowledge' && { versionKind, version }) }
        const refused = refusedWrite(card?.cluster.discovery)
        if (refused) return { ...row, preview: null, refused }
        try {
          return { ...row, preview: await previewSkewAction(ctx, wish), refused: null }
        } catch (error) {
          return { ...row, preview: null, refused: failure(error, 'previewSeveralSkew', 'look') }
        }
      }),
    ),
  )
}
