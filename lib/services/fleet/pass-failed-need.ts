import type { FailingRow } from '@/lib/db/queries/fleet'
import { FAILED_SINCE, failedSentence } from '@/lib/domain/boot-images/failed-pass'
import type { Need } from './needs-you'

/** As much of the operator's words as a row has room for; the cluster's page has all of them. */
const MOST = 240

/** The operator fails to update boot images: no update is closed for that, and nothing repairs it by itself. */
export function passFailedNeed({ clusterId, cluster, passFailed }: FailingRow): Need {
  const words = passFailed.length > MOST ? `${passFailed.slice(0, MOST)}…` : passFailed
  return {
    ...{ kind: 'pass-failed', id: clusterId, where: cluster, hull: null, held: false, since: null },
    sentence: failedSentence(passFailed),
    detail: `${words.replace(/\.?$/, '.')} ${FAILED_SINCE}`,
    action: { label: 'See boot images', href: `/boot-images/${clusterId}` },
  }
}
