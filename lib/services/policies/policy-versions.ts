import { db } from '@/lib/db/client'
import type { PolicySpec } from '@/lib/domain/policies'
import { parseInput, requirePermission, type Ctx } from '../context'
import { PolicyVersionsInput, SpecInput } from './schemas'

export interface PolicyVersion {
  version: number
  name: string
  /** null: with this version it was removed, or it cannot be read */
  spec: PolicySpec | null
  actorName: string
  at: string
}

const MOST = 100

/** What a policy said when, newest first; also of one that was removed. */
export async function policyVersions(ctx: Ctx, input: unknown): Promise<PolicyVersion[]> {
  requirePermission(ctx, 'fleet:read')
  const { policyId } = parseInput(PolicyVersionsInput, input)
  const rows = await db().rolloutPolicyVersion.findMany({
    where: { policyId },
    orderBy: { version: 'desc' },
    take: MOST,
  })
  return rows.map(({ version, name, spec, actorName, at }) => ({
    ...{ version, name, actorName, at: at.toISOString() },
    spec: SpecInput.safeParse(spec).data ?? null,
  }))
}
