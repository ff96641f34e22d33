import { randomBytes } from 'node:crypto'
import { db, type Tx } from '@/lib/db/client'
import type { KubeCredentials } from '@/lib/kubernetes/types'
import { seal, unseal } from '@/lib/seal'
import { ServiceError } from '../errors'

/** What is sealed per management cluster. Never part of a DTO, a log line or an error. */
export interface ClusterSecrets {
  credentials: KubeCredentials
  /** Last segment of the gate's address for this cluster: only its managers know it. */
  gateToken: string
}

const aad = (clusterId: string): string => `cluster:${clusterId}`

/** Seals new credentials for a cluster; the gate's token stays what it was, so that registrations go on working. */
export async function writeSecrets(tx: Tx, clusterId: string, credentials: KubeCredentials): Promise<void> {
  const known = await tx.clusterCredential.findUnique({ where: { clusterId } })
  const gateToken = known ? open(clusterId, known).gateToken : randomBytes(24).toString('base64url')
  const sealed = seal(JSON.stringify({ credentials, gateToken } satisfies ClusterSecrets), aad(clusterId))
  await tx.clusterCredential.upsert({ where: { clusterId }, create: { clusterId, ...sealed }, update: sealed })
}

/** Throws `not-found` where the cluster is disconnected or unknown. */
export async function readSecrets(clusterId: string): Promise<ClusterSecrets & { updatedAt: Date }> {
  const row = await db().clusterCredential.findUnique({ where: { clusterId } })
  if (!row)
    throw new ServiceError('not-found', 'This management cluster is not connected.', {
      hint: 'An administrator connects it again on the page Clusters.',
    })
  return { ...open(clusterId, row), updatedAt: row.updatedAt }
}

function open(clusterId: string, row: { sealed: Uint8Array<ArrayBuffer>; keyId: string }): ClusterSecrets {
  return JSON.parse(unseal(row, aad(clusterId))) as ClusterSecrets
}
