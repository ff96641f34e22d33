import { versionKey } from '@/lib/domain/version'
import type { Wanting } from '@/lib/domain/waves'
import type { Waved, WavedGroup } from './membership'
import type { Newest } from './newest'
import { placeOf, type Place } from './place'
import type { Had } from './pools-have'
import { isOpen, UNENDED } from './stands'
import { standsWith, wishedSince, type Tried } from './tried'

export interface RunMember extends Wanting {
  clusterId: string
  /** Its change, where it wants what the run wants, and where that was placed. */
  change: { id: string; state: string; place: Place | null; moved: boolean } | null
  summary?: string
  /** Since when it is wanted, in milliseconds. */
  wished?: number
  /** The change by which it stands there, where that is over. */
  before?: string | undefined
  /** That is seen to be what its group has, which is to be kept. */
  settles?: true
}

/** Of each wish, the groups that want it, or have it from before; those that want something else are in none of them. */
export function membersByWish(
  { policy, groups }: Waved,
  newest: ReadonlyMap<string, Newest>,
  pools: ReadonlyMap<string, readonly Had[]> = new Map(),
  tried: ReadonlyMap<string, readonly Tried[]> = new Map(),
): Map<string, RunMember[]> {
  const found = new Map<string, RunMember[]>()
  const add = (wish: string, member: RunMember) => {
    const members = found.get(wish)
    if (members) members.push(member)
    else found.set(wish, [member])
  }
  const began = wishedSince(groups.flatMap(({ id }) => newest.get(id) ?? []))
  for (const group of groups) {
    const row = newest.get(group.id)
    if (!row) continue
    const counts = row.id !== null && row.wish !== null && (isOpen(row.state) || row.state === 'done')
    if (counts) add(row.wish!, group.unknown ? whereItWas(group, row) : wanting(policy, group, row))
    const before = row.left && !speaks(row) ? [] : (tried.get(group.id) ?? [])
    const settled = row.settled && row.version !== null && !(row.id !== null && isOpen(row.state))
    const have = `version ${row.version}`
    const told = new Set<string | null>(counts ? [row.wish] : [])
    if (settled && !told.has(have) && (row.unended || !before.some(({ wish }) => wish === have))) {
      add(have, {
        ...{ ...group, change: null, before: before.find(({ wish }) => wish === have)?.id },
        // Overtaken before it was done, and wanted again: nobody has said that it is well.
        ...(row.unended ? { state: 'open', at: UNENDED[row.unended] } : { state: 'there' }),
      })
      told.add(have)
    }
    const words = new Map(
      before.flatMap((one) => {
        const stands = standsWith(one, row, began.get(one.wish) ?? Infinity)
        return stands
          ? [[one.wish, { before: one.id, exact: one.exact, detected: one.detectedAt.getTime(), ...stands }] as const]
          : []
      }),
    )
    const now = hasNow(row)
    for (const wish of now.keys()) if (words.get(wish)?.state === 'open') now.delete(wish)
    for (const [wish, stands] of now)
      add(wish, { ...group, change: null, before: before.find((one) => one.wish === wish)?.id, ...stands })
    for (const wish of now.keys()) told.add(wish)
    for (const { wish, ...had } of pools.get(group.id) ?? []) {
      if (!told.has(wish)) add(wish, { ...group, change: null, state: 'through', ...had })
      told.add(wish)
    }
    for (const [wish, stands] of words) if (!told.has(wish)) add(wish, { ...group, change: null, ...stands })
  }
  return found
}

/** It says for itself what it wants, or has: its cluster is connected again. */
export const speaks = ({ left, settled, unended, empty, atHook }: Newest): boolean =>
  !left || (settled && !unended && !atHook) || empty

/**
 * What a group has that wants a newer version by now, and of which nothing has begun: what its last change brought, if that was
 * through, or the version that it had before there was any. Where it does not surely want a newer one it may be that it is to be
 * rid of what it has: then nothing.
 */
function hasNow(row: Newest): Map<string, Pick<RunMember, 'state' | 'since'>> {
  const found = new Map<string, Pick<RunMember, 'state' | 'since'>>()
  const { stands, wish, fromVersion, toVersion, lastState, lastWish, lastAt } = row
  const [from, to] = [versionKey(fromVersion), versionKey(toVersion)]
  if (!stands || from === null || to === null || to <= from) return found
  if (lastState === null) found.set(`version ${fromVersion}`, { state: 'there' })
  if (lastState === 'done') {
    const since = lastAt ? { since: lastAt.getTime() } : {}
    for (const had of [`version ${fromVersion}`, lastWish])
      if (had !== null) found.set(had, { state: 'through', ...since })
  }
  if (wish !== null) found.delete(wish)
  return found
}

/** Once placed by this version of the policy it stays in its wave: others that come do not take its place. */
function wanting({ id, version }: Waved['policy'], group: WavedGroup & { wave: number }, row: Newest): RunMember {
  const place = placeOf(row.wave)
  const wave = place?.policyId === id && place.version === version ? place.index : group.wave
  const change = { id: row.id!, state: row.state, place, moved: row.moved === true }
  const member = { ...group, wave, summary: row.summary, exact: row.wishExact, wished: row.wishedAt.getTime(), change }
  if (isOpen(row.state))
    return { ...member, state: 'open', at: standsAt(row), detected: row.detectedAt.getTime(), ...hadBefore(row) }
  const since = row.finishedAt ? { since: row.finishedAt.getTime() } : {}
  return { ...member, state: 'through', before: row.id!, detected: row.detectedAt.getTime(), ...since }
}

/** What holds for it is not known: it is waited for, and placed nowhere else meanwhile. */
const whereItWas = (
  group: WavedGroup & { wave: number },
  { id, state, wishExact, detectedAt, finishedAt }: Newest,
): RunMember => ({
  ...{ ...group, exact: wishExact, change: null },
  ...(isOpen(state)
    ? { state: 'open', at: 'its labels are not known yet', detected: detectedAt.getTime() }
    : {
        state: 'through',
        before: id!,
        detected: detectedAt.getTime(),
        ...(finishedAt ? { since: finishedAt.getTime() } : {}),
      }),
})

/** It is through with the same on another date, and nothing of it has begun once more. */
function hadBefore({ stands, wish, wishExact, detectedAt, lastState, lastWish, lastExact, lastAt }: Newest) {
  if (!stands || lastState !== 'done' || lastWish !== wish || !lastAt || lastAt >= detectedAt) return {}
  if (wishExact === null || lastExact === null || lastExact === wishExact) return {}
  return { had: { exact: lastExact, since: lastAt.getTime() } }
}

function standsAt({ state, dueMode, pausedAt, stoppedAt, stoppedBy, settling, stepWaitsAt, moved }: Newest): string {
  if (stoppedAt) return stoppedBy === '' ? 'done only if somebody says so' : 'stopped by itself'
  if (pausedAt) return 'paused'
  if (stepWaitsAt) return 'its next machine waits for somebody'
  if (state === 'rejected' || state === 'stuck') return state
  if (state !== 'waiting') return settling ? 'updated, and not Ready yet' : 'under way'
  // Approved and held on its way is no plain "approved": some of its machines are through.
  if (moved) return dueMode ? 'begun, and held on its way' : 'begun, and waiting for approval'
  return dueMode ? 'approved' : 'waiting for approval'
}
