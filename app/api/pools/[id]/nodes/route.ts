import { route } from '@/lib/auth/route'
import { getPoolNode } from '@/lib/services/pools/get-node'

/** GET /api/pools/<uid>/nodes?node=…: one node of a pool with every step of its update. */
export const GET = route<{ id: string }>('fleet:read', async (ctx, request, { id }) => {
  const node = new URL(request.url).searchParams.get('node') ?? undefined
  return Response.json(await getPoolNode(ctx, { id, node }), { headers: { 'cache-control': 'no-store' } })
})
