import type { Capabilities } from '@/lib/domain/capabilities'
import { LATCHED } from '@/lib/domain/latch/table'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'

/** Every MachineDeployment and control plane, asked of the API server itself, page by page. */
export async function* liveGroups(client: KubeClient, capabilities: Capabilities): AsyncGenerator<KubeObject> {
  const version = capabilities.clusterApi?.apiVersion ?? 'v1beta2'
  for (const { kind, group, plural } of LATCHED) {
    let next: string | undefined
    do {
      const page = await client.list({ group, version, plural }, undefined, { limit: 500, continue: next })
      for (const item of page.items) yield { ...item, kind }
      next = page.continue || undefined
    } while (next)
  }
}
