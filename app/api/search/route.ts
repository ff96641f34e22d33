import { route } from '@/lib/auth/route'
import { search } from '@/lib/services/search/search'

/** GET /api/search?q=…: what the command palette finds. */
export const GET = route('fleet:read', async (ctx, request) =>
  Response.json(await search(ctx, { q: new URL(request.url).searchParams.get('q') ?? '' })),
)
