import { db } from '@/lib/db/client'
import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { goesBy, managingOf, type Managing } from '@/lib/domain/boot-images/managed/managing'
import type { ImageBefore } from '@/lib/domain/boot-images/managed/outcome'
import type { SetNow } from '@/lib/domain/boot-images/managed/preview'
import { secretWords } from '@/lib/domain/boot-images/user-data'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { Platform, SkewState } from '@/lib/domain/skew/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readSkewState } from '@/lib/providers/openshift/readers'
import { ServiceError } from '../errors'
import { nobodyActs } from '../skew/unsupported'

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

/** The images of now, for a decision to keep: by them it is told later what the controller did since. */
export const imagesBefore = (sets: readonly SetRowNow[]): ImageBefore[] =>
  sets.map(({ kind, name, current, reason }) => ({
    ...{ kind, name, image: current },
    ...(secretWords(reason) && { userData: true as const }),
  }))

/** How managed boot images are chosen on a cluster, by what is kept of it. */
export const managingNow = (
  discovery: unknown,
  { version, platform }: Pick<OpenShiftCluster, 'version' | 'platform'>,
  type: Platform,
): Managing =>
  managingOf((discovery as Partial<Capabilities> | null)?.openshift?.managed, {
    ...{ version, platform: type, named: platform || 'this platform' },
  })

/** The cluster, or a sentence that says why nothing can be managed on it. */
export async function managedCluster(clusterId: string) {
  const row = await db().openShiftCluster.findUnique({
    where: { clusterId },
    include: { cluster: { select: { name: true, discovery: true } } },
  })
  if (!row)
    throw new ServiceError('not-found', 'There is no OpenShift cluster of that id, or it has not been read yet.')
  if (row.availability === 'hosted') throw nobodyActs(row)
  const { platform } = row.evidence as unknown as Partial<StoredEvidence>
  if (!platform) throw new ServiceError('invalid', 'It is not known yet what this cluster runs on.', { hint: 'Try again in a moment.' }) // prettier-ignore
  const managing = managingNow(row.cluster.discovery, row, platform)
  if (managing.refused) throw new ServiceError('invalid', managing.refused.message, { hint: managing.refused.hint })
  return { ...row, managing }
}

/** MachineConfiguration as it is, with the managers that its operator goes by. */
export function stateOf(live: KubeObject, { skewSupported, managing }: ManagedCluster): SkewState {
  const state = readSkewState(live, skewSupported)
  return { ...state, effectiveManagers: goesBy(state, managing) }
}
type ManagedCluster = Awaited<ReturnType<typeof managedCluster>>

/** Whether this API server takes an entry for the ControlPlaneMachineSet: by its schema, and its policy for the platform. Null: the schema could not be read. */
export function managesPlanes(discovery: unknown, platform: Pick<Platform, 'type'>): boolean | null {
  if (!['AWS', 'GCP', 'Azure'].includes(platform.type)) return false
  const { controlPlanes, skew = null } = (discovery as Partial<Capabilities> | null)?.openshift ?? {}
  // Absent: stored before it was asked for.
  return controlPlanes === undefined ? skew : controlPlanes
}
