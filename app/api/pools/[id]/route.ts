import { route } from '@/lib/auth/route'
import { getPool } from '@/lib/services/pools/get-pool'

/** GET /api/pools/<uid>?phase=…&q=…&after=…: one pool with its nodes, those that need somebody first. */
export const GET = route<{ id: string }>('fleet:read', async (ctx, request, { id }) =>
  Response.json(await getPool(ctx, { ...Object.fromEntries(new URL(request.url).searchParams), id }), {
    headers: { 'cache-control': 'no-store' },
  }),
)
