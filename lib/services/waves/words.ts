import type { Tx } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { databaseNow } from '@/lib/db/now'
import type { WaveState } from '@/lib/domain/waves'
import { recordAudit } from '../audit/record'
import { begunSql, OPEN } from '../changes/states'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { membership } from './membership'
import { misplaced, writePlaces } from './placing'
import { runsNow, type Run } from './runs'

interface Word {
  what: 'begin' | 'skip' | 'stop'
  wave: string | null
  reason?: string | undefined
}

interface RunKey {
  policyId: string
  wish: string
}
const keyOf = ({ policyId, wish }: RunKey): string => `wave ${policyId} ${wish}`

/** Those of these runs of which nobody says anything at this moment, and nobody will before the transaction ends. Waits for none. */
export async function tryRuns<R extends RunKey>(tx: Tx, runs: readonly R[]): Promise<R[]> {
  const free = await tx.$queryRaw<{ run: string }[]>`
    SELECT run FROM unnest(${runs.map(keyOf)}::text[]) AS run WHERE pg_try_advisory_xact_lock_shared(hashtextextended(run, 0))`
  const found = new Set(free.map(({ run }) => run))
  return runs.filter((run) => found.has(keyOf(run)))
}

/** A run that is not over, with what was said about it locked: two people say one thing after the other. */
export async function requireRun(tx: Tx, only: { policyId: string; wish: string }): Promise<Run> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${keyOf(only)}, 0))`
  const [run] = await runsNow(tx, membership, only)
  if (!run)
    throw new ServiceError('not-found', 'This run is over, or its policy has no waves any more.', {
      hint: 'Look at the waves as they are now.',
    })
  return run
}

/** `bound`: how it was written when it was looked at. */
export function requireWave(run: Run, name: string, bound?: string): WaveState & { index: number } {
  const index = run.waves.findIndex((one) => one.name === name)
  const wave = run.waves[index]
  if (!wave) throw new ServiceError('not-found', `The policy ${run.policy.name} has no wave ${name} any more.`)
  if (bound !== undefined && run.bounds[index] !== bound)
    throw new ServiceError('conflict', `The wave ${name} was written otherwise while you were looking at it.`, {
      hint: 'Look at which groups are in it now.',
    })
  return { ...wave, index }
}

/** Locked in the order in which the worker locks them. */
const ofRun = (states: readonly string[], more = '') => `
  WITH one AS (SELECT id FROM change WHERE wish = $1 AND wave->>'policyId' = $2
    AND state IN (${states.map((state) => `'${state}'`).join(', ')}) ${more} ORDER BY id FOR UPDATE)`

/** At once, and not with the worker's next round: what is approved by now waits. */
export async function holdRun(tx: Tx, { policy, wish }: Run, by: string, words: string): Promise<void> {
  await tx.$executeRawUnsafe(
    `${ofRun(OPEN)} UPDATE change SET wave = wave || jsonb_build_object('state', 'stopped', 'why', $3::text, 'stoppedBy', $4::text, 'opens', NULL)
      FROM one WHERE change.id = one.id`,
    ...[wish, policy.id, words, by],
  )
}

/**
 * What has not begun waits until it is placed anew, also what is in no run at this moment. It keeps its place: while its labels are not
 * known, nothing else says in which wave it is.
 */
export async function placeAnew(tx: Tx, { policy, wish }: Run): Promise<void> {
  await tx.$executeRawUnsafe(
    `${ofRun(['waiting', 'rejected', 'approved'], `AND NOT ${begunSql('change.id')}`)} UPDATE change
      SET wave = CASE wave->>'state' WHEN 'open' THEN wave || '{"state": "waits", "why": "it is placed anew"}' ELSE wave END
      FROM one WHERE change.id = one.id`,
    ...[wish, policy.id],
  )
}

/** Writes down what somebody says about a run; last in its transaction. */
export async function say(tx: Tx, ctx: Ctx, run: Run, { what, wave, reason }: Word): Promise<void> {
  const { policy, wish } = run
  const { id: actorId, name: actorName } = ctx.actor
  const about = { policyId: policy.id, wish, wave, what }
  // Of before, of a wave that was written otherwise.
  const at = await databaseNow(tx)
  await tx.waveWord.updateMany({ where: { ...about, endedAt: null }, data: { endedAt: at } })
  const bound = wave === null ? null : (run.bounds[run.waves.findIndex(({ name }) => name === wave)] ?? null)
  await tx.waveWord.create({ data: { ...about, at, actorId, actorName, reason: reason ?? null, bound } })
  await place(tx, run)
  await record(tx, ctx, run, `waves.${what}`, wave, reason)
}

/** Takes back what was said; last in its transaction. */
export async function unsay(tx: Tx, ctx: Ctx, run: Run, { what, wave, reason }: Word): Promise<void> {
  const { policy, wish } = run
  const where = { policyId: policy.id, wish, wave, what, endedAt: null }
  await tx.waveWord.updateMany({ where, data: { endedAt: await databaseNow(tx) } })
  await place(tx, run)
  await record(tx, ctx, run, `waves.${what}-ended`, wave, reason)
}

/** What was said holds at once for every change of the run, and not with the next round of each cluster's worker. */
async function place(tx: Tx, { policy, wish }: Run): Promise<void> {
  const [run] = await runsNow(tx, membership, { policyId: policy.id, wish })
  const written = run ? await writePlaces(tx, misplaced(run)) : []
  for (const cluster of new Set(written.map(({ clusterId }) => clusterId)))
    await announce(tx, { topic: 'changes', cluster })
}

async function record(
  tx: Tx,
  ctx: Ctx,
  { policy, wish, summary }: Run,
  action: string,
  wave: string | null,
  reason?: string,
) {
  await announce(tx, { topic: 'policies', ids: [policy.id] })
  await recordAudit(tx, ctx, {
    ...{ action, reason: reason ?? null },
    target: { kind: 'RolloutPolicy', id: policy.id, name: policy.name },
    details: { summary, wish, ...(wave === null ? {} : { wave }) },
  })
}
