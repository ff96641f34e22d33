import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { acceptKubeconfig, probe } from './probe'
import { ReplaceCredentialsInput } from './schemas'
import { writeSecrets } from './secrets'

/** New credentials for a connected cluster, tested first. The server must stay the same one. */
export async function replaceCredentials(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, kubeconfig, context } = parseInput(ReplaceCredentialsInput, input)
  const credentials = acceptKubeconfig(kubeconfig, context)
  const found = await probe(credentials)
  await db().$transaction(async (tx) => {
    const cluster = await tx.managementCluster.findUnique({ where: { id: clusterId } })
    if (!cluster) throw new ServiceError('not-found', 'There is no such management cluster.')
    if (cluster.server !== credentials.server) {
      throw new ServiceError(
        'conflict',
        `This kubeconfig is for ${credentials.server}, but ${cluster.name} is ${cluster.server}.`,
        {
          hint: 'Connect the other server under a name of its own.',
          fields: [{ field: 'kubeconfig', message: 'This is another server.' }],
        },
      )
    }
    await writeSecrets(tx, clusterId, credentials)
    await tx.managementCluster.update({
      where: { id: clusterId },
      data: { identity: found.identity.username, state: 'pending', stateMessage: null },
    })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, {
      action: 'cluster.credentials-replaced',
      target: { kind: 'ManagementCluster', id: clusterId, name: cluster.name },
      cluster: { id: clusterId, name: cluster.name },
      answer: `as ${found.identity.username}`,
    })
  })
}
