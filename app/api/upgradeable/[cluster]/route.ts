import { route } from '@/lib/auth/route'
import { getUpgradeable } from '@/lib/services/upgradeable/get-cluster'

/** GET /api/upgradeable/<cluster>, by id or name: whether its updates are open, why not, and its gates. */
export const GET = route<{ cluster: string }>('fleet:read', async (ctx, _request, { cluster }) =>
  Response.json(await getUpgradeable(ctx, { cluster }), { headers: { 'cache-control': 'no-store' } }),
)
