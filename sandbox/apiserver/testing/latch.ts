import type { JsonObject } from '../../../lib/domain/json'

const GROUP = 'admissionregistration.k8s.io/v1'
const EFFECT = `Object{metadata: Object.metadata{annotations: {"cluster.x-k8s.io/paused": "drydock", "drydock.dev/held": "the template changes"}}}`

/** Policies as the latch installs them, in the smallest form: what the server must make of them is observed on a real one. */
export const latchFor = (kind: 'machinedeployments' | 'kubeadmcontrolplanes'): JsonObject[] => {
  const group = kind === 'machinedeployments' ? 'cluster.x-k8s.io' : 'controlplane.cluster.x-k8s.io'
  const expression =
    kind === 'machinedeployments'
      ? 'object.spec.template.spec != oldObject.spec.template.spec || object.spec.?rollout.after != oldObject.spec.?rollout.after'
      : 'object.spec.version != oldObject.spec.version || object.spec.kubeadmConfigSpec != oldObject.spec.kubeadmConfigSpec || object.spec.machineTemplate.spec.infrastructureRef != oldObject.spec.machineTemplate.spec.infrastructureRef'
  const name = `latch-${kind}`
  return [
    {
      apiVersion: GROUP,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'IfNeeded',
        matchConstraints: {
          resourceRules: [{ apiGroups: [group], apiVersions: ['v1beta2'], resources: [kind], operations: ['UPDATE'] }],
        },
        matchConditions: [{ name: 'rollout', expression }],
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: EFFECT } }],
      },
    },
    { apiVersion: GROUP, kind: 'MutatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name } },
  ]
}

export const guard: JsonObject[] = [
  {
    apiVersion: GROUP,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'guard' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['cluster.x-k8s.io', 'controlplane.cluster.x-k8s.io'],
            apiVersions: ['*'],
            resources: ['machinedeployments', 'kubeadmcontrolplanes'],
            operations: ['UPDATE'],
          },
        ],
      },
      variables: [
        {
          name: 'was',
          expression: `oldObject.metadata.?annotations[?'cluster.x-k8s.io/paused'].orValue('') == 'drydock'`,
        },
        { name: 'is', expression: `object.metadata.?annotations[?'cluster.x-k8s.io/paused'].orValue('') == 'drydock'` },
      ],
      validations: [
        {
          expression: `!variables.was || variables.is || request.userInfo.username == 'drydock' || 'break-glass' in request.userInfo.groups`,
          messageExpression: `'This update is held by Drydock; ' + request.userInfo.username + ' may not release it.'`,
        },
      ],
    },
  },
  {
    apiVersion: GROUP,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'guard' },
    spec: { policyName: 'guard', validationActions: ['Deny'] },
  },
]

export const pathOf = (kind: string) => {
  const plural = kind.endsWith('y') ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`
  return `/apis/${GROUP}/${plural}`
}
