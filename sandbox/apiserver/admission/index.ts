import type { JsonObject } from '../../../lib/domain/json'
import type { Objectbase } from '../storage/objects'
import type { Admission, AdmissionRequest } from '../storage/store'
import { mutateByPolicies, validateByPolicies } from './policies'
import { mutateByWebhooks, validateByWebhooks } from './webhooks'

/** Admission itself is not subject to policies, so that nobody can lock themselves out. */
const EXEMPT = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
])

const isExempt = ({ resource }: AdmissionRequest) =>
  resource.group === 'admissionregistration.k8s.io' && EXEMPT.has(resource.plural)

/** Policies first, then webhooks, as the API server orders its plugins; validation sees the outcome. */
export function createAdmission(base: Objectbase): Admission {
  return {
    async mutate(request) {
      if (isExempt(request) || !request.object) return request.object as unknown as JsonObject
      const object = mutateByPolicies(request, base)
      return (await mutateByWebhooks({ ...request, object }, base)) as unknown as JsonObject
    },
    async validate(request) {
      if (isExempt(request)) return
      validateByPolicies(request, base)
      await validateByWebhooks(request, base)
    },
  }
}
