import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient, KubeObject, Resource } from '@/lib/kubernetes/types'
import { KubeError } from '@/lib/kubernetes/types'

const GROUP = 'admissionregistration.k8s.io'
const KINDS: Record<string, string> = {
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
}

export function resourceOf(object: { apiVersion: unknown; kind: unknown }): Resource {
  const version = String(object.apiVersion).split('/')[1] ?? 'v1'
  return { group: GROUP, version, plural: KINDS[String(object.kind)]! }
}

export const nameOf = (object: JsonObject): string => (object.metadata as { name: string }).name

/** Objects of the latch's kinds with such a name are the latch's, or in its way. */
export const isOfLatch = (name: string): boolean => name.startsWith('drydock-')

/** The latch's kinds, as far as an API server with such admission policies may serve them. */
export const latchResources = (policyVersion: 'v1' | 'v1beta1' | null): { kind: string; resource: Resource }[] =>
  Object.entries(KINDS).flatMap(([kind, plural]) => {
    const version = kind.startsWith('MutatingAdmission') ? policyVersion : 'v1'
    return version ? [{ kind, resource: { group: GROUP, version, plural } }] : []
  })

/**
 * Every object of the latch's kinds with the latch's prefix, ours or not. Kinds that the server does not serve have none, and where
 * `mayLackRight` those that Drydock may not look at: they are named in `unseen`.
 */
export async function findLatchObjects(
  client: KubeClient,
  policyVersion: 'v1' | 'v1beta1' | null,
  mayLackRight = false,
  unseen: string[] = [],
): Promise<KubeObject[]> {
  const lists = latchResources(policyVersion).map(async ({ kind, resource }) => {
    try {
      const { items } = await client.list(resource, undefined)
      return items
        .filter(({ metadata }) => isOfLatch(metadata.name))
        .map((item) => ({ ...item, kind, apiVersion: `${GROUP}/${resource.version}` }))
    } catch (error) {
      const code = error instanceof KubeError ? error.code : null
      if (code !== 404 && !(mayLackRight && code === 403)) throw error
      if (code === 403) unseen.push(kind)
      return []
    }
  })
  return (await Promise.all(lists)).flat()
}
