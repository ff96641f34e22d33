import { refuseForeignPage } from '@/lib/auth/origin'
import { route } from '@/lib/auth/route'
import { exportAudit } from '@/lib/services/audit/export-audit'

export const dynamic = 'force-dynamic'

/** GET /api/audit?q=…&action=…&actor=…&cluster=…: the audit as NDJSON. */
export const GET = route('activity:read', async (ctx, request) => {
  refuseForeignPage(request.headers)
  const lines = await exportAudit(ctx, Object.fromEntries(new URL(request.url).searchParams))
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await lines.return(undefined)),
  })
  return new Response(body, {
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="drydock-audit.ndjson"',
      'cache-control': 'no-store',
    },
  })
})
