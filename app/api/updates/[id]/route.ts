import { route } from '@/lib/auth/route'
import { getUpdate } from '@/lib/services/fleet/list-updates'

/** GET /api/updates/<id>: one change with its hull, decisions and timeline. */
export const GET = route<{ id: string }>('fleet:read', async (ctx, _request, { id }) =>
  Response.json(await getUpdate(ctx, id)),
)
