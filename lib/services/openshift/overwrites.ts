import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { at } from '@/lib/providers/openshift/loose'
import { DRYDOCK, writtenBy } from '@/lib/providers/written-by'
import { kubeClientFor } from '../clusters/connection'
import type { ActionKind } from './kind'

/** What a decision writes over, for its audit event. */
export interface Overwrote {
  /** "Manual, 4.16.0" */
  stood: string
  /** Field manager; null: the object does not say. */
  by: string | null
}

/** A cluster that does not answer keeps nobody from deciding: whether it took anything is told by what comes after. */
const SOON_MS = 5_000

/** What stands there of somebody else's at `path`; undefined: nothing does, it is Drydock's own, or it cannot be read now. */
export async function overwrites(
  clusterId: string,
  { target, stands }: Pick<ActionKind, 'target' | 'stands'>,
  of: string,
  path: readonly string[],
): Promise<Overwrote | undefined> {
  const { resource, name, namespace } = target(of)
  try {
    const client = await kubeClientFor(clusterId)
    return overwrittenIn(await client.get(resource, name, namespace, { timeoutMs: SOON_MS }), stands, path)
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable) return undefined
    throw error
  }
}

/** The same of an object that is at hand. */
export function overwrittenIn(
  now: KubeObject,
  stands: ActionKind['stands'],
  path: readonly string[],
): Overwrote | undefined {
  if (at(now, ...path) === undefined) return undefined
  const by = writtenBy(now, path)
  return by === DRYDOCK ? undefined : { stood: stands(now), by }
}
