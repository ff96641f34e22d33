import { db } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { restoring } from '@/lib/domain/health-checks'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { patchMachine } from './patch-machine'

/**
 * Before a cluster is left: what remediation was skipped for is as it was before. Says what came of it, and keeps nobody from
 * leaving; null: there was nothing to restore.
 */
export async function restoreAll(clusterId: string): Promise<string | null> {
  const marked = await db().machine.findMany({
    where: { clusterId, skipMark: { not: null } },
    select: { id: true, namespace: true, name: true },
  })
  if (marked.length === 0) return null
  const { discovery } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const version = (discovery as unknown as Capabilities | null)?.clusterApi?.apiVersion ?? 'v1beta2'
  const left: string[] = []
  let words = ''
  for (const { id, namespace, name } of marked)
    try {
      await patchMachine(await kubeClientFor(clusterId), version, { machineId: id, namespace, name }, restoring)
    } catch (error) {
      if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
      left.push(`${namespace}/${name}`)
      words = error.message
    }
  return left.length === 0
    ? `the remediation of ${marked.length} of its machines is as it was before`
    : `remediation is skipped still for ${left.join(', ')}: ${words}`
}
