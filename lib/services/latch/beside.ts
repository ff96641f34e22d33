import type { JsonObject } from '@/lib/domain/json'
import { bearsOurMark } from '@/lib/domain/latch/diff'
import { GUARD_WEBHOOKS } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { LatchTarget } from './target'

const WEBHOOK = 'MutatingWebhookConfiguration'
const ofWebhookForm = (object: { kind?: unknown; metadata?: unknown }): boolean =>
  object.kind === WEBHOOK || (object.metadata as { name: string }).name === GUARD_WEBHOOKS

/**
 * The webhook form, found while the policy form is the one that is wanted. It is kept, and kept right, until a person
 * takes it away: while API servers are upgraded one by one, those that have no policies yet hold by it alone.
 */
export function besideOf({ form, governance }: LatchTarget, found: readonly KubeObject[]): KubeObject[] {
  if (form === 'webhook' || governance.governs === 'none') return []
  const there = found.filter((object) => ofWebhookForm(object) && bearsOurMark(object))
  return there.some(({ kind }) => kind === WEBHOOK) ? there : []
}

/** Everything that should be there: the wanted form, and the one of before while it is kept. */
export async function wantedWith(target: LatchTarget, found: readonly KubeObject[]): Promise<JsonObject[]> {
  if (besideOf(target, found).length === 0) return target.manifests
  return [...target.manifests, ...(await target.asWebhook()).filter(ofWebhookForm)]
}
