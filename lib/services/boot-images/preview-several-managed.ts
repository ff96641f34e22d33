import { failure, type Failure } from '@/lib/auth/failure'
import { atMost } from '@/lib/at-most'
import { db } from '@/lib/db/client'
import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { recordFirst, type RecordedFirst } from '@/lib/domain/skew/record-first'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import type { VersionKind } from '@/lib/domain/skew/types'
import { parseInput, requirePermission, type Ctx } from '../context'
import { AT_ONCE } from '../openshift/batch'
import { refusedWrite } from '../skew/refused-write'
import { previewManaged, type ManagedPreview } from './preview-managed'
import { PreviewSeveralManagedInput } from './schemas'
import { previewFor } from './several-managed'

export interface SeveralManagedRow {
  clusterId: string
  name: string
  /** Which sets its operator keeps current now, in words. */
  sentence: string
  /** Its operator records by itself: what becomes of that is said first, and this version is recorded. */
  recordsItself: boolean
  versionKind: VersionKind
  version: string
  why: string | null
  /** null: nothing can be decided there, and `refused` says why. */
  preview: ManagedPreview | null
  refused: Failure | null
}

/** What managing all machine sets, or none, would do on each of several clusters, and why it cannot be done on some. */
export async function previewSeveralManaged(ctx: Ctx, input: unknown): Promise<SeveralManagedRow[]> {
  requirePermission(ctx, 'skew:act')
  const all = parseInput(PreviewSeveralManagedInput, input)
  const cards = await db().openShiftCluster.findMany({
    where: { clusterId: { in: all.clusters.map(({ clusterId }) => clusterId) } },
    include: { cluster: { select: { name: true, discovery: true } } },
  })
  const turn = atMost(AT_ONCE)
  return Promise.all(
    all.clusters.map((typed) =>
      turn(async (): Promise<SeveralManagedRow> => {
        const card = cards.find(({ clusterId }) => clusterId === typed.clusterId)
        const { why, ...recorded } = recordedOf(card)
        const one = { ...recorded, ...typed }
        const recordsItself = card?.mode === 'Automatic'
        const row = {
          ...{ ...one, recordsItself, why: typed.version === undefined ? why : null },
          name: card?.cluster.name ?? 'a cluster that is gone',
          sentence: (card?.managed as Partial<StoredManagers> | undefined)?.words ?? '',
        }
        const refused = refusedWrite(card?.cluster.discovery)
        if (refused) return { ...row, preview: null, refused }
        try {
          const preview = await previewManaged(ctx, previewFor(all, one, recordsItself))
          return { ...row, preview, refused: null }
        } catch (error) {
          return { ...row, preview: null, refused: failure(error, 'previewSeveralManaged', 'look') }
        }
      }),
    ),
  )
}

/** Of its own record and its own evidence. */
function recordedOf(card: OpenShiftCluster | undefined): RecordedFirst {
  const { items = [], best = null } = (card?.evidence ?? {}) as unknown as Partial<StoredEvidence>
  return recordFirst({ ocpVersion: card?.recordedOcp ?? null, rhcosVersion: card?.recordedRhcos ?? null }, items, best)
}
