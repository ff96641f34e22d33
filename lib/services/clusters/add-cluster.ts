import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { acceptKubeconfig, probeWithUids } from './probe'
import { refuseCopy } from './refuse-copy'
import { refuseRenamed, refuseTwice } from './refuse-twice'
import { AddClusterInput } from './schemas'
import { writeSecrets } from './secrets'

/** Connects a management cluster: tests it, then saves it sealed. Nothing is governed until somebody chooses so. */
export async function addCluster(ctx: Ctx, input: unknown): Promise<{ clusterId: string }> {
  requirePermission(ctx, 'clusters:write')
  const { name, kubeconfig, context } = parseInput(AddClusterInput, input)
  const credentials = acceptKubeconfig(kubeconfig, context)
  const { found, uids } = await probeWithUids(credentials)
  if (!found.clusterApi && !found.openshift) {
    throw new ServiceError(
      'invalid',
      `${credentials.server} serves neither Cluster API nor OpenShift’s machine configuration.`,
      {
        hint: 'Connect the cluster in which the Cluster API managers run, or an OpenShift cluster.',
        fields: [{ field: 'kubeconfig', message: 'This is not a management cluster.' }],
      },
    )
  }
  try {
    return await db().$transaction(async (tx) => {
      await refuseTwice(tx, credentials.server, found.uid)
      await refuseRenamed(tx, found.uid)
      await refuseCopy(tx, uids, null)
      const cluster = await tx.managementCluster.create({
        data: {
          name,
          server: credentials.server,
          identity: found.identity.username,
          discovery: found as unknown as Prisma.InputJsonValue,
          discoveredAt: new Date(),
          policy: { create: {} },
        },
      })
      await writeSecrets(tx, cluster.id, credentials)
      await announce(tx, { topic: 'clusters', cluster: cluster.id })
      await recordAudit(tx, ctx, {
        action: 'cluster.added',
        target: { kind: 'ManagementCluster', id: cluster.id, name },
        cluster: { id: cluster.id, name },
        answer: `Kubernetes ${found.kubernetes}, as ${found.identity.username}`,
        details: { server: credentials.server },
      })
      return { clusterId: cluster.id }
    })
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw await nameTaken(name)
    throw error
  }
}

/** By what it is taken, and what to do. The name of a cluster that was disconnected stays with its history and its policies. */
async function nameTaken(name: string): Promise<ServiceError> {
  const of = await db().managementCluster.findUnique({
    where: { name },
    select: { credential: { select: { clusterId: true } } },
  })
  const left = of?.credential === null
  const sentence = left
    ? `The name ${name} belongs to a cluster that was disconnected, with its history and the policies that name it.`
    : `There is already a management cluster named ${name}.`
  const hint = left
    ? `If this is that cluster, open ${name} under Clusters and choose Connect again. If it is another one, choose another name.`
    : 'Choose another name.'
  return new ServiceError('conflict', sentence, {
    ...{ hint, fields: [{ field: 'name', message: left ? `${sentence} ${hint}` : `The name ${name} is taken.` }] },
  })
}
