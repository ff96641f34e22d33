import { route } from '@/lib/auth/route'
import { forecastChange } from '@/lib/services/forecast/forecast-change'

/** GET /api/updates/<id>/forecast: the rollout played forward, and what was foretold when it was approved. */
export const GET = route<{ id: string }>('fleet:read', async (ctx, _request, { id }) =>
  Response.json(await forecastChange(ctx, { id })),
)
