import { db } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { JsonObject } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { LATCHED } from '@/lib/domain/latch/table'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'

const DEADLINE_MS = 8000

/**
 * Tries the latch without changing anything: a dry run of a rollout-causing write to one governed group per kind must
 * come back held. New policies take a moment to be in force, so `patiently` asks again until a deadline.
 */
export async function proveLatch(
  client: KubeClient,
  clusterId: string,
  capabilities: Capabilities,
  patiently: boolean,
): Promise<boolean | null> {
  const old = capabilities.clusterApi?.apiVersion === 'v1beta1'
  const version = old ? 'v1beta1' : 'v1beta2'
  const results: boolean[] = []
  for (const kind of LATCHED) {
    const group = await db().group.findFirst({
      where: { clusterId, kind: kind.kind, governed: true, held: null },
      orderBy: { name: 'asc' },
    })
    if (!group) continue
    const after = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    const body: JsonObject = { spec: old ? { rolloutAfter: after } : { rollout: { after } } }
    const resource = { group: kind.group, version, plural: kind.plural }
    const attempt = async (): Promise<boolean | null> => {
      try {
        const answer = await client.patch(resource, group.name, group.namespace, 'merge', body, { dryRun: true })
        return answer.metadata.annotations?.[HELD] !== undefined
      } catch (error) {
        // Gone meanwhile, or refused for a reason of its own: it proves nothing either way.
        if (error instanceof KubeError && error.code < 500) return null
        // The webhook form refuses while the gate is down: nothing gets through, which is what it promises.
        if (error instanceof KubeError && error.message.includes('latch.drydock.dev')) return true
        throw error
      }
    }
    const held = await repeat(attempt, patiently)
    if (held !== null) results.push(held)
  }
  return results.length === 0 ? null : results.every(Boolean)
}

async function repeat(attempt: () => Promise<boolean | null>, patiently: boolean): Promise<boolean | null> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const held = await attempt()
    if (held !== false || !patiently || Date.now() > deadline) return held
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
