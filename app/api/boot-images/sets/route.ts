import { route } from '@/lib/auth/route'
import { listImageSets } from '@/lib/services/skew/list-sets'

export const dynamic = 'force-dynamic'

/** GET /api/boot-images/sets?q=…&cluster=…&sort=…&dir=…&after=…&limit=…: one page of machine sets with facets. */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await listImageSets(ctx, Object.fromEntries(new URL(request.url).searchParams)), {
    headers: { 'cache-control': 'no-store' },
  }),
)
