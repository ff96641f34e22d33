import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { failureOf } from './failure'
import type { ActionKind, Target } from './kind'

/** The object as it is now. Throws a ServiceError that says why it cannot be read, and what to do. */
export async function readTarget(
  client: KubeClient,
  kind: Pick<ActionKind, 'words' | 'goesOn'>,
  target: Target,
): Promise<KubeObject> {
  try {
    return await client.get(target.resource, target.name, target.namespace)
  } catch (error) {
    return notRead(error, client, kind, target)
  }
}

/** Throws that sentence for what the API server answered, or did not. */
export async function notRead(
  error: unknown,
  client: KubeClient,
  kind: Pick<ActionKind, 'words' | 'goesOn'>,
  target: Target,
): Promise<never> {
  if (error instanceof ServiceError) throw error
  const { code, sentence, answer } = await failureOf(error, kind, target, client)
  const told = code === null ? 'The cluster does not answer, so nothing can be shown or changed.' : sentence
  throw new ServiceError(code === null ? 'unavailable' : code === 404 ? 'not-found' : 'refused', told, {
    ...(answer && { answer }),
  })
}
