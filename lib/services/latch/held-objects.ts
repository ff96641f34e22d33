import type { Capabilities } from '@/lib/domain/capabilities'
import { HELD } from '@/lib/domain/latch/names'
import { objectKey } from '@/lib/kubernetes/paths'
import type { KubeClient } from '@/lib/kubernetes/types'
import { liveGroups } from './live-groups'

/** What is held right now, asked of the API server itself: "MachineDeployment namespace/name", sorted. */
export async function heldObjects(client: KubeClient, capabilities: Capabilities): Promise<string[]> {
  const held: string[] = []
  for await (const group of liveGroups(client, capabilities))
    if (group.metadata.annotations?.[HELD] !== undefined) held.push(`${group.kind} ${objectKey(group)}`)
  return held.sort()
}
