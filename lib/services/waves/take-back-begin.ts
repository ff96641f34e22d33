import { db, type Tx } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { begunSql, UNDER_WAY } from '../changes/states'
import { movedSince } from './moved-since'
import type { RunMember } from './run-members'
import { TakeBackBeginInput } from './schemas'
import { placeAnew, requireRun, requireWave, unsay } from './words'

/** Takes back that a wave begins, for as long as nothing of it has moved: its groups wait for somebody's word again. */
export async function takeBackBegin(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'changes:reject')
  const { policyId, wish, wave } = parseInput(TakeBackBeginInput, input)
  await db().$transaction(async (tx) => {
    const run = await requireRun(tx, { policyId, wish })
    const { index } = requireWave(run, wave)
    const said = run.said.begun.get(wave)
    if (!said) throw new ServiceError('conflict', `Nobody has said that the wave ${wave} begins.`)
    const moved = (await movedIn(tx, run.members, index, said.at)) ?? (await movedSince(tx, run, wave, said.at))
    if (moved)
      throw new ServiceError('conflict', `${moved} has begun: this cannot be taken back any more.`, {
        hint: 'Stop all waves: what has begun is finished then, and the rest is held.',
      })
    await placeAnew(tx, run)
    await unsay(tx, ctx, run, { what: 'begin', wave })
  })
}

/** Looked at with its changes locked: what goes at this moment has gone, or waits for this. */
async function movedIn(tx: Tx, members: readonly RunMember[], index: number, at: string): Promise<string | null> {
  const mine = members.filter(({ wave }) => wave === index)
  const ids = mine.flatMap(({ change }) => (change ? [change.id] : []))
  const rows = await tx.$queryRawUnsafe<{ id: string; moved: boolean }[]>(
    `SELECT id::text, state = ANY($3) OR ${begunSql('change.id')} OR finished_at >= $2 AS moved
    FROM change WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE`,
    ids,
    new Date(at),
    UNDER_WAY,
  )
  const moved = rows.find((row) => row.moved)
  return moved ? (mine.find(({ change }) => change?.id === moved.id)?.name ?? null) : null
}
