import type { FailingRow, SkewRow } from '@/lib/db/queries/fleet'
import { FAILED_SINCE, failedCauses, failedSentence } from '@/lib/domain/boot-images/failed-pass'
import type { Need } from './needs-you'

/** As much of the operator's words as a row has room for; the cluster's page has all of them. */
const MOST = 240

function causeAndSince(passFailed: string): string {
  const causes = failedCauses(passFailed)
  const words = causes.length > MOST ? `${causes.slice(0, MOST)}…` : causes.replace(/\.?$/, '.')
  return `${words} ${FAILED_SINCE}`
}

/** Boot images keep updates closed: the record is below the floor, or the operator fails to update them. */
export const skewNeed = ({ clusterId, cluster, sentence, blocks, passFailed }: SkewRow): Need => ({
  ...{ kind: 'skew', id: clusterId, where: cluster, hull: null, held: true, since: null, sentence },
  detail: [blocks, passFailed && causeAndSince(passFailed)].filter(Boolean).join(' '),
  action: { label: 'See boot images', href: `/boot-images/${clusterId}` },
})

/** The operator fails to update boot images: no update is closed for that, and nothing repairs it by itself. */
export const passFailedNeed = ({ clusterId, cluster, passFailed }: FailingRow): Need => ({
  ...{ kind: 'pass-failed', id: clusterId, where: cluster, hull: null, held: false, since: null },
  sentence: failedSentence(passFailed),
  detail: causeAndSince(passFailed),
  action: { label: 'See boot images', href: `/boot-images/${clusterId}` },
})
