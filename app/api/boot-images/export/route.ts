import { refuseForeignPage } from '@/lib/auth/origin'
import { route } from '@/lib/auth/route'
import { exportBootImages } from '@/lib/services/skew/export'

export const dynamic = 'force-dynamic'

/** GET /api/boot-images/export?of=clusters|sets|nodes&as=csv|json&q=…&cluster=…&sort=…: all that the filter lets through, as a file. */
export const GET = route('fleet:read', async (ctx, request) => {
  refuseForeignPage(request.headers)
  const { name, type, pieces } = exportBootImages(ctx, Object.fromEntries(new URL(request.url).searchParams))
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await pieces.return(undefined)),
  })
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })
})
