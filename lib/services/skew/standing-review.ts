import { pool } from '@/lib/db/client'
import { CLUSTERS } from '@/lib/db/queries/boot-image-where'
import type { SkewRequest } from '@/lib/domain/skew/patch'

/** The word on the limit that stands, and when somebody is to look at it again. */
export interface StandingReview {
  action: string
  version: string | null
  reviewAt: Date
}

const STANDING = `SELECT c.id AS "clusterId", w.action, w.version, w.review_at AS "reviewAt"
  FROM ${CLUSTERS} WHERE c.id = ANY($1::uuid[]) AND w.review_at > now()`

/** By cluster, those whose date has not come: whoever says again what was due has looked at it. */
export async function standingReviews(clusterIds: readonly string[]): Promise<Map<string, StandingReview>> {
  const { rows } = await pool().query<StandingReview & { clusterId: string }>(STANDING, [clusterIds])
  return new Map(rows.map(({ clusterId, ...standing }) => [clusterId, standing]))
}

type Asked = Pick<SkewRequest, 'action' | 'version'>

const isSame = (standing: StandingReview, { action, version }: Asked): boolean =>
  standing.action === action && (action !== 'acknowledge' || standing.version === version)

/** The same said once more, with no date: the one that stands is kept. */
export async function keptReview(clusterId: string, asked: Asked): Promise<Date | undefined> {
  const standing = (await standingReviews([clusterId])).get(clusterId)
  return standing && isSame(standing, asked) ? standing.reviewAt : undefined
}

/** What becomes of the date that stands, where none is given; null: there is none. */
export function reviewWords(standing: StandingReview | undefined, asked: Asked): string | null {
  if (!standing) return null
  const date = `Its review date, ${standing.reviewAt.toISOString().slice(0, 10)},`
  if (isSame(standing, asked)) return `${date} is kept unless another is given.`
  const of = standing.action === 'acknowledge' ? standing.version : 'the opt-out'
  return `${date} was set for ${of} and ends with it${asked.action === 'automatic' ? '' : ', unless another is given'}.`
}
