import type { JsonObject } from '../../../lib/domain/json'
import type { Objectbase } from '../storage/objects'
import type { Admission, AdmissionRequest } from '../storage/store'
import { mutateByPolicies, validateByPolicies } from './policies'
import { mutateByWebhooks, validateByWebhooks } from './webhooks'

/** Policies are not subject to admission, so that nobody can lock themselves out. */
const POLICIES = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
])
/** Nor are webhook configurations to webhooks; to policies they are. */
const WEBHOOKS = new Set(['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'])

const isOne = ({ resource }: AdmissionRequest, of: ReadonlySet<string>) =>
  resource.group === 'admissionregistration.k8s.io' && of.has(resource.plural)

/** Policies first, then webhooks, as the API server orders its plugins; validation sees the outcome. */
export function createAdmission(base: Objectbase): Admission {
  return {
    async mutate(request) {
      if (isOne(request, POLICIES) || !request.object) return request.object as unknown as JsonObject
      const object = mutateByPolicies(request, base)
      if (isOne(request, WEBHOOKS)) return object as unknown as JsonObject
      return (await mutateByWebhooks({ ...request, object }, base)) as unknown as JsonObject
    },
    async validate(request) {
      if (isOne(request, POLICIES)) return
      validateByPolicies(request, base)
      if (!isOne(request, WEBHOOKS)) await validateByWebhooks(request, base)
    },
  }
}
