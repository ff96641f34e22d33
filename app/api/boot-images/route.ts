import { route } from '@/lib/auth/route'
import { listBootImages } from '@/lib/services/skew/list'

export const dynamic = 'force-dynamic'

/** GET /api/boot-images?cluster=…: every OpenShift cluster's boot images and their limit. */
export const GET = route('fleet:read', async (ctx, request) => {
  const cluster = new URL(request.url).searchParams.get('cluster') ?? undefined
  return Response.json(await listBootImages(ctx, { cluster }), { headers: { 'cache-control': 'no-store' } })
})
