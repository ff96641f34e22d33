import { latchManifests } from '@/lib/domain/latch/manifests'
import type { LatchOptions } from '@/lib/domain/latch/parts'
import { HELD } from '@/lib/domain/latch/names'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient, Resource } from '@/lib/kubernetes/types'
import { until } from './process'

/** Tests that share a cluster share this latch: governed are the namespaces with this label. */
export const GOVERNED = { 'drydock.dev/governed': 'true' }

const PLURAL: Record<string, string> = {
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
}

export const STANDARD_LATCH: LatchOptions = {
  form: 'policy-v1',
  identity: 'drydock',
  breakGlassGroup: 'drydock:break-glass',
  governs: 'namespace-label',
  labelKey: 'drydock.dev/governed',
  labelValue: 'true',
}

export function admissionResource(object: JsonObject): Resource {
  const [group, version] = String(object.apiVersion).split('/') as [string, string]
  return { group, version, plural: PLURAL[String(object.kind)]! }
}

export async function applyLatch(client: KubeClient, options: LatchOptions = STANDARD_LATCH): Promise<void> {
  for (const object of latchManifests(options)) {
    const { name } = object.metadata as { name: string }
    await client.patch(admissionResource(object), name, undefined, 'apply', object)
  }
}

/** The API server takes a moment to put new policies in force: waits until a dry run of such a write comes back held. */
export async function untilLatched(client: KubeClient, namespace: string, machineDeployment: string): Promise<void> {
  const resource = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }
  await until(
    'the latch to be in force',
    async () => {
      const body = { spec: { rollout: { after: new Date().toISOString().slice(0, 19) + 'Z' } } }
      const answer = await client.patch(resource, machineDeployment, namespace, 'merge', body, { dryRun: true })
      return answer.metadata.annotations?.[HELD] !== undefined
    },
    { ms: 20_000, every: 200 },
  )
}
