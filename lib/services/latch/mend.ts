import { db } from '@/lib/db/client'
import { lastRefusal } from '../audit/last-refusal'
import { recordAudit } from '../audit/record'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { applyAll, deleteAll } from './apply'
import { besideOf } from './beside'
import { inspectLatch, type Inspection } from './inspect'
import { latchError, outcome } from './outcome'
import { isWhole, type LatchStatus } from './status'
import { formName, holdsOf, latchTarget } from './target'
import { withUnnamed } from './unnamed'
import { beginWatching, endWatching, pauseInstead, watchPoolsOnly } from './watching'

const auditOf = ({ target: { cluster } }: Pick<Inspection, 'target'>) => ({
  target: { kind: 'Latch', id: cluster.id, name: cluster.name },
  cluster: { id: cluster.id, name: cluster.name },
})

/**
 * Puts back what is missing or changed, and takes away what is ours and no longer wanted. Under the latch's lock. `follows`: it was
 * whole until what is governed was changed just now, so that nobody else had touched it.
 */
export async function mend(ctx: Ctx, seen: Inspection, follows = false): Promise<LatchStatus> {
  const { target, client, status: before } = seen
  if (isWhole(before)) return before
  const { cluster, form } = target
  const upgraded = upgradedWords(cluster.latchForm, formName(form))
  const verb = upgraded ? 'install' : follows ? 'follow' : 'repair'
  const action = `latch.${verb}ed`
  const audit = { ...auditOf(seen), reason: upgraded ?? (follows ? followWords(before) : before.message) }
  if ((await lastRefusal(action, audit.target)) === null)
    await db().$transaction((tx) => recordAudit(tx, ctx, { ...audit, action: `latch.${verb}` }))
  return outcome(ctx, { ...audit, action }, FAILED[verb], async (say) => {
    await unchanged(target)
    if (target.apart && target.pools === 'pausing') await pauseInstead(cluster.id)
    const refused = await applyAll(client, target, say)
    if (refused) await pauseInstead(cluster.id)
    await db().$transaction(async (tx) => {
      // Removed meanwhile, it stays removed. Watched before, it stays watched until a person ends that.
      const where = { id: cluster.id, latchForm: { not: 'none' } }
      const { count } = await tx.managementCluster.updateMany({ where, data: { latchForm: formName(form) } })
      if (count > 0 && form === 'watch') await beginWatching(tx, cluster.id)
    })
    const { status } = await inspectLatch(cluster.id, { patiently: true, refused })
    return { value: status, ok: isWhole(status), refused: refused !== null }
  })
}

export const NOT_REPAIRED = 'The latch could not be repaired.'
const FAILED = {
  install: 'The latch could not be installed.',
  follow: 'The latch could not follow what is governed now.',
  repair: NOT_REPAIRED,
}

const followWords = ({ message }: LatchStatus): string =>
  message.replace(/Parts of the latch (?:were changed|are missing)/g, FOLLOWS)
const FOLLOWS = 'What is governed was changed, and with it these parts of the latch'

/** Nobody took anything away: the API server can carry more than it could. Null: it is not that. */
function upgradedWords(before: string, now: string): string | null {
  if (before === now || now === 'watch') return null
  const could = before === 'watch' ? 'Drydock watched until now' : 'the webhook held until now'
  return now === 'policy'
    ? `Its API server serves admission policies now; ${could}.`
    : `Its API server can call a webhook of the latch now; ${could}.`
}

/** The lock ends with its connection, which a database that restarts ends: what is wanted may be something else by now. */
async function unchanged({ cluster, governance, choices }: Inspection['target']): Promise<void> {
  const now = await latchTarget(cluster.id)
  const chosen = ({ policy }: typeof cluster): unknown => policy?.pools ?? null
  const same =
    JSON.stringify([now.governance, now.choices, chosen(now.cluster)]) ===
    JSON.stringify([governance, choices, chosen(cluster)])
  if (!same || (now.cluster.latchForm === 'none') !== (cluster.latchForm === 'none'))
    throw new ServiceError('conflict', 'What the latch is to hold was changed meanwhile.', { hint: 'Try again.' })
}

/** Takes the webhook of before away, and ends watching, once the latch was seen to hold without them. Under the latch's lock. */
export async function retireBeside(ctx: Ctx, seen: Inspection): Promise<LatchStatus> {
  const { target, client, found, status } = seen
  const { cluster } = target
  await refuseUnseen(seen)
  if (status.proved !== true)
    throw new ServiceError('conflict', 'What held before stays: the latch was not seen to hold by itself.', {
      hint: 'It is tried on a governed group that is not held; let there be one, then try again.',
    })
  const audit = auditOf(seen)
  if (status.watchesBeside)
    await db().$transaction(async (tx) => {
      if (target.apart && target.pools === 'pausing') await watchPoolsOnly(tx, cluster.id)
      else await endWatching(tx, cluster.id)
      await recordAudit(tx, ctx, { ...audit, action: 'latch.watch-ended' })
    })
  if (!status.beside) return (await inspectLatch(cluster.id)).status
  await db().$transaction((tx) => recordAudit(tx, ctx, { ...audit, action: 'latch.retire-webhook' }))
  return outcome(
    ctx,
    { ...audit, action: 'latch.webhook-retired' },
    'The old webhook could not be taken away.',
    async (say) => {
      await deleteAll(client, besideOf(target, found), say)
      const after = await inspectLatch(cluster.id, { patiently: true })
      return { value: after.status, ok: after.status.state === 'intact' }
    },
  )
}

/** What held before may be all that holds what was not found when it was last looked for. */
async function refuseUnseen({ target: { cluster, holds }, client }: Inspection): Promise<void> {
  const asked = withUnnamed(client, cluster).catch((error: unknown) => Promise.reject(latchError(error) as Error))
  const now = holdsOf(await asked)
  if (now.clusterApi === holds.clusterApi && now.pools === holds.pools) return
  const what = now.pools === holds.pools ? 'Cluster API was' : 'OpenShift’s pools were'
  throw new ServiceError(
    'unavailable',
    `What held before stays: ${what} not found on ${cluster.name} when Drydock last looked, and is there.`,
    { hint: 'It is looked for again within minutes; try again then.' },
  )
}
