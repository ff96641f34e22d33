import { route } from '@/lib/auth/route'
import { getBootImageCard } from '@/lib/services/skew/get-card'

export const dynamic = 'force-dynamic'

/** GET /api/boot-images/clusters/<id or name>: one cluster's boot images and their limit in full; null: it is no OpenShift cluster. */
export const GET = route<{ id: string }>('fleet:read', async (ctx, _request, { id }) =>
  Response.json(await getBootImageCard(ctx, { cluster: id }), { headers: { 'cache-control': 'no-store' } }),
)
