import type { Capabilities } from '@/lib/domain/capabilities'
import { ALL_LATCHED } from '@/lib/domain/latch/table'
import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'

/** Every MachineDeployment, control plane and pool, asked of the API server itself, page by page. */
export async function* liveGroups(client: KubeClient, capabilities: Capabilities): AsyncGenerator<KubeObject> {
  for (const { kind, group, plural, served: own, pausedBy } of ALL_LATCHED) {
    // Of what is not there, and what Drydock may not read for that, nothing is asked.
    if (pausedBy ? capabilities.openshift === null : capabilities.clusterApi === null && capabilities.openshift)
      continue
    const known = capabilities.resources[`${plural}.${group}`]
    const resource = { group, version: known ?? own ?? capabilities.clusterApi?.apiVersion ?? 'v1beta2', plural }
    // Discovery did not find it (other control plane providers have other kinds), but it may have been installed since.
    if (!known && !(await served(client, resource))) continue
    let next: string | undefined
    do {
      const page = await client.list(resource, undefined, { limit: 500, continue: next })
      for (const item of page.items) yield { ...item, kind }
      next = page.continue || undefined
    } while (next)
  }
}

async function served(client: KubeClient, resource: Resource): Promise<boolean> {
  try {
    await client.list(resource, undefined, { limit: 1 })
    return true
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return false
    throw error
  }
}
