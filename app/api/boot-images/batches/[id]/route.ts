import { route } from '@/lib/auth/route'
import { getBatch } from '@/lib/services/skew/get-batch'

export const dynamic = 'force-dynamic'

/** GET /api/boot-images/batches/{id}: how a decision on several clusters stands on each of them. */
export const GET = route<{ id: string }>('fleet:read', async (ctx, _request, { id }) =>
  Response.json(await getBatch(ctx, { batchId: id }), { headers: { 'cache-control': 'no-store' } }),
)
