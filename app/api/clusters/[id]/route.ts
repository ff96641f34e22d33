import { route } from '@/lib/auth/route'
import { getCluster } from '@/lib/services/clusters/get-cluster'

export const GET = route<{ id: string }>('fleet:read', async (ctx, _request, { id }) =>
  Response.json(await getCluster(ctx, { clusterId: id })),
)
