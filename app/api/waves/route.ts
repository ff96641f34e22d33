import { route } from '@/lib/auth/route'
import { listRuns } from '@/lib/services/waves/list-runs'

export const dynamic = 'force-dynamic'

/** GET /api/waves?change=ID: the runs that are not over, or that of one change, with where their waves stand. */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await listRuns(ctx, Object.fromEntries(new URL(request.url).searchParams)), {
    headers: { 'cache-control': 'no-store' },
  }),
)
