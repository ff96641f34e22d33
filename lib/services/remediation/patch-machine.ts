import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'

export interface MachineKey {
  machineId: string
  namespace: string
  name: string
}

const TRIES = 5

/**
 * Reads, and writes exactly what that asks for; who wrote in between is read anew. Null: nothing was to be written. `before` throws
 * where it may not be written any more.
 */
export async function patchMachine(
  client: KubeClient,
  version: string,
  { machineId, namespace, name }: MachineKey,
  of: (annotations: Readonly<Record<string, string>>) => Record<string, string | null> | null,
  before: () => Promise<void> = () => Promise.resolve(),
): Promise<KubeObject | null> {
  const resource: Resource = { group: 'cluster.x-k8s.io', version, plural: 'machines' }
  for (let attempt = 1; ; attempt++) {
    const machine = await client.get(resource, name, namespace).catch((error: unknown) => {
      if (error instanceof KubeError && error.code === 404) return null
      throw error
    })
    // Gone, or another one of the name.
    if (machine?.metadata.uid !== machineId) return null
    const annotations = of(machine.metadata.annotations ?? {})
    if (!annotations) return null
    await before()
    const body = { metadata: { resourceVersion: machine.metadata.resourceVersion, annotations } }
    try {
      return await client.patch(resource, name, namespace, 'merge', body)
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 409) || attempt === TRIES) throw error
    }
  }
}
