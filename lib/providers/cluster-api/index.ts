import type { Projection } from '../rows'
import { projectCluster } from './cluster'
import { projectGroup } from './group'
import { projectHealthCheck } from './health-check'
import { projectMachine } from './machine'

export { DELETE_MARK, projectMachine } from './machine'
export { managed, specWrittenSince, versionAuthor, writerSince, writtenAt } from './managed'
export { pauseOf } from './pause'
export { rolloutShapeOf, type RolloutShape } from './group'
export { isMoving } from './moving'
export { stillInEtcd } from './plane'
export { JOIN_MINUTES, MOVED, NO_NODE } from './machine-state'

/** What becomes of each watched resource of Cluster API; the others are only kept for those who follow them. */
export const clusterApiRows: Record<string, Projection> = {
  'clusters.cluster.x-k8s.io': projectCluster,
  'machinedeployments.cluster.x-k8s.io': projectGroup,
  'machinesets.cluster.x-k8s.io': projectGroup,
  'machinepools.cluster.x-k8s.io': projectGroup,
  'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io': projectGroup,
  'machines.cluster.x-k8s.io': projectMachine,
  'machinehealthchecks.cluster.x-k8s.io': projectHealthCheck,
}
