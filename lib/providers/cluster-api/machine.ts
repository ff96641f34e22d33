import { versionKey } from '@/lib/domain/version'
import { text } from '../fields'
import { ERROR_SEVERITY, MACHINE_STATES } from '@/lib/domain/rows'
import type { Projection } from '../rows'
import { conditionsOf, hasNewConditions } from './conditions'
import { machineState } from './machine-state'
import { machineOwner, workloadClusterOf } from './owners'

/** A Machine of Cluster API (v1beta2 or v1beta1) as a row. */
export const projectMachine: Projection = (machine, context) => {
  const { metadata, spec, status } = machine
  const conditions = conditionsOf(machine)
  const find = (type: string) => conditions.find((c) => c.type === type)?.status
  const phase = text(status, 'phase') ?? ''
  const node = text(status, 'nodeRef', 'name')
  const version = text(spec, 'version') ?? text(status, 'nodeInfo', 'kubeletVersion')
  const said = machineState({ machine, phase, node, version, conditions, now: context.now })
  // The old Ready says only that bootstrap and infrastructure are there.
  const ready = hasNewConditions(machine)
    ? find('Ready') === 'True'
    : phase === 'Running' && find('NodeHealthy') === 'True'
  const upToDate = find('UpToDate')
  return {
    machine: {
      id: metadata.uid,
      provider: 'cluster.x-k8s.io',
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      workloadCluster: workloadClusterOf(machine),
      ...machineOwner(machine, context),
      node,
      version,
      versionKey: versionKey(version),
      phase: phase || 'Unknown',
      failureDomain: text(status, 'failureDomain') ?? text(spec, 'failureDomain'),
      ...said,
      severity: Math.max(MACHINE_STATES[said.state], said.error ? ERROR_SEVERITY : 0),
      ready,
      available: find('Available') ? find('Available') === 'True' : ready,
      upToDate: upToDate === 'True' ? true : upToDate === 'False' ? false : null,
      updating: find('Updating') === 'True',
      deleting: Boolean(metadata.deletionTimestamp),
      bootImage: null,
      providerId: text(spec, 'providerID'),
      resourceVersion: metadata.resourceVersion,
      createdAt: metadata.creationTimestamp,
    },
  }
}
