import { db } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { clientSource } from '@/lib/providers/cluster-api/changes'
import { letGoOf } from '@/lib/services/changes/let-go'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import type { PlanContext } from '@/worker/planner/common'
import { CoverageBook } from '@/worker/planner/coverage'
import type { Held } from './held'

/** What the planner of a worker that owns the cluster has in hand. */
export async function planningContext(clusterId: string, gates?: Capabilities['gates']): Promise<PlanContext> {
  const client = await kubeClientFor(clusterId)
  const { discovery } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const found = discovery as unknown as Capabilities
  const capabilities = { ...found, gates: gates ?? found.gates }
  return {
    view: { clusterId, name: 'm', client, capabilities, fence: 1n, objects: () => new Map() },
    source: clientSource({ client, resources: capabilities.resources, letGo: (uid) => letGoOf(clusterId, uid) }),
    book: new CoverageBook(),
    later: () => undefined,
  }
}

/** The group as a watch would show it without its hold, and with these annotations. The cluster's own stays held. */
export async function shownFree(held: Held, annotations: Record<string, string> = {}): Promise<KubeObject> {
  const object = await held.read()
  const kept = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => key !== HELD && key !== PAUSED)
  const metadata = { ...object.metadata, annotations: { ...Object.fromEntries(kept), ...annotations } }
  return { ...object, kind: held.kind, metadata }
}
