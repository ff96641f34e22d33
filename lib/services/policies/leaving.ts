import type { Tx } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
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

/** Those that a group leaves which has nothing open: it had no such change, or took it back, and its wave is not through for it. */
export async function leftByOthers(
  tx: Tx,
  { rows, isFor, before, after }: { rows: readonly Light[]; isFor: (group: Identity) => boolean } & Both,
): Promise<Left> {
  const waiting = rows.flatMap(({ wave, wish }) => {
    const place = placeOf(wave)
    return place?.state === 'waits' ? [{ policyId: place.policyId, wish }] : []
  })
  if (waiting.length === 0) return new Set()
  const gone = await gathered(tx, new Set(rows.map(({ groupId }) => groupId)), { isFor, before, after })
  const through = await tx.change.findMany({
    where: { groupId: { in: gone.map(({ id }) => id) }, OR: [{ state: 'done' }, { settledAt: { not: null } }] },
    select: { groupId: true, wish: true },
    distinct: ['groupId', 'wish'],
  })
  const has = new Set(through.map(({ groupId, wish }) => runOf(groupId, wish)))
  const keeps = ({ policyId, wish }: (typeof waiting)[number]) =>
    gone.some(({ id, was }) => was === policyId && !has.has(runOf(id, wish)))
  const runs = new Map(waiting.map((one) => [runOf(one.policyId, one.wish), one]))
  return new Set([...runs].flatMap(([run, one]) => (keeps(one) ? [run] : [])))
}

interface Both {
  before: readonly Policy[]
  after: readonly Policy[]
}

/** Groups besides these that leave the waves of a policy. What cannot be known stays. */
async function gathered(
  tx: Tx,
  open: ReadonlySet<string>,
  { isFor, before, after }: { isFor: (group: Identity) => boolean } & Both,
): Promise<{ id: string; was: string }[]> {
  const all = (await tx.group.findMany({ select: FIELDS })).filter(({ id }) => !open.has(id))
  const named = await identities(
    tx,
    all.map((group) => ({ ...group, groupKind: group.kind, groupName: group.name })),
  )
  const some = all.flatMap(({ id }, i) => (isFor(named[i]!) ? [{ id, group: named[i]! }] : []))
  const groups = some.map(({ group }) => group)
  const [old, then] = [rulesBy(before, groups), rulesBy(after, groups)]
  return some.flatMap(({ id }, i) => {
    const [a, b] = [old[i]!, then[i]!]
    if (a instanceof ServiceError || b instanceof ServiceError) return []
    const was = a.waves?.policy?.id
    return was && was !== b.waves?.policy?.id ? [{ id, was }] : []
  })
}
