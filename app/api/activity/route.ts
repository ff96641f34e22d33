import { route } from '@/lib/auth/route'
import { listAudit } from '@/lib/services/audit/list-audit'

export const dynamic = 'force-dynamic'

/** GET /api/activity?q=…&action=…&cursor=…: a page of the audit, newest first. */
export const GET = route('activity:read', async (ctx, request) =>
  Response.json(await listAudit(ctx, Object.fromEntries(new URL(request.url).searchParams))),
)
