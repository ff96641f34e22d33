import { createHash, timingSafeEqual } from 'node:crypto'
import { route } from '@/lib/auth/route'
import { env } from '@/lib/env'
import { webRegistry } from '@/lib/metrics'

export const dynamic = 'force-dynamic'

const answer = async (): Promise<Response> =>
  new Response(await webRegistry().metrics(), {
    headers: { 'content-type': webRegistry().contentType, 'cache-control': 'no-store' },
  })

const signedIn = route('fleet:read', answer)

/** GET /api/metrics: for Prometheus with DRYDOCK_METRICS_TOKEN as bearer token, and for people who are signed in. */
export async function GET(request: Request, context: { params: Promise<Record<string, never>> }): Promise<Response> {
  const token = env().DRYDOCK_METRICS_TOKEN
  const given = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
  if (token && given && timingSafeEqual(digest(token), digest(given))) return answer()
  return signedIn(request, context)
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
