import { db } from '@/lib/db/client'
import type { RolloutPolicy } from '@/lib/db/generated/client'
import { BUILT_IN, byPrecedence, type PolicySpec, type Rules } from '@/lib/domain/policies'
import { may, requirePermission, type Ctx } from '../context'
import { policyOf } from './read-policies'

export interface PolicyDto {
  id: string
  name: string
  version: number
  /** null: something else than Drydock wrote it; nothing is approved before it is mended */
  spec: PolicySpec | null
  updatedAt: string
  updatedBy: string | null
  /** Those of the clusters that it selects by their names that are disconnected: it holds for nothing there now. */
  disconnected: string[]
}

export interface PoliciesPage {
  policies: PolicyDto[]
  builtIn: Rules
  may: { write: boolean }
}

/** Every policy, the most specific one first, with who wrote it last. Those that cannot be read stand at the top. */
export async function listPolicies(ctx: Ctx): Promise<PoliciesPage> {
  requirePermission(ctx, 'fleet:read')
  const rows = await db().rolloutPolicy.findMany({ orderBy: { name: 'asc' } })
  const written = await db().rolloutPolicyVersion.findMany({
    where: { OR: rows.map(({ id, version }) => ({ policyId: id, version })) },
    select: { policyId: true, actorName: true },
  })
  const left = await db().managementCluster.findMany({ where: { state: 'disconnected' }, select: { name: true } })
  const disconnectedOf = (spec: PolicySpec | null) =>
    left.map(({ name }) => name).filter((name) => spec?.select.clusters?.includes(name))
  const by = new Map(written.map(({ policyId, actorName }) => [policyId, actorName]))
  return {
    policies: ordered(rows).map((row) => ({
      ...{ id: row.id, name: row.name, version: row.version, updatedAt: row.updatedAt.toISOString() },
      spec: policyOf(row)?.spec ?? null,
      updatedBy: by.get(row.id) ?? null,
      disconnected: disconnectedOf(policyOf(row)?.spec ?? null),
    })),
    builtIn: BUILT_IN,
    may: { write: may(ctx.actor.role, 'policies:write') },
  }
}

function ordered(rows: RolloutPolicy[]): RolloutPolicy[] {
  const of = (row: RolloutPolicy) => ({ name: row.name, select: policyOf(row)!.spec.select })
  const [read, unread] = [rows.filter((row) => policyOf(row)), rows.filter((row) => !policyOf(row))]
  return [...unread, ...read.sort((a, b) => byPrecedence(of(a), of(b)))]
}
