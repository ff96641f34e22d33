import type { Capabilities } from '@/lib/domain/capabilities'
import { HELD } from '@/lib/domain/latch/names'
import { LATCHED } from '@/lib/domain/latch/table'
import { objectKey } from '@/lib/kubernetes/paths'
import type { KubeClient } from '@/lib/kubernetes/types'

/** What is held right now, asked of the API server itself: "MachineDeployment namespace/name", sorted. */
export async function heldObjects(client: KubeClient, capabilities: Capabilities): Promise<string[]> {
  const version = capabilities.clusterApi?.apiVersion ?? 'v1beta2'
  const held: string[] = []
  for (const { kind, group, plural } of LATCHED) {
    let next: string | undefined
    do {
      const page = await client.list({ group, version, plural }, undefined, { limit: 500, continue: next })
      for (const item of page.items)
        if (item.metadata.annotations?.[HELD] !== undefined) held.push(`${kind} ${objectKey(item)}`)
      next = page.continue || undefined
    } while (next)
  }
  return held.sort()
}
