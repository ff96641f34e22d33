import { route } from '@/lib/auth/route'
import { listMachines } from '@/lib/services/machines/list-machines'

/** GET /api/machines?q=…&cluster=…&workload=…&sort=…&dir=…&after=…&limit=…: one page with facets. */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await listMachines(ctx, Object.fromEntries(new URL(request.url).searchParams))),
)
