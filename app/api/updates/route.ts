import { route } from '@/lib/auth/route'
import { listUpdates } from '@/lib/services/fleet/list-updates'

/** GET /api/updates?tab=waiting|running|done&q=…&cluster=…&workload=…&cursor=… */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await listUpdates(ctx, Object.fromEntries(new URL(request.url).searchParams))),
)
