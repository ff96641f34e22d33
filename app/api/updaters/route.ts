import { route } from '@/lib/auth/route'
import { updatersOverview } from '@/lib/services/updaters/overview'

export const dynamic = 'force-dynamic'

/** GET /api/updaters?cluster=…: the updaters of each management cluster, in their order. */
export const GET = route('fleet:read', async (ctx, request) => {
  const cluster = new URL(request.url).searchParams.get('cluster') ?? undefined
  return Response.json(await updatersOverview(ctx, { cluster }), { headers: { 'cache-control': 'no-store' } })
})
