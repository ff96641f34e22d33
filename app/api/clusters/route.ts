import { route } from '@/lib/auth/route'
import { listClusters } from '@/lib/services/clusters/list-clusters'

export const GET = route('fleet:read', async (ctx) => Response.json(await listClusters(ctx)))
