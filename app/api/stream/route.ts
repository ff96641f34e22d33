import { may } from '@/lib/services/context'
import { route } from '@/lib/auth/route'
import { ctxFromHeaders } from '@/lib/auth/session'
import { StreamClient } from '@/lib/stream/client'
import { hub } from '@/lib/stream/hub'

export const dynamic = 'force-dynamic'

/** GET /api/stream: server-sent events; each is an announcement (lib/db/notify), or `{"resync":true}`. One per tab. */
export const GET = route('fleet:read', async (ctx, request) => {
  const encoder = new TextEncoder()
  const headers = new Headers(request.headers)
  let leave = (): void => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const client = new StreamClient(ctx.actor.id, {
          write: (text) => controller.enqueue(encoder.encode(text)),
          room: () => (controller.desiredSize ?? 0) > 0,
          close: () => {
            try {
              controller.close()
            } catch {
              // the browser was faster
            }
          },
        })
        leave = hub().join(client, async () => {
          const now = await ctxFromHeaders(headers)
          return now !== null && now.actor.role === ctx.actor.role && may(now.actor.role, 'fleet:read')
        })
        request.signal.addEventListener('abort', () => leave())
      },
      cancel: () => leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
})
