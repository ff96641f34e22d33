import { route } from '@/lib/auth/route'
import { listClusterUpdates } from '@/lib/services/upgradeable/list-clusters'

export const dynamic = 'force-dynamic'

/** GET /api/upgradeable?only=…&q=…&after=…: OpenShift clusters by whether updates to another minor version are open. */
export const GET = route('fleet:read', async (ctx, request) => {
  const input = Object.fromEntries(new URL(request.url).searchParams)
  return Response.json(await listClusterUpdates(ctx, input), { headers: { 'cache-control': 'no-store' } })
})
