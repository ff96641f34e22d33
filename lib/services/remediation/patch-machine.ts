import { rewrite } from '@/lib/kubernetes/rewrite'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'

export interface MachineKey {
  machineId: string
  namespace: string
  name: string
}

/** Annotations of a Machine, as `of` wants them; null: nothing was to be written. */
export const patchMachine = (
  client: KubeClient,
  version: string,
  { machineId: uid, namespace, name }: MachineKey,
  of: (annotations: Readonly<Record<string, string>>) => Record<string, string | null> | null,
  before: () => Promise<void> = () => Promise.resolve(),
): Promise<KubeObject | null> =>
  rewrite(
    client,
    { group: 'cluster.x-k8s.io', version, plural: 'machines' },
    { uid, namespace, name },
    ({ metadata }) => {
      const annotations = of(metadata.annotations ?? {})
      return annotations && { metadata: { annotations } }
    },
    (call) => before().then(call),
  )
