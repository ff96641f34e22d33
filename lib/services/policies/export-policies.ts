import { db } from '@/lib/db/client'
import { requirePermission, type Ctx } from '../context'
import { readPolicies } from './read-policies'
import { policiesYaml } from './yaml'

/** Every policy as YAML, for Git, and for `policies:import` elsewhere. */
export async function exportPolicies(ctx: Ctx): Promise<string> {
  requirePermission(ctx, 'fleet:read')
  return policiesYaml(await readPolicies(db()))
}
