import { route } from '@/lib/auth/route'
import { listBootImages } from '@/lib/services/skew/list'

export const dynamic = 'force-dynamic'

/** GET /api/boot-images?q=…&cluster=…&sort=…&dir=…&after=…&limit=…: one page of OpenShift clusters with facets. */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await listBootImages(ctx, Object.fromEntries(new URL(request.url).searchParams)), {
    headers: { 'cache-control': 'no-store' },
  }),
)
