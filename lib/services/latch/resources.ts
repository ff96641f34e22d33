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

/** Every object of the latch's kinds with the latch's prefix, ours or not. Kinds that the server does not serve have none. */
export async function findLatchObjects(
  client: KubeClient,
  policyVersion: 'v1' | 'v1beta1' | null,
): Promise<KubeObject[]> {
  const lists = Object.entries(KINDS).map(async ([kind, plural]) => {
    const mutating = kind.startsWith('MutatingAdmission')
    if (mutating && !policyVersion) return []
    const version = mutating ? policyVersion! : 'v1'
    try {
      const { items } = await client.list({ group: GROUP, version, plural }, undefined)
      return items
        .filter((item) => item.metadata.name.startsWith('drydock-'))
        .map((item) => ({ ...item, kind, apiVersion: `${GROUP}/${version}` }))
    } catch (error) {
      if (error instanceof KubeError && error.code === 404) return []
      throw error
    }
  })
  return (await Promise.all(lists)).flat()
}
