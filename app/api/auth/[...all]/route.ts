import { requireOwnOrigin } from '@/lib/auth/origin'
import { problem } from '@/lib/auth/route'
import { signInWithPassword, signOut } from '@/lib/auth/sign-in'
import { ServiceError } from '@/lib/services/errors'

export const dynamic = 'force-dynamic'

/** The two things that a program may do without a page. Everything else of the sign-in library stays closed. */
const OPEN: Record<string, (request: Request) => Promise<string[]>> = {
  'sign-in': async (request) => signInWithPassword(await request.json().catch(() => null), request.headers),
  'sign-out': (request) => signOut(request.headers),
}

export async function POST(request: Request, { params }: { params: Promise<{ all: string[] }> }): Promise<Response> {
  try {
    const { all } = await params
    const name = all.join('/')
    const handler = Object.hasOwn(OPEN, name) ? OPEN[name] : undefined
    if (!handler) throw new ServiceError('not-found', 'There is nothing here.')
    requireOwnOrigin(request.headers)
    const cookies = await handler(request)
    const response = Response.json({ ok: true }, { headers: { 'cache-control': 'no-store' } })
    for (const cookie of cookies) response.headers.append('set-cookie', cookie)
    return response
  } catch (error) {
    return problem(error, '/api/auth')
  }
}
