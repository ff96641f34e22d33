import { route } from '@/lib/auth/route'
import { listNodeImages } from '@/lib/services/skew/list-node-images'

export const dynamic = 'force-dynamic'

/** GET /api/boot-images/nodes?q=…&cluster=…&sort=…&dir=…&after=…&limit=…: one page of what nodes started from, with facets. */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await listNodeImages(ctx, Object.fromEntries(new URL(request.url).searchParams)), {
    headers: { 'cache-control': 'no-store' },
  }),
)
