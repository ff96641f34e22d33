import type { JsonObject } from '../../../lib/domain/json'
import type { Step } from './step'

const ADMISSION = 'admissionregistration.k8s.io/v1'
const query = { fieldManager: 'parity', force: 'true' }

export const CPMS_CHECK = 'managed-bootimages-cpms-platform-check'

/**
 * The platform checks that the Machine Config Operator installs, by rule and text in our own words: what is managed where,
 * and that there is one MachineConfiguration.
 */
const CHECKS: { name: string; expression: string; message: string; platform: boolean }[] = [
  {
    name: 'managed-bootimages-platform-check',
    expression:
      "!has(object.spec.managedBootImages) || ['GCP', 'AWS', 'VSphere', 'Azure'].exists(p, p == params.status.platformStatus.type)",
    message: 'This feature is only supported on these platforms: GCP, AWS, VSphere, Azure',
    platform: true,
  },
  {
    name: CPMS_CHECK,
    expression:
      "!has(object.spec.managedBootImages) || !has(object.spec.managedBootImages.machineManagers) || !object.spec.managedBootImages.machineManagers.exists(m, m.resource == 'controlplanemachinesets') || ['GCP', 'AWS', 'Azure'].exists(p, p == params.status.platformStatus.type)",
    message:
      'The control plane machineset boot image update feature is only supported on these platforms: GCP, AWS, Azure',
    platform: true,
  },
  {
    name: 'machine-configuration-guards',
    expression: "object.metadata.name == 'cluster'",
    message: 'Only a single object of MachineConfiguration is allowed and it must be named cluster.',
    platform: false,
  },
]

const put = (plural: string, body: JsonObject): Step => {
  const { name } = body.metadata as { name: string }
  return { name: `${plural} ${name}`, type: 'apply', path: `/apis/${ADMISSION}/${plural}/${name}`, query, body }
}

/** Two steps each. Which of several is asked first is not said, so no step may be refused by two. */
export const POLICIES: Step[] = CHECKS.flatMap(({ name, expression, message, platform }) => [
  put('validatingadmissionpolicies', {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      ...(platform && { paramKind: { apiVersion: 'config.openshift.io/v1', kind: 'Infrastructure' } }),
      matchConstraints: {
        resourceRules: [
          {
            ...{ apiGroups: ['operator.openshift.io'], apiVersions: ['v1'], resources: ['machineconfigurations'] },
            operations: ['CREATE', 'UPDATE'],
          },
        ],
      },
      validations: [{ expression, message }],
    },
  }),
  put('validatingadmissionpolicybindings', {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${name}-binding` },
    spec: {
      policyName: name,
      ...(platform && { paramRef: { name: 'cluster', parameterNotFoundAction: 'Deny' } }),
      validationActions: ['Deny'],
    },
  }),
])

/** None of them is there any more. */
export const NO_POLICIES: Step[] = POLICIES.map(({ name, path }) => ({ name: `no ${name}`, method: 'DELETE', path }))

export const INFRASTRUCTURE = '/apis/config.openshift.io/v1/infrastructures/cluster'

/** The cluster is on this platform from now on. */
export const onPlatform = (type: string): Step[] => [
  {
    ...{ name: `infrastructure for ${type}`, type: 'apply', path: INFRASTRUCTURE, query },
    body: {
      ...{ apiVersion: 'config.openshift.io/v1', kind: 'Infrastructure', metadata: { name: 'cluster' } },
      spec: { platformSpec: { type } },
    },
  },
  {
    ...{
      name: `the platform is ${type}`,
      path: `${INFRASTRUCTURE}/status`,
      query: { fieldManager: 'parity' },
    },
    body: {
      status: {
        ...{ controlPlaneTopology: 'HighlyAvailable', infrastructureTopology: 'HighlyAvailable' },
        ...{ platform: type, platformStatus: { type } },
      },
    },
  },
]
