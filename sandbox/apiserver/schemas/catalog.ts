import type { Resource } from '../resources'
import * as capi from './cluster-api'
import { openKind } from './common'
import { convertControlPlane, convertMachine, convertMachineDeployment, convertMachineSet } from './v1beta1'
import * as webhooks from './webhooks'

const contract = { 'cluster.x-k8s.io/v1beta1': 'v1beta1', 'cluster.x-k8s.io/v1beta2': 'v1beta2' }
const CAPI = 'cluster.x-k8s.io'
const VERSIONS = ['v1beta2', 'v1beta1']

const custom = (
  group: string,
  versions: string[],
  plural: string,
  kind: string,
  more: Partial<Resource> = {},
): Resource => ({
  group,
  versions,
  plural,
  kind,
  namespaced: true,
  status: true,
  schema: openKind,
  ...more,
})
const of = (group: string, plural: string, kind: string, more: Partial<Resource> = {}) =>
  custom(group, VERSIONS, plural, kind, { crdLabels: contract, ...more })
const builtIn = (
  group: string,
  version: string,
  plural: string,
  kind: string,
  more: Partial<Resource> = {},
): Resource => ({
  group,
  versions: [version],
  plural,
  kind,
  namespaced: true,
  builtIn: true,
  ...more,
})
const cluster = { namespaced: false }

const core: Resource[] = [
  builtIn('', 'v1', 'namespaces', 'Namespace', { ...cluster, shortNames: ['ns'], status: true }),
  builtIn('', 'v1', 'nodes', 'Node', { ...cluster, shortNames: ['no'], status: true }),
  builtIn('', 'v1', 'secrets', 'Secret'),
  builtIn('', 'v1', 'configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  builtIn('', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
  builtIn('', 'v1', 'serviceaccounts', 'ServiceAccount', { shortNames: ['sa'] }),
  builtIn('events.k8s.io', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
  builtIn('apps', 'v1', 'deployments', 'Deployment', { shortNames: ['deploy'], status: true, generation: true }),
  builtIn('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', {
    ...cluster,
    shortNames: ['crd'],
    status: true,
  }),
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) =>
    builtIn('rbac.authorization.k8s.io', 'v1', `${kind.toLowerCase()}s`, kind, {
      namespaced: !kind.startsWith('Cluster'),
    }),
  ),
]

const ADMISSION = 'admissionregistration.k8s.io'
const generation = { ...cluster, generation: true } as const

/** The kinds of admission; `policies` says in which version MutatingAdmissionPolicies are served, if at all. */
/** Webhooks alone, and their conditions not yet for everybody. */
export const admissionKindsBefore130: Resource[] = [
  builtIn(ADMISSION, 'v1', 'validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', generation),
  builtIn(ADMISSION, 'v1', 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', generation),
]

export const admissionKinds = (policies: 'v1' | 'v1beta1' | null): Resource[] => [
  builtIn(ADMISSION, 'v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', { ...generation, status: true }),
  builtIn(ADMISSION, 'v1', 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', generation),
  ...admissionKindsBefore130,
  ...(policies
    ? [
        builtIn(ADMISSION, policies, 'mutatingadmissionpolicies', 'MutatingAdmissionPolicy', generation),
        builtIn(ADMISSION, policies, 'mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', generation),
      ]
    : []),
]

const hook = (kind: string, check: NonNullable<Resource['webhook']>['check'], group = CAPI) => ({
  webhook: {
    name: `validation.${kind.toLowerCase()}.${group}`,
    defaulter: `default.${kind.toLowerCase()}.${group}`,
    check,
  },
})
const templateOf = (kind: string, group: string) => ({
  schema: capi.templateKind,
  status: false,
  ...hook(kind, webhooks.template(kind), group),
})
const BOOTSTRAP = `bootstrap.${CAPI}`
const CONTROL_PLANE = `controlplane.${CAPI}`
const INFRASTRUCTURE = `infrastructure.${CAPI}`

export const clusterApiKinds: Resource[] = [
  of(CAPI, 'clusters', 'Cluster', {
    schema: capi.cluster,
    shortNames: ['cl'],
    ...hook('Cluster', webhooks.cluster),
    mutate: webhooks.defaultCluster,
  }),
  of(CAPI, 'clusterclasses', 'ClusterClass', { shortNames: ['cc'] }),
  of(CAPI, 'machines', 'Machine', {
    schema: capi.machine,
    shortNames: ['ma'],
    ...hook('Machine', webhooks.machine),
    convert: convertMachine,
  }),
  of(CAPI, 'machinesets', 'MachineSet', {
    schema: capi.machineSet,
    shortNames: ['ms'],
    ...hook('MachineSet', webhooks.machineSet),
    scale: true,
    convert: convertMachineSet,
  }),
  of(CAPI, 'machinedeployments', 'MachineDeployment', {
    schema: capi.machineDeployment,
    shortNames: ['md'],
    ...hook('MachineDeployment', webhooks.machineDeployment),
    mutate: webhooks.defaultMachineDeployment,
    scale: true,
    convert: convertMachineDeployment,
  }),
  of(CAPI, 'machinepools', 'MachinePool', { shortNames: ['mp'] }),
  of(CAPI, 'machinehealthchecks', 'MachineHealthCheck', { schema: capi.machineHealthCheck, shortNames: ['mhc'] }),
  of(CONTROL_PLANE, 'kubeadmcontrolplanes', 'KubeadmControlPlane', {
    schema: capi.controlPlane,
    shortNames: ['kcp'],
    webhook: {
      name: `validation.kubeadmcontrolplane.${CONTROL_PLANE}`,
      defaulter: `default.kubeadmcontrolplane.${CONTROL_PLANE}`,
      // Its refusals name the core group.
      group: CAPI,
      check: webhooks.controlPlane,
    },
    scale: true,
    // Rules of its own in CEL, which no schema error may hide.
    rules: () => [],
    mutate: webhooks.defaultControlPlane,
    convert: convertControlPlane,
  }),
  of(
    CONTROL_PLANE,
    'kubeadmcontrolplanetemplates',
    'KubeadmControlPlaneTemplate',
    templateOf('KubeadmControlPlaneTemplate', CONTROL_PLANE),
  ),
  of(BOOTSTRAP, 'kubeadmconfigs', 'KubeadmConfig'),
  of(BOOTSTRAP, 'kubeadmconfigtemplates', 'KubeadmConfigTemplate', { schema: capi.templateKind, status: false }),
  of(INFRASTRUCTURE, 'devclusters', 'DevCluster'),
  of(INFRASTRUCTURE, 'devclustertemplates', 'DevClusterTemplate', { schema: capi.templateKind, status: false }),
  of(INFRASTRUCTURE, 'devmachines', 'DevMachine'),
  of(INFRASTRUCTURE, 'devmachinetemplates', 'DevMachineTemplate', templateOf('DevMachineTemplate', INFRASTRUCTURE)),
  custom(`runtime.${CAPI}`, ['v1beta2', 'v1alpha1'], 'extensionconfigs', 'ExtensionConfig', {
    ...cluster,
    schema: capi.extensionConfig,
    shortNames: ['ext'],
    webhook: {
      name: `validation.extensionconfig.runtime.${CAPI}`,
      defaulter: `default.extensionconfig.runtime.addons.${CAPI}`,
      check: webhooks.extensionConfig,
    },
    mutate: webhooks.defaultExtensionConfig,
  }),
  custom(`clusterctl.${CAPI}`, ['v1alpha3'], 'providers', 'Provider', { schema: undefined, status: false }),
]

const openShift = (group: string, version: string, plural: string, kind: string, more: Partial<Resource> = {}) =>
  custom(group, [version], plural, kind, { ...cluster, ...more })
const MACHINE = 'machine.openshift.io'
const MCO = 'machineconfiguration.openshift.io'

export const openShiftKinds: Resource[] = [
  openShift('config.openshift.io', 'v1', 'clusterversions', 'ClusterVersion'),
  openShift('config.openshift.io', 'v1', 'clusteroperators', 'ClusterOperator', { shortNames: ['co'] }),
  openShift('config.openshift.io', 'v1', 'infrastructures', 'Infrastructure'),
  openShift('operator.openshift.io', 'v1', 'machineconfigurations', 'MachineConfiguration'),
  openShift(MCO, 'v1', 'machineconfigpools', 'MachineConfigPool', { shortNames: ['mcp'] }),
  openShift(MCO, 'v1', 'machineconfignodes', 'MachineConfigNode'),
  openShift(MCO, 'v1', 'machineconfigs', 'MachineConfig', { shortNames: ['mc'], status: false }),
  openShift(MACHINE, 'v1beta1', 'machines', 'Machine', { namespaced: true }),
  openShift(MACHINE, 'v1beta1', 'machinesets', 'MachineSet', { namespaced: true }),
  openShift(MACHINE, 'v1', 'controlplanemachinesets', 'ControlPlaneMachineSet', {
    namespaced: true,
    shortNames: ['cpms'],
  }),
]

export const coreKinds = core
