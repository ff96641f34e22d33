import { route } from '@/lib/auth/route'
import { getMachine } from '@/lib/services/machines/get-machine'

/** GET /api/machines/<uid>: one machine, with its conditions as the API server has them now. */
export const GET = route<{ id: string }>('fleet:read', async (ctx, _request, { id }) =>
  Response.json(await getMachine(ctx, { id })),
)
