import { resolve, type Policy, type PolicyGroup, type PolicySpec, type Resolved } from '../index'

export const group: PolicyGroup = {
  cluster: 'atlas',
  workloadCluster: 'payments-prod',
  labels: { env: 'prod', team: 'payments' },
  namespace: 'payments',
  kind: 'MachineDeployment',
  name: 'payments-prod-workers-a',
}
export const policy = (name: string, spec: PolicySpec, version = 1): Policy => ({ id: name, name, version, spec })
/** What one policy that says this has the group do. */
export const saying = (spec: Omit<PolicySpec, 'select'>): Resolved =>
  resolve([policy('p', { select: {}, ...spec })], group)
