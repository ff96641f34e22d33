import type { Tx } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { ServiceError } from '../errors'
import { policiesNaming } from './policies-naming'

const LOCK = 7_207_006 // two that connect the same cluster at once see each other

/**
 * Two connections to one cluster would undo each other's latch and registration for ever. Told by the uid of its
 * kube-system; where that could not be read, by its address. `except` is the connection that is being made anew.
 */
export async function refuseTwice(
  tx: Tx,
  server: string,
  uid: string | null | undefined,
  except?: string,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`
  const alike = await tx.managementCluster.findMany({
    where: {
      credential: { isNot: null },
      ...(except ? { id: { not: except } } : {}),
      OR: [{ server }, ...(uid ? [{ discovery: { path: ['uid'], equals: uid } }] : [])],
    },
    select: { name: true, discovery: true },
  })
  const known = alike.find(({ discovery }) => {
    const other = (discovery as unknown as Capabilities | null)?.uid
    return !uid || !other || other === uid
  })
  if (!known) return
  throw new ServiceError('conflict', `This cluster is connected already, as ${known.name}.`, {
    hint: `Replace the credentials of ${known.name} instead, or disconnect it first.`,
    fields: [{ field: 'kubeconfig', message: `This is ${known.name}.` }],
  })
}

/** Under another name the policies that name it would not be for it any more, or have it in other waves, and nobody would be told. */
export async function refuseRenamed(tx: Tx, uid: string | null | undefined): Promise<void> {
  if (!uid) return
  const left = await tx.managementCluster.findMany({
    where: { credential: { is: null }, discovery: { path: ['uid'], equals: uid } },
    select: { name: true },
  })
  for (const { name } of left) {
    const policies = await policiesNaming(tx, name)
    if (policies.length === 0) continue
    const named = policies.map((policy) => policy.name).join(', ')
    throw new ServiceError(
      'conflict',
      `This cluster was connected before, as ${name}, and policies name it so: ${named}.`,
      {
        hint: `Open ${name} under Clusters and choose Connect again; or take ${name} out of these policies first.`,
        fields: [{ field: 'kubeconfig', message: `This is ${name}, which was disconnected.` }],
      },
    )
  }
}
