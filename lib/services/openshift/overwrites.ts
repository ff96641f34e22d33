import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
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
    const now = await (await kubeClientFor(clusterId)).get(resource, name, namespace, { timeoutMs: SOON_MS })
    const by = writtenBy(now, path)
    return by === DRYDOCK ? undefined : { stood: stands(now), by }
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable) return undefined
    throw error
  }
}
