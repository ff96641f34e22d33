import type { JsonObject } from '@/lib/domain/json'
import { ownersOf } from '@/lib/domain/openshift/owners'
import { notStored, pathsOf } from '@/lib/domain/openshift/stored'
import { KubeError, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { bound, patchOf, type ApiCall } from './action-row'
import { failureOf } from './failure'
import type { ActionKind, Target } from './kind'
import { keepLooked } from './looked-at'

/** What the API server says to a change as a dry run, which is what it says to the change. */
export interface Rehearsal {
  call: ApiCall
  dryRun: { ok: boolean; sentence: string; answer: string | null }
  /** Who else writes these fields, and what becomes of the change at their next sync: a sentence each. */
  owners: string[]
}

/**
 * Tries a step on the API server without writing: bound to `now`, with strict validation, and what it would store read back. `all`: of
 * every step of the action, for whoever holds what a later one changes takes that back as well.
 */
export async function rehearse(
  client: KubeClient,
  kind: ActionKind,
  target: Target,
  now: KubeObject,
  body: JsonObject,
  all: readonly JsonObject[] = [body],
): Promise<Rehearsal> {
  keepLooked(now)
  const call = patchOf(target, bound(body, now.metadata.resourceVersion))
  const paths = new Map(all.flatMap(pathsOf).map((path) => [path.join('.'), path]))
  const owners = ownersOf(now.metadata, [...paths.values()]).map((owner) => owner.sentence)
  try {
    const stored = await tried(client, target, now, body)
    return { call, owners, dryRun: judged(notStored(body, stored), kind) }
  } catch (error) {
    const { sentence, answer } = await failureOf(error, kind, target, client)
    return { call, owners, dryRun: { ok: false, sentence, answer } }
  }
}

/** An operator that is at work writes its status between reading and trying. */
const TRIES = 4

/** As the change itself is made: bound to its generation, what others write to the status is no conflict. */
async function tried(client: KubeClient, target: Target, seen: KubeObject, body: JsonObject): Promise<KubeObject> {
  const { resource, name, namespace } = target
  let { resourceVersion } = seen.metadata
  for (let tries = 1; ; tries++)
    try {
      return await client.patch(resource, name, namespace, 'merge', bound(body, resourceVersion), { dryRun: true })
    } catch (error) {
      if (!(error instanceof KubeError) || error.code !== 409 || tries === TRIES) throw error
      const now = await client.get(resource, name, namespace)
      if (seen.metadata.generation === undefined || now.metadata.generation !== seen.metadata.generation) throw error
      ;({ resourceVersion } = now.metadata)
    }
}

function judged(missing: string[], { words }: ActionKind): Rehearsal['dryRun'] {
  if (missing.length === 0) return { ok: true, sentence: 'The API server would store this.', answer: null }
  const sentence = `The API server would answer with success and not store it: ${words.unknownField}.`
  return { ok: false, sentence, answer: `not as sent: ${missing.join(', ')}` }
}
