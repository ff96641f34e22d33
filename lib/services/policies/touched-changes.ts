import { setImmediate } from 'node:timers/promises'
import type { Tx } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { matcher, type Policy, type Resolved } from '@/lib/domain/policies'
import { LETS_GO, UNDER_WAY } from '../changes/states'
import { ServiceError } from '../errors'
import { leftBy, leftByGroups, waitsIn } from './leaving'
import { identities, rulesBy, type Identity } from './rules-for'
import { TIMED } from './timing'

const LIGHT = {
  ...{ id: true, clusterId: true, groupId: true, groupKind: true, namespace: true, groupName: true },
  ...{ workloadCluster: true, state: true, heldBy: true, dueMode: true, neverStops: true, shape: true, wish: true },
  ...TIMED,
} satisfies Prisma.ChangeSelect
export type Light = Prisma.ChangeGetPayload<{ select: typeof LIGHT }>
/**
 * An open change under the policies of before and of after; `before` null: it is not known what they say, and it goes nowhere. `was`: the
 * change as it stands, also where its wave is not known by then.
 */
export interface Open {
  change: Light
  was: Light
  before: Resolved | null
  after: Resolved
}

const RUNNING = { state: { in: UNDER_WAY }, decisions: { some: LETS_GO } }
const CHUNK = 500

/** What is open of groups for which a policy is, or was, that says something else by then: of all, where nobody knows what was. */
export async function touched(tx: Tx, before: readonly Policy[] | null, after: readonly Policy[]): Promise<Open[]> {
  const others = before && [...unlike(before, after), ...unlike(after, before)]
  if (others?.length === 0) return []
  const where = { OR: [{ state: { in: ['waiting', 'rejected'] } }, RUNNING] }
  const rows = await tx.change.findMany({ where, select: LIGHT })
  const groups = await identities(tx, rows)
  const all = rows.map((change, i) => ({ change, group: groups[i]! }))
  const matchers = others?.map(({ spec }) => matcher(spec.select))
  const isFor = ({ labels, ...group }: Identity) =>
    !matchers || !labels || matchers.some((of) => of({ ...group, labels }) !== null)
  const found = await ruled(all, ({ group }) => isFor(group), before, after)
  const besides = before && (await leftByGroups(tx, rows, { isFor, before, after }))
  const left = new Set([...leftBy(found), ...(besides ?? [])])
  const known = new Set(found.map(({ change }) => change.id))
  const stay = ({ change }: Found) => !known.has(change.id) && waitsIn(left, change)
  return [...found, ...(left.size === 0 ? [] : await ruled(all, stay, before, after))].flatMap((one) => {
    const { change } = one
    if (change.state === 'rejected' && !change.dueMode) return []
    return waitsIn(left, change) ? { ...one, change: { ...change, wave: null } } : one
  })
}

interface Found {
  change: Light
  group: Identity
}

async function ruled(
  all: readonly Found[],
  which: (one: Found) => boolean,
  before: readonly Policy[] | null,
  after: readonly Policy[],
): Promise<Open[]> {
  const found: Open[] = []
  for (let at = 0; at < all.length; at += CHUNK) {
    const those = all.slice(at, at + CHUNK).filter(which)
    const groups = those.map(({ group }) => group)
    const [old, then] = [before && rulesBy(before, groups), rulesBy(after, groups)]
    for (const [i, { change }] of those.entries()) {
      const [a, b] = [old && old[i]!, then[i]!]
      // What cannot be known goes nowhere, and stops nothing.
      if (b instanceof ServiceError) continue
      found.push({ change, was: change, before: a instanceof ServiceError ? null : a, after: b })
    }
    await setImmediate()
  }
  return found
}

/** Of the first ones, those that do not say the same among the others. */
function unlike(policies: readonly Policy[], others: readonly Policy[]): Policy[] {
  const said = new Map(others.map(({ id, spec }) => [id, JSON.stringify(spec)]))
  return policies.filter(({ id, spec }) => said.get(id) !== JSON.stringify(spec))
}
