import * as z from 'zod'
import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import type { TimingDto } from '../policies/timing'
import { changeDto, NEWEST_DECISION, type ChangeDto } from './change-row'
import { listedStanding } from './listed-standing'
import { machinesNow } from './machines-now'
import { openedByResume, openedBySkip } from './opened-waves'
import { standingsWhereKnown } from './standing'
import { planesAtRisk } from './plane'
import { OPEN, UNDER_WAY } from './states'

const Input = z.object({
  policyId: z.uuid('This is not the id of a policy.'),
  wish: z.string('Say which run is meant.').max(300, 'There is no such run.'),
  /** None where it is said of all of them. */
  wave: z.string('Name a wave.').max(63, 'There is no such wave.').default(''),
  what: z.enum(['begin', 'skip', 'resume'], 'Say what is said of the wave.').default('begin'),
})

/** What holds the groups of a wave besides the wave: how many of them, and until when. */
export interface WaveBesides {
  held: { timing: TimingDto; groups: number }[]
  /** What is in it: those that are approved, or ask nobody, first. */
  groups: WaveGroup[]
  /** Of control planes in it, what stands against dealing with one of their machines. */
  risks: string[]
  /** More were not looked at. */
  more: number
}

export interface WaveGroup {
  name: string
  /** Those that have not begun; of one that waits, as many as its page speaks of. */
  machines: number
  /** It goes when nothing holds it: enough approve it, or nobody is asked. */
  goes: boolean
}

const MOST = 200
/** As people count: w2 comes before w10. */
const BY_NAME = new Intl.Collator('en', { numeric: true })

/** Begun by somebody, it waits for no soaking: its calendar counts from now on. */
function begunNow(row: Parameters<typeof changeDto>[0]): ChangeDto {
  const { wave, ...change } = changeDto(row)
  return { ...change, wave: wave && { ...wave, opens: null } }
}

/**
 * What would still hold its groups once a wave has begun, before somebody says that it does; of one that is not to be waited for, and of
 * waves that are to go on, the same of the groups that may go by that.
 */
export async function waveBesides(ctx: Ctx, input: unknown): Promise<WaveBesides> {
  requirePermission(ctx, 'fleet:read')
  const { policyId, wish, wave, what } = parseInput(Input, input)
  const about = { policyId, wish }
  const which =
    what !== 'begin'
      ? { id: { in: what === 'skip' ? await openedBySkip(about, wave) : await openedByResume(about) } }
      : { AND: [{ wave: { path: ['policyId'], equals: policyId } }, { wave: { path: ['name'], equals: wave } }] }
  const where = { wish, state: { in: OPEN }, ...which }
  const [found, all] = await Promise.all([
    db().change.findMany({
      ...{ where, orderBy: { id: 'asc' }, take: MOST },
      include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
    }),
    db().change.count({ where }),
  ])
  const begun = await begunOf(found.map(({ id }) => id))
  const leftOf = ({ id, machines }: (typeof found)[number]) => Math.max(0, machines - (begun.get(id) ?? 0))
  // Of some nothing is left to begin.
  const rows = found.filter((row) => leftOf(row) > 0 || row.machines === 0)
  const [standings, risks] = [await standingsWhereKnown(rows.map(begunNow)), await planesAtRisk(db(), rows)]
  const held = new Map<string, WaveBesides['held'][number]>()
  for (const { timing } of standings.values()) {
    const [first, ...besides] = timing.why === 'wave' ? timing.besides : []
    if (!first) continue
    const key = JSON.stringify([first, besides])
    const same = held.get(key)
    if (same) same.groups++
    else held.set(key, { timing: { ...first, besides }, groups: 1 })
  }
  const groups = rows.map((row): WaveGroup => {
    const { id, cluster, workloadCluster, groupName, state, dueMode } = row
    const standing = standings.get(id)
    const due = standing ? listedStanding(standing, changeDto(row)).due : dueMode !== null
    const goes = due || standing?.unasked?.goes === true || UNDER_WAY.includes(state)
    const machines = UNDER_WAY.includes(state) ? 0 : machinesNow(changeDto(row), standing)
    return { name: `${cluster.name}/${workloadCluster}/${groupName}`, machines: machines || leftOf(row), goes }
  })
  return {
    held: [...held.values()].sort((a, b) => b.groups - a.groups),
    groups: groups.sort((a, b) => Number(b.goes) - Number(a.goes) || BY_NAME.compare(a.name, b.name)),
    risks: rows.flatMap(({ id, groupName }) => {
      const risk = risks.get(id)
      return risk === undefined ? [] : [`${groupName}: ${risk}`]
    }),
    more: all - found.length,
  }
}

/** How many machines that were there have begun, or are through, by their changes. */
async function begunOf(ids: string[]): Promise<Map<string, number>> {
  const rows = await db().machineProgress.groupBy({
    by: ['changeId'],
    where: { changeId: { in: ids }, startedAt: { not: null }, state: { notIn: ['waiting', 'created'] } },
    _count: true,
  })
  return new Map(rows.map(({ changeId, _count }) => [changeId, _count]))
}
