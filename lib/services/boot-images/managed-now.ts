import { db } from '@/lib/db/client'
import type { SetNow } from '@/lib/domain/boot-images/managed/preview'
import { managesBootImages } from '@/lib/domain/skew/effective'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { Platform } from '@/lib/domain/skew/types'
import { ServiceError } from '../errors'

type SetRowNow = SetNow & { managed: boolean }

/** A cluster's machine sets as they were last heard of, and what its operator would make of each. */
export async function setsNow(clusterId: string): Promise<SetRowNow[]> {
  const rows = await db().bootImageSet.findMany({ where: { clusterId }, orderBy: { name: 'asc' } })
  return rows.map(({ kind, name, replicas, state, outcome, reason, current, wanted, managed, labels }) => ({
    ...{ name, replicas, state, reason, current, wanted, managed },
    kind: kind as SetNow['kind'],
    outcome: outcome as SetNow['outcome'],
    labels: labels as Record<string, string>,
  }))
}

/** The cluster, or a sentence that says why nothing can be managed on it. */
export async function managedCluster(clusterId: string) {
  const row = await db().openShiftCluster.findUnique({
    where: { clusterId },
    include: { cluster: { select: { name: true, discovery: true } } },
  })
  if (!row)
    throw new ServiceError('not-found', 'There is no OpenShift cluster of that id, or it has not been read yet.')
  const { platform } = row.evidence as unknown as Partial<StoredEvidence>
  if (!platform || !managesBootImages(platform))
    throw new ServiceError(
      'invalid',
      `The operator does not update boot images on ${row.platform ?? 'this platform'}.`,
      {
        hint: 'The API server refuses it there. Update the images by hand, then acknowledge the version.',
      },
    )
  return row
}

/** Whether this API server takes an entry for the ControlPlaneMachineSet: by its schema, and its policy for the platform. */
export function managesPlanes(discovery: unknown, platform: Pick<Platform, 'type'>): boolean {
  const openshift = (discovery as Partial<Capabilities> | null)?.openshift
  return (openshift?.controlPlanes ?? openshift?.skew ?? false) && ['AWS', 'GCP', 'Azure'].includes(platform.type)
}
