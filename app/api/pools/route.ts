import { route } from '@/lib/auth/route'
import { listPools } from '@/lib/services/pools/list-pools'

export const dynamic = 'force-dynamic'

/** GET /api/pools?cluster=…&state=…&q=…&after=…: MachineConfigPools of all OpenShift clusters, the worst first. */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await listPools(ctx, Object.fromEntries(new URL(request.url).searchParams)), {
    headers: { 'cache-control': 'no-store' },
  }),
)
