import type { FailingRow, SkewRow, UnheardRow } from '@/lib/db/queries/fleet'
import { failedCauses, failedSentence, failedSince } from '@/lib/domain/boot-images/failed-pass'
import type { Need } from './needs-you'

/** As much of the operator's words as a row has room for; the cluster's page has all of them. */
const MOST = 240

function causeAndSince(passFailed: string): string {
  const causes = failedCauses(passFailed)
  const words = causes.length > MOST ? `${causes.slice(0, MOST)}…` : causes.replace(/\.?$/, '.')
  return `${words} ${failedSince(passFailed)}`
}

/** One set may end the whole controller, which begins anew and ends there again. `endsOn`: which, and why, where that is known. */
const standsStill = (endsOn: string | null): string =>
  `No machine set gets another image meanwhile. ${endsOn ?? 'Look at the log of the machine-config-controller: an outdated machine set without userDataSecret, for one, ends it.'}`

/** Boot images keep updates closed: the record is below the floor, or the operator fails to update them. */
export const skewNeed = ({ clusterId, cluster, sentence, blocks, passFailed }: SkewRow): Need => ({
  ...{ kind: 'skew', id: clusterId, where: cluster, hull: null, held: true, since: null, sentence },
  detail: [blocks, passFailed && causeAndSince(passFailed)].filter(Boolean).join(' '),
  action: { label: 'See boot images', href: `/boot-images/${clusterId}` },
})

/** The operator fails to update boot images, or stands still: no update is closed for that, and nothing repairs it by itself. */
export const passFailedNeed = ({ clusterId, cluster, passFailed, passStuck, endsOn }: FailingRow): Need => ({
  ...{ kind: 'pass-failed', id: clusterId, where: cluster, hull: null, held: false, since: null },
  sentence: passStuck ?? failedSentence(passFailed ?? ''),
  detail: passStuck === null ? causeAndSince(passFailed ?? '') : standsStill(endsOn),
  action: { label: 'See boot images', href: `/boot-images/${clusterId}` },
})

/** Nobody knows whether boot images keep updates closed there: a permission is missing, mostly. */
export const unheardNeed = ({ clusterId, cluster, sentence, blocks, since }: UnheardRow): Need => ({
  ...{ kind: 'skew-unheard', id: clusterId, where: cluster, hull: null, held: false, sentence },
  since: since?.toISOString() ?? null,
  detail: blocks ?? 'What is shown of its boot images is old.',
  action: { label: 'See boot images', href: `/boot-images/${clusterId}` },
})
