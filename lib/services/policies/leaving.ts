import { setImmediate } from 'node:timers/promises'
import type { Tx } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { newestOf } from '../waves/newest'
import { placeOf } from '../waves/place'
import { identities, rulesBy, type Identity } from './rules-for'
import type { Light, Open } from './touched-changes'

/** Runs, each of one policy and one wish, that something leaves: what stays there, and waits, may wait for nothing else. */
export type Left = ReadonlySet<string>
const runOf = (policyId: string, wish: string | null): string => `${policyId} ${wish}`

export function waitsIn(runs: Left, { wave, wish }: Pick<Light, 'wave' | 'wish'>): boolean {
  const place = placeOf(wave)
  return place?.state === 'waits' && runs.has(runOf(place.policyId, wish))
}

/** Those that one of these changes leaves. */
export const leftBy = (found: readonly Open[]): Left =>
  new Set(
    found.flatMap(({ change: { wish }, before, after }) => {
      const was = before?.waves?.policy?.id
      return was && was !== after.waves?.policy?.id ? [runOf(was, wish)] : []
    }),
  )

const FIELDS = { id: true, clusterId: true, kind: true, namespace: true, name: true, workloadCluster: true } as const
const CHUNK = 500

interface By {
  isFor: (group: Identity) => boolean
  before: readonly Policy[]
  after: readonly Policy[]
}

/**
 * Those that a group leaves, whatever it wants itself: what it wanted before may be what a wave waits for. Not one that came through with
 * that very wish last, which keeps nothing shut but while its wave soaks.
 */
export async function leftByGroups(tx: Tx, rows: readonly Pick<Light, 'wave' | 'wish'>[], by: By): Promise<Left> {
  const runs = new Map(
    rows.flatMap(({ wave, wish }) => {
      const place = placeOf(wave)
      return place?.state === 'waits'
        ? [[runOf(place.policyId, wish), { policyId: place.policyId, wish }] as const]
        : []
    }),
  )
  if (runs.size === 0) return new Set()
  const gone = await gathered(tx, by)
  const newest = await newestOf(
    tx,
    gone.map(({ id }) => id),
  )
  const isThrough = (id: string, wish: string | null) =>
    newest.get(id)?.state === 'done' && newest.get(id)?.wish === wish
  return new Set(
    [...runs].flatMap(([run, { policyId, wish }]) =>
      gone.some(({ id, was, soaks }) => was === policyId && (soaks || !isThrough(id, wish))) ? [run] : [],
    ),
  )
}

interface Gone {
  id: string
  /** The policy whose waves it leaves. */
  was: string
  soaks: boolean
}

/** Groups that leave the waves of a policy. What cannot be known stays. */
async function gathered(tx: Tx, { isFor, before, after }: By): Promise<Gone[]> {
  const all = await tx.group.findMany({ select: FIELDS })
  const named = await identities(
    tx,
    all.map((group) => ({ ...group, groupKind: group.kind, groupName: group.name })),
  )
  const gone: Gone[] = []
  for (let at = 0; at < all.length; at += CHUNK) {
    const some = all.slice(at, at + CHUNK).flatMap(({ id }, i) => {
      const group = named[at + i]!
      return isFor(group) ? [{ id, group }] : []
    })
    const groups = some.map(({ group }) => group)
    const [old, then] = [rulesBy(before, groups), rulesBy(after, groups)]
    for (const [i, { id }] of some.entries()) {
      const [a, b] = [old[i]!, then[i]!]
      if (a instanceof ServiceError || b instanceof ServiceError) continue
      const was = a.waves?.policy?.id
      const soaks = a.waves?.value.some(({ soak }) => soak !== undefined) ?? false
      if (was && was !== b.waves?.policy?.id) gone.push({ id, was, soaks })
    }
    await setImmediate()
  }
  return gone
}
