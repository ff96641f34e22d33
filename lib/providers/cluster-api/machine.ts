import { unknownError } from '@/lib/domain/errors'
import { versionKey } from '@/lib/domain/version'
import { text } from '../fields'
import { isCounted, SKIP_MARK, SKIPS_REMEDIATION, type Amiss } from '@/lib/domain/health-checks'
import { ERROR_SEVERITY, MACHINE_STATES, type Condition } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { Projection } from '../rows'
import { conditionsOf, hasNewConditions, prose } from './conditions'
import { machineState } from './machine-state'
import { machineOwner, workloadClusterOf } from './owners'
import { planeSaidOf } from './plane'

/** Cluster API deletes a machine with this annotation first, where it deletes any. */
export const DELETE_MARK = 'cluster.x-k8s.io/delete-machine'

/** What a message may call the machine by. */
const namesOf = ({ metadata, spec }: KubeObject, node: string | null) => [
  ...[metadata.name, node, text(spec, 'infrastructureRef', 'name'), text(spec, 'bootstrap', 'configRef', 'name')],
  text(spec, 'providerID'),
]

const since = (conditions: Condition[], type: string, is: (status: string) => boolean): string | null => {
  const found = conditions.find((c) => c.type === type)
  return found && is(found.status) ? found.lastTransitionTime : null
}

/** Cluster API says so where it cannot ask the workload cluster (machine_controller_status.go): nothing is known of the node. */
const NOT_ASKED = ['ConnectionDown', 'InternalError', 'InspectionFailed']

function notReadySince(machine: KubeObject, conditions: Condition[]): string | null {
  const unasked = conditions.some(
    ({ type, status, reason }) => type.startsWith('Node') && status === 'Unknown' && NOT_ASKED.includes(reason ?? ''),
  )
  if (unasked) return null
  return since(conditions, hasNewConditions(machine) ? 'Ready' : 'NodeHealthy', (status) => status !== 'True')
}

/** Of a node that cannot be asked nothing is known, and no check counts it. */
function amissOf(conditions: Condition[]): Amiss[] | null {
  let amiss: Amiss[] | null = null
  for (const { type, status, reason, lastTransitionTime: since } of conditions) {
    if (since === null || !isCounted(type, status)) continue
    if (type.startsWith('Node') && status === 'Unknown' && NOT_ASKED.includes(reason ?? '')) continue
    ;(amiss ??= []).push({ type, status, since })
  }
  return amiss
}

const statusOf = (conditions: Condition[], type: string) => conditions.find((c) => c.type === type)?.status

/** A Machine of Cluster API (v1beta2 or v1beta1) as a row. */
export const projectMachine: Projection = (machine, context) => {
  const { metadata, spec, status } = machine
  const conditions = conditionsOf(machine)
  const phase = text(status, 'phase') ?? ''
  const node = text(status, 'nodeRef', 'name')
  const version = text(spec, 'version') ?? text(status, 'nodeInfo', 'kubeletVersion')
  // Fields one by one below: to spread an object into the middle of another costs more than all the rest.
  const owner = machineOwner(machine, context)
  const annotations = metadata.annotations ?? {}
  const check = conditions.find((c) => c.type === 'HealthCheckSucceeded')
  const remediated = conditions.find((c) => c.type === 'OwnerRemediated')
  const said = machineState({ machine, phase, node, version, conditions, now: context.now })
  // The old Ready says only that bootstrap and infrastructure are there.
  const ready = hasNewConditions(machine)
    ? statusOf(conditions, 'Ready') === 'True'
    : phase === 'Running' && statusOf(conditions, 'NodeHealthy') === 'True'
  const upToDate = statusOf(conditions, 'UpToDate')
  const available = statusOf(conditions, 'Available')
  const unknown = said.unknown && unknownError(said.unknown, namesOf(machine, node))
  return {
    ...(unknown ? { unknown } : {}),
    machine: {
      id: metadata.uid,
      provider: 'cluster.x-k8s.io',
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      workloadCluster: workloadClusterOf(machine),
      groupKind: owner.groupKind,
      groupName: owner.groupName,
      machineSet: owner.machineSet,
      controlPlane: owner.controlPlane,
      node,
      version,
      versionKey: versionKey(version),
      phase: phase || 'Unknown',
      failureDomain: text(status, 'failureDomain') ?? text(spec, 'failureDomain'),
      state: said.state,
      sentence: said.sentence,
      error: said.error,
      trouble: said.trouble,
      troubleWords: said.troubleWords,
      severity: Math.max(MACHINE_STATES[said.state], said.error ? ERROR_SEVERITY : 0),
      ready,
      available: available ? available === 'True' : ready,
      upToDate: upToDate === 'True' ? true : upToDate === 'False' ? false : null,
      updating: statusOf(conditions, 'Updating') === 'True',
      deleting: Boolean(metadata.deletionTimestamp),
      deletingSince: metadata.deletionTimestamp ?? null,
      deleteMarked: DELETE_MARK in annotations,
      notReadySince: ready ? null : notReadySince(machine, conditions),
      checkFailedSince: check?.status === 'False' ? check.lastTransitionTime : null,
      checkWords: check?.status === 'False' ? prose(check.message) || check.reason : null,
      remediationReason: remediated?.status === 'False' ? remediated.reason : null,
      remediationWords: remediated?.status === 'False' ? prose(remediated.message) || null : null,
      skipRemediation: SKIPS_REMEDIATION in annotations,
      skipMark: annotations[SKIP_MARK] ?? null,
      labels: metadata.labels ?? {},
      amiss: amissOf(conditions),
      // MachineSet's own rule: machineset_deletion_order.go, isMachineHealthy.
      unhealthy:
        !node || ['NodeHealthy', 'HealthCheckSucceeded'].some((type) => statusOf(conditions, type) === 'False'),
      plane: owner.controlPlane ? planeSaidOf(machine, conditions) : null,
      ...{ bootImage: null, bootImageVersion: null, provisionedSince: null, joining: null },
      providerId: text(spec, 'providerID'),
      resourceVersion: metadata.resourceVersion,
      createdAt: metadata.creationTimestamp,
    },
  }
}
