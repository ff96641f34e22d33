import { route } from '@/lib/auth/route'
import { getFleet } from '@/lib/services/fleet/get-fleet'

/** GET /api/fleet?cluster=…&workload=…&after=…: what needs you, and the workload clusters. */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await getFleet(ctx, Object.fromEntries(new URL(request.url).searchParams))),
)
