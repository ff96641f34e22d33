import { route } from '@/lib/auth/route'
import { diffConfig } from '@/lib/services/pools/diff-config'

/** GET /api/pools/<uid>/diff?node=…: what differs between the configuration that a pool, or a node of it, has and is to have. */
export const GET = route<{ id: string }>('fleet:read', async (ctx, request, { id }) => {
  const node = new URL(request.url).searchParams.get('node') ?? undefined
  return Response.json(await diffConfig(ctx, { id, node }), { headers: { 'cache-control': 'no-store' } })
})
