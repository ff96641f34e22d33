import { startReflector, type Reflector } from '@/lib/kubernetes/reflector'
import type { KubeClient } from '@/lib/kubernetes/types'
import { isOfLatch, latchResources } from '@/lib/services/latch/resources'

/** The latch's objects in one cluster, and whatever else bears their names. */
export interface LatchObjects {
  /** Of a connection that is another one by now, it hears nothing. */
  readonly client: KubeClient
  /** Nor of policies that are served in another version. */
  readonly policyVersion: 'v1' | 'v1beta1' | null
  stop(): Promise<void>
}

/**
 * Calls `changed` at every change of them: between their deletion and the next periodic look a change would go through unheld.
 * Where they may not be watched, or are not served, nobody is told: the look is what counts.
 */
export function watchLatchObjects(
  client: KubeClient,
  policyVersion: 'v1' | 'v1beta1' | null,
  changed: () => void,
): LatchObjects {
  const heard = (name: string): void => {
    if (isOfLatch(name)) changed()
  }
  const watches: Reflector[] = latchResources(policyVersion).map(({ resource }) =>
    startReflector({
      ...{ client, resource, dropManagedFields: true },
      sink: {
        upsert: ({ metadata }) => heard(metadata.name),
        remove: heard,
        synced: () => undefined,
      },
    }),
  )
  return { client, policyVersion, stop: async () => void (await Promise.all(watches.map((one) => one.stop()))) }
}
