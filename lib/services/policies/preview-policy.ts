import type { z } from 'zod'
import { db } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { may, parseInput, requirePermission, type Ctx } from '../context'
import { atOnce, withDrafts, type AtOnce } from './at-once'
import { groupsTouched, type PreviewedGroup } from './previewed-groups'
import { openingsOf, wavesOf, type Opening, type PreviewedWave } from './previewed-times'
import { readPolicies } from './read-policies'
import { PreviewPolicyInput } from './schemas'
import { whatIsThere } from './there'
import { warnedOf, type Warned } from './warned'

export interface PolicyPreview extends Warned {
  /** Its name, where another policy has it: it cannot be saved so. */
  taken: string | null
  /** By its own windows and freezes: when machines may move next; from null: they may now. Null: it
   * says nothing of when, or they never may. */
  openings: Opening[] | null
  /** Of its own waves: how many of its groups are in each, and the first of them. Null: it has none. */
  waves: PreviewedWave[] | null
  /** What saving it does to changes that are there; null: whoever asks may not save it. */
  atOnce: AtOnce | null
  /** It has no rule at all. */
  saysNothing: boolean
  /** Groups that it is for, and how many of them get another rule. */
  matching: number
  changing: number
  machines: number
  /** Those that change first, then by name. */
  groups: PreviewedGroup[]
}

const MOST = 50
/** Stands for the one that is being written. */
const DRAFT = '00000000-0000-4000-8000-000000000000'

/** As it would be there. */
export const draftOf = ({ policyId, name, spec }: z.infer<typeof PreviewPolicyInput>): Policy => ({
  ...{ id: policyId ?? DRAFT, name: name || 'without a name' },
  ...{ version: 0, spec },
})

/** Which groups a policy that is being written is for, with what holds for each now and what would, and what saving it does at once. */
export async function previewPolicy(ctx: Ctx, input: unknown): Promise<PolicyPreview> {
  requirePermission(ctx, 'fleet:read')
  const { policyId, name, spec } = parseInput(PreviewPolicyInput, input)
  const before = await readPolicies(db(), policyId ? [policyId] : [])
  const draft = draftOf({ policyId, name, spec })
  const touched = await groupsTouched(db(), before, [draft])
  const matching = touched.filter(({ by }) => by.has(draft.id))
  const changing = touched.filter(({ shown }) => shown.changes.length > 0)
  const shown = [...changing, ...touched.filter(({ shown: { changes } }) => changes.length === 0)].slice(0, MOST)
  const warned = await warnedOf(whatIsThere(db()), draft, matching)
  return {
    ...warned,
    taken: before.some((one) => one.name === name && one.id !== policyId) ? name : null,
    openings: warned.neverOpens ? null : openingsOf(draft),
    waves: wavesOf(
      draft,
      matching.flatMap(({ shown: { then }, identity }) => (then.waves?.policy?.id === draft.id ? [identity] : [])),
    ),
    atOnce: may(ctx.actor.role, 'policies:write') ? await atOnce(db(), before, withDrafts(before, [draft])) : null,
    saysNothing: Object.entries(spec).every(([key, rule]) => key === 'select' || rule === undefined),
    ...{ matching: matching.length, changing: changing.length },
    machines: matching.reduce((sum, one) => sum + one.shown.machines, 0),
    groups: shown.map((one) => one.shown),
  }
}
