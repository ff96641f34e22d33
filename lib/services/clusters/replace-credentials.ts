import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { KubeCredentials } from '@/lib/kubernetes/types'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { withRegistrationLock } from '../gate/lock'
import { acceptKubeconfig, probeWithUids } from './probe'
import { refuseCopy } from './refuse-copy'
import { refuseTwice } from './refuse-twice'
import { ReplaceCredentialsInput } from './schemas'
import { writeSecrets } from './secrets'

/**
 * New credentials for a connected cluster, tested first. It must stay the same cluster, by the uid of its kube-system
 * where both could be read, else by its address; the address of the same cluster may change. One that was disconnected is
 * connected again, unless the cluster is connected under another name by now, or a copy of it is.
 */
export async function replaceCredentials(ctx: Ctx, input: unknown): Promise<void> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, kubeconfig, context } = parseInput(ReplaceCredentialsInput, input)
  const credentials = acceptKubeconfig(kubeconfig, context)
  const probed = await probeWithUids(credentials)
  // Not in the middle of a disconnect: what it saw to be held could be released meanwhile.
  await withRegistrationLock(clusterId, () => replace(ctx, clusterId, credentials, probed))
}

async function replace(
  ctx: Ctx,
  clusterId: string,
  credentials: KubeCredentials,
  { found, uids }: { found: Capabilities; uids: string[] },
): Promise<void> {
  await db().$transaction(async (tx) => {
    const cluster = await tx.managementCluster.findUnique({ where: { id: clusterId } })
    if (!cluster) throw new ServiceError('not-found', 'There is no such management cluster.')
    const before = (cluster.discovery as unknown as Capabilities | null)?.uid
    const same = before && found.uid ? before === found.uid : cluster.server === credentials.server
    if (!same) {
      throw new ServiceError(
        'conflict',
        `This kubeconfig leads to another cluster (${credentials.server}) than ${cluster.name} (${cluster.server}).`,
        {
          hint: 'Connect the other cluster under a name of its own.',
          fields: [{ field: 'kubeconfig', message: 'This is another cluster.' }],
        },
      )
    }
    const credential = await tx.clusterCredential.count({ where: { clusterId } })
    await refuseTwice(tx, credentials.server, found.uid ?? before, clusterId)
    // What is connected keeps what it has, and needs credentials that work.
    if (credential === 0) await refuseCopy(tx, uids, clusterId)
    await writeSecrets(tx, clusterId, credentials)
    await tx.managementCluster.update({
      where: { id: clusterId },
      data: { server: credentials.server, identity: found.identity.username, state: 'pending', stateMessage: null },
    })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, {
      action: credential > 0 ? 'cluster.credentials-replaced' : 'cluster.connected-again',
      target: { kind: 'ManagementCluster', id: clusterId, name: cluster.name },
      cluster: { id: clusterId, name: cluster.name },
      answer: `as ${found.identity.username}`,
      details: { server: credentials.server },
    })
  })
}
