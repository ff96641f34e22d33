import { pool } from '@/lib/db/client'

export const dynamic = 'force-dynamic'

/** GET /api/health: whether this web process can serve pages. For probes: open to everybody, and says nothing more. */
export async function GET(): Promise<Response> {
  const ok = await answers()
  return Response.json(
    { status: ok ? 'ok' : 'database unavailable' },
    { status: ok ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  )
}

async function answers(): Promise<boolean> {
  const timeout = new Promise<false>((resolve) => setTimeout(() => resolve(false), 2_000).unref())
  const query = pool()
    .query('SELECT 1')
    .then(
      () => true,
      () => false,
    )
  return Promise.race([query, timeout])
}
