import type { ErrorFacts } from '../types'

export type Example = [id: string, facts: ErrorFacts, words?: string]

export const core = (condition: string | null, reason: string | null, message = '', infrastructure = 'DevMachine') => ({
  ...{ api: 'cluster.x-k8s.io', infrastructure, condition, reason, message },
})
export const on =
  (kind: string) =>
  (reason: string | null, message: string, condition: string | null = 'InfrastructureReady') =>
    core(condition, reason, message, kind)
export const aws = on('AWSMachine')
export const azure = on('AzureMachine')
export const gcp = on('GCPMachine')
export const stack = on('OpenStackMachine')
export const vsphere = on('VSphereMachine')
export const metal3 = on('Metal3Machine')
export const openshift = (
  reason: string | null,
  message: string,
  kind = 'AWSMachineProviderConfig',
  condition: string | null = 'Failure',
) => ({
  ...{ api: 'machine.openshift.io', infrastructure: kind, condition, reason, message },
})
/** What a provider of the Machine API writes to status.providerStatus.conditions while it tries again. */
export const created = (message: string, kind = 'AWSMachineProviderConfig', condition = 'MachineCreation') =>
  // vSphere says so with the reason of success.
  openshift(kind.startsWith('VSphere') ? 'MachineCreationSucceeded' : 'MachineCreationFailed', message, kind, condition)
/** What Cluster API copies of a Ready condition that sums up others. */
export const summed = (kind: string, message: string) => core('InfrastructureReady', 'NotReady', message, kind)
export const daemon = (message: string, reason = 'Degraded') =>
  openshift(reason, message, 'AWSMachineProviderConfig', 'MachineConfigDaemon')
export const drain = (line: string) =>
  core('Deleting', 'DrainingNode', `Drain not completed yet (started at 2026-11-21T05:24:15Z):\n* ${line}`)
export const ec2 = (code: string, words: string) =>
  aws(
    'InstanceProvisionFailed',
    `failed to create AWSMachine instance: failed to run instance: operation error EC2: RunInstances, https response error StatusCode: 400, RequestID: 4b2c0a0e-6d5e-4a93-9a55-0c8e0a3f0b7e, api error ${code}: ${words}`,
  )
export const arm = (code: string, words: string) =>
  azure(
    'Failed',
    `virtualmachine failed to create or update. err: failed to create or update resource rg/vm-1 (service: virtualmachine): PUT https://management.azure.com/subscriptions/x/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm-1\nRESPONSE 409: 409 Conflict\nERROR CODE: ${code}\n{\n  "error": {\n    "code": "${code}",\n    "message": "${words}"\n  }\n}`,
  )
