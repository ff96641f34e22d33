import { db } from '@/lib/db/client'
import type { Change, Decision } from '@/lib/db/generated/client'
import { changeSetOf, outlookIn, OVER } from '../changes/change-row'
import { GetInput } from '../changes/schemas'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { planOf, type Plan } from './plan'
import { endlessOf, infrastructureNotes, preflightOf } from './preflight'

export interface ChangeForecast {
  /** From the machines as they are now; null: it cannot be done so, or it is decided otherwise or over. */
  inPlace: Plan | null
  replace: Plan | null
  /** What would keep it from going on as it is played. */
  notes: string[]
  /** As it was foretold when somebody approved; null: nobody has. */
  approved: { plan: Plan; at: string; by: string } | null
}

/** Plays a change forward, each way that is still open; and what was foretold when it was approved. */
export async function forecastChange(ctx: Ctx, input: unknown): Promise<ChangeForecast> {
  requirePermission(ctx, 'fleet:read')
  const { id } = parseInput(GetInput, input)
  const change = await db().change.findUnique({
    where: { id },
    include: { decisions: { orderBy: { recordedAt: 'desc' }, take: 1 } },
  })
  if (!change) throw new ServiceError('not-found', 'There is no such change.')
  const [decision] = change.decisions
  const said = JSON.stringify(change.outlook)
  const key = [id, change.state, change.fingerprint, decision?.id, decision?.state, said, await doneOf(change)].join()
  const known = recent.get(key)
  if (known && Date.now() - known.at < KEPT_MS) return known.forecast
  const forecast = played(change, decision)
  if (recent.size >= MOST) recent.clear()
  recent.set(key, { at: Date.now(), forecast })
  forecast.catch(() => recent.delete(key))
  return forecast
}

/** What of it was done: it is played again when that is another; a large one that runs, every now and then. */
async function doneOf({ id, state, machines }: Change): Promise<string> {
  if (RUNNING.includes(state) && machines >= LARGE) return ''
  const where = { changeId: id }
  return JSON.stringify(
    await db().machineProgress.groupBy({ by: 'state', where, orderBy: { state: 'asc' }, _count: true }),
  )
}
const LARGE = 1_000
const RUNNING: Change['state'][] = ['running', 'stuck']

/** Many look at one change, and a large one takes its time: played once for all who ask within a moment. */
const recent = new Map<string, { at: number; forecast: Promise<ChangeForecast> }>()
const KEPT_MS = 3_000
const MOST = 200

async function played(change: Change, decision: Decision | undefined): Promise<ChangeForecast> {
  const over = ['voided', 'failed'].includes(decision?.state ?? '')
  const decided = decision && decision.mode !== 'reject' && !over ? decision : null
  const open = (OVER as string[]).includes(change.state)
    ? []
    : [decided?.mode ?? 'in-place', decided?.mode ?? 'replace']
  const possible = (change.outlook as unknown as { inPlace: unknown }).inPlace !== null
  const [inPlace, replace] = await Promise.all([
    open.includes('in-place') && (possible || decided) ? planOf(change, 'in-place') : null,
    open.includes('replace') ? planOf(change, 'replace') : null,
  ])
  const most = (inPlace?.plan.created ?? 0) >= (replace?.plan.created ?? 0) ? inPlace : replace
  const group = await db().group.findUnique({ where: { id: change.groupId }, select: { version: true } })
  const plan = decided?.plan as unknown as Plan | null | undefined
  return {
    inPlace: inPlace?.plan ?? null,
    replace: replace?.plan ?? null,
    notes: [
      ...endlessOf(changeSetOf(change)),
      ...(inPlace ? infrastructureNotes(change.groupKind, changeSetOf(change), outlookIn(change)) : []),
      ...(await preflightOf({ ...change, version: change.toVersion ?? group?.version ?? null }, most?.plan ?? null)),
    ],
    approved:
      decided?.acceptedAt && plan ? { plan, at: decided.acceptedAt.toISOString(), by: decided.actorName } : null,
  }
}
