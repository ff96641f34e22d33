import { route } from '@/lib/auth/route'
import { getShell } from '@/lib/services/fleet/get-shell'

/** GET /api/shell: scope, counts and liveness for what stands round the pages. */
export const GET = route('fleet:read', async (ctx) => Response.json(await getShell(ctx)))
