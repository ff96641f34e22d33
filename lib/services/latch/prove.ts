import { db } from '@/lib/db/client'
import type { Group } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { HELD, LATCH_WEBHOOKS, TRIAL, TRIAL_OF_POLICY } from '@/lib/domain/latch/names'
import type { LatchedKind } from '@/lib/domain/latch/table'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'
import type { LatchTarget } from './target'

const DEADLINE_MS = 8000
/** No rendered config is called so: only a dry run names it. */
const TRIAL_CONFIG = 'rendered-drydock-trial'

/** Of some groups, in case the API server refuses the write to one for a reason of its own. */
const TRIES = 3

/** The trial was refused before the latch had a say: why, in the API server's words. */
interface Untried {
  untried: string
}
/** refused: the API server could not ask the webhook, and let nothing through. null: there was nothing to try it on. */
export type Proof = 'held' | 'through' | 'refused' | Untried | null

/**
 * Tries the latch without changing anything: a dry run of a rollout-causing write to one governed group per kind must
 * come back held, and by the form that is wanted. New policies take a moment to be in force, so `patiently` asks again
 * until a deadline.
 */
export async function proveLatch(
  client: KubeClient,
  clusterId: string,
  { capabilities, form, governance }: Pick<LatchTarget, 'capabilities' | 'form' | 'governance'>,
  kinds: readonly LatchedKind[],
  patiently: boolean,
): Promise<Proof> {
  const old = capabilities.clusterApi?.apiVersion === 'v1beta1'
  const version = old ? 'v1beta1' : 'v1beta2'
  const metadata: JsonObject = form === 'webhook' ? {} : { annotations: { [TRIAL]: TRIAL_OF_POLICY } }
  const results: Proof[] = []
  for (const kind of kinds) {
    const groups = await db().group.findMany({
      // Where all are governed it needs no row that says so: the rows follow a moment later.
      where: { clusterId, kind: kind.kind, held: null, ...(governance.governs === 'all' ? {} : { governed: true }) },
      orderBy: { name: 'asc' },
      take: TRIES,
    })
    const after = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    const spec: JsonObject = kind.pausedBy
      ? { configuration: { name: TRIAL_CONFIG } }
      : old
        ? { rolloutAfter: after }
        : { rollout: { after } }
    const body: JsonObject = { metadata, spec }
    const resource = { group: kind.group, version: kind.served ?? version, plural: kind.plural }
    const attempt = async (group: Group): Promise<Proof> => {
      try {
        const answer = await client.patch(resource, group.name, group.namespace, 'merge', body, { dryRun: true })
        return answer.metadata.annotations?.[HELD] !== undefined ? 'held' : 'through'
      } catch (error) {
        return saidBy(error)
      }
    }
    let proof: Proof = null
    for (const group of groups) {
      const next = await repeat(() => attempt(group), patiently)
      proof = next ?? proof
      if (typeof next === 'string') break
    }
    results.push(proof)
  }
  return worstOf(results)
}

/** What a trial that failed says of the latch; throws where that is nothing, and the next look may know. */
export function saidBy(error: unknown): Proof {
  if (!(error instanceof KubeError)) throw error
  // Gone meanwhile.
  if (error.code === 404) return null
  // Too many requests are so for a moment.
  if (error.code < 500 && error.code !== 429) return { untried: error.message }
  // The webhook form refuses while the gate is down. Nothing gets through, but that does not prove that it holds.
  if (error.message.includes(LATCH_WEBHOOKS)) return 'refused'
  throw error
}

export const worstOf = (proofs: readonly Proof[]): Proof =>
  (['through', 'refused'] as const).find((proof) => proofs.includes(proof)) ??
  proofs.find(isUntried) ??
  proofs.find((proof) => proof === 'held') ??
  null

export const isUntried = (proof: Proof): proof is Untried => typeof proof === 'object' && proof !== null

async function repeat(attempt: () => Promise<Proof>, patiently: boolean): Promise<Proof> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const proof = await attempt()
    if (proof === 'held' || proof === null || isUntried(proof) || !patiently || Date.now() > deadline) return proof
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
