import { releaseFacts } from '../../lib/domain/skew/releases'
import type { Resource } from '../apiserver/resources'
import { machineConfigurationRules, machineConfigurationSchema, type ConfigurationForm } from './machine-configuration'

const custom = (
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
  namespaced: false,
  status: true,
  ...more,
})

const CONFIG = 'config.openshift.io'
const MACHINE = 'machine.openshift.io'
const MACHINE_CONFIG = 'machineconfiguration.openshift.io'

/** How a release serves it; the newest form where none is named. */
export function formOf(release?: string): ConfigurationForm {
  const facts = releaseFacts(release)
  if (!facts || facts.limit === 'enforced') return 'with-skew'
  return facts.says ? 'without-skew' : '4.18'
}

/** From 4.19 on the operator reports each step of a node; before, only with a preview feature set. */
export const hasNodeSteps = (release?: string): boolean => formOf(release) !== '4.18'

/** What an OpenShift API server serves beside Kubernetes; `form`: MachineConfiguration as which releases serve it. */
export const openShiftResources = ({ form = 'with-skew' }: { form?: ConfigurationForm } = {}): Resource[] => [
  custom('operator.openshift.io', 'v1', 'machineconfigurations', 'MachineConfiguration', {
    schema: machineConfigurationSchema(form),
    rules: machineConfigurationRules,
  }),
  custom(CONFIG, 'v1', 'clusterversions', 'ClusterVersion'),
  custom(CONFIG, 'v1', 'clusteroperators', 'ClusterOperator'),
  custom(CONFIG, 'v1', 'infrastructures', 'Infrastructure'),
  custom(MACHINE, 'v1beta1', 'machines', 'Machine', { namespaced: true }),
  custom(MACHINE, 'v1beta1', 'machinesets', 'MachineSet', { namespaced: true }),
  custom(MACHINE, 'v1', 'controlplanemachinesets', 'ControlPlaneMachineSet', { namespaced: true }),
  custom(MACHINE_CONFIG, 'v1', 'machineconfigpools', 'MachineConfigPool', { shortNames: ['mcp'] }),
  ...(form === '4.18' ? [] : [custom(MACHINE_CONFIG, 'v1', 'machineconfignodes', 'MachineConfigNode')]),
  custom(MACHINE_CONFIG, 'v1', 'machineosconfigs', 'MachineOSConfig'),
  custom('metal3.io', 'v1alpha1', 'provisionings', 'Provisioning'),
  custom(MACHINE_CONFIG, 'v1', 'machineconfigs', 'MachineConfig', { status: false }),
]
