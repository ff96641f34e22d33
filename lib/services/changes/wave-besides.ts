import * as z from 'zod'
import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import type { TimingDto } from '../policies/timing'
import { changeDto, type ChangeDto } from './change-row'
import { standingsWhereKnown } from './standing'
import { OPEN } from './states'

const Input = z.object({
  policyId: z.uuid('This is not the id of a policy.'),
  wish: z.string('Say which run is meant.').max(300, 'There is no such run.'),
  wave: z.string('Name a wave.').max(63, 'There is no such wave.'),
})

/** What holds the groups of a wave besides the wave: how many of them, and until when. */
export interface WaveBesides {
  held: { timing: TimingDto; groups: number }[]
  /** More were not looked at. */
  more: number
}

const MOST = 200

/** Begun by somebody, it waits for no soaking: its calendar counts from now on. */
function begunNow(row: Parameters<typeof changeDto>[0]): ChangeDto {
  const { wave, ...change } = changeDto(row)
  return { ...change, wave: wave && { ...wave, opens: null } }
}

/** What would still hold its groups once a wave has begun, before somebody says that it does. */
export async function waveBesides(ctx: Ctx, input: unknown): Promise<WaveBesides> {
  requirePermission(ctx, 'fleet:read')
  const { policyId, wish, wave } = parseInput(Input, input)
  const where = {
    ...{ wish, state: { in: OPEN } },
    AND: [{ wave: { path: ['policyId'], equals: policyId } }, { wave: { path: ['name'], equals: wave } }],
  }
  const [rows, all] = await Promise.all([
    db().change.findMany({
      ...{ where, orderBy: { id: 'asc' }, take: MOST },
      include: { cluster: { select: { name: true } }, decisions: { orderBy: { recordedAt: 'desc' }, take: 1 } },
    }),
    db().change.count({ where }),
  ])
  const found = new Map<string, WaveBesides['held'][number]>()
  for (const { timing } of (await standingsWhereKnown(rows.map(begunNow))).values()) {
    const [first, ...besides] = timing.why === 'wave' ? timing.besides : []
    if (!first) continue
    const key = JSON.stringify([first, besides])
    const same = found.get(key)
    if (same) same.groups++
    else found.set(key, { timing: { ...first, besides }, groups: 1 })
  }
  return { held: [...found.values()].sort((a, b) => b.groups - a.groups), more: all - rows.length }
}
