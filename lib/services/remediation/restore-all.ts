import { db } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { restoring, SKIP_MARK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { patchMachine } from './patch-machine'
import { noteTaken } from './taken'

/**
 * Before a cluster is left: what remediation was skipped for is as it was before. Says what came of it, and keeps nobody from
 * leaving; null: there was nothing to restore. `before` each machine: throws where nobody leaves it any more.
 */
export async function restoreAll(clusterId: string, before: () => Promise<void>): Promise<string | null> {
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
      let mark: string | undefined
      const of = (annotations: Readonly<Record<string, string>>) => {
        const patch = restoring(annotations)
        // What somebody else decided stays decided.
        mark = patch && SKIPS_REMEDIATION in patch ? annotations[SKIP_MARK] : undefined
        return patch
      }
      await patchMachine(await kubeClientFor(clusterId), version, { machineId: id, namespace, name }, of, async () => {
        await before()
        if (mark !== undefined) await noteTaken(id, mark)
      })
    } catch (error) {
      if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
      left.push(`${namespace}/${name}`)
      words = error.message
    }
  return left.length === 0
    ? `the remediation of ${marked.length} of its machines is as it was before`
    : `remediation is skipped still for ${left.join(', ')}: ${words}`
}
