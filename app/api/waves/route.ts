import { route } from '@/lib/auth/route'
import { listRuns } from '@/lib/services/waves/list-runs'

export const dynamic = 'force-dynamic'

/** GET /api/waves: every run that is not over, with where its waves stand. */
export const GET = route('fleet:read', async (ctx) =>
  Response.json(await listRuns(ctx), { headers: { 'cache-control': 'no-store' } }),
)
