import { route } from '@/lib/auth/route'
import { listPolicies } from '@/lib/services/policies/list-policies'

export const dynamic = 'force-dynamic'

/** GET /api/policies: every policy, the most specific one first. */
export const GET = route('fleet:read', async (ctx) =>
  Response.json(await listPolicies(ctx), { headers: { 'cache-control': 'no-store' } }),
)
