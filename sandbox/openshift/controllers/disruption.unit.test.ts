import { expect, test } from 'vitest'
import type { JsonObject } from '../../../lib/domain/json'
import { readDisruptionPolicies } from '../../../lib/providers/openshift/rendered'
import { disruptionStatus } from './disruption'

const of = (nodeDisruptionPolicy?: JsonObject) => {
  const about = { apiVersion: 'operator.openshift.io/v1', kind: 'MachineConfiguration' }
  const metadata = { name: 'cluster', uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: '' }
  const object = { ...about, metadata, spec: (nodeDisruptionPolicy ? { nodeDisruptionPolicy } : {}) as JsonObject }
  const status = { observedGeneration: 1, nodeDisruptionPolicyStatus: disruptionStatus(object) }
  return readDisruptionPolicies({ ...object, status })!
}
const actionsOf = (path: string, read: ReturnType<typeof of>) =>
  read.files.filter((file) => file.path === path).map(({ actions }) => actions)

test('the operator has policies of its own', () => {
  expect(of()).toMatchObject({ units: [], sshKey: ['None'] })
  expect(actionsOf('/var/lib/kubelet/config.json', of())).toEqual([['None']])
  expect(actionsOf('/etc/containers/registries.conf', of())).toEqual([['Special']])
})

test('the administrator’s are added, and replace those of the same path', () => {
  const read = of({
    files: [
      { path: '/var/lib/kubelet/config.json', actions: [{ type: 'Reboot' }] },
      { path: '/etc/chrony.conf', actions: [{ type: 'Restart', restart: { serviceName: 'chronyd.service' } }] },
    ],
    units: [{ name: 'tuned-cpu.service', actions: [{ type: 'DaemonReload' }] }],
    sshkey: { actions: [{ type: 'Drain' }] },
  })
  expect(actionsOf('/var/lib/kubelet/config.json', read)).toEqual([['Reboot']])
  expect(actionsOf('/etc/chrony.conf', read)).toEqual([['Restart']])
  expect(read.units).toEqual([{ name: 'tuned-cpu.service', actions: ['DaemonReload'] }])
  expect(read.sshKey).toEqual(['Drain'])
})
