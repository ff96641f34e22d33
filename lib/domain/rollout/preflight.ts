/** The control plane of the cluster that a group of workers belongs to. */
export interface Plane {
  name: string
  version: string | null
  /** A version change of its own is not over (held, under way or waiting), or stands in the same plan. */
  changing: false | 'open' | 'planned'
  /** Its cluster is made from a ClusterClass. */
  topology: boolean
}

/**
 * Why Cluster API would create no machine of a worker group now, each in one sentence (core, machineset_preflight.go:
 * ControlPlaneIsStable, KubernetesVersionSkew, KubeadmVersionSkew, ControlPlaneVersionSkew). Empty: nothing is known that
 * stands against it.
 */
export function preflightNotes(version: string | null, plane: Plane | null): string[] {
  if (!plane) return []
  const [workers, control] = [minorOf(version), minorOf(plane.version)]
  const notes = [
    ...(plane.changing
      ? [
          `The control plane ${plane.name} ${CHANGING[plane.changing]}: before that is over, Cluster API creates no machine of this group, and what needs a new one stands still (preflight checks, unless they are skipped).`,
        ]
      : []),
    ...(workers !== null && control !== null && workers !== control
      ? [
          `New machines would be ${version}, and the control plane ${plane.name} is to run ${plane.version}: where nodes join by kubeadm, or are to be newer than their control plane, Cluster API creates none, and what needs a new one stands still (preflight checks, unless they are skipped).`,
        ]
      : []),
    ...(plane.topology && version && plane.version && workers === control && version !== plane.version
      ? [
          `New machines would be ${version}, and the control plane ${plane.name} is to run ${plane.version}: in a cluster made from a ClusterClass, Cluster API creates none before the two are the same, and what needs a new one stands still (preflight checks, unless they are skipped).`,
        ]
      : []),
  ]
  return notes.map((note, i) => (i < notes.length - 1 ? note : `${note} Times are counted from when that is over.`))
}

/**
 * What stands against workers of a minor version that their control plane has not: also in place, where Cluster API checks nothing
 * of the kind. Null: nothing.
 */
export function aheadWords(version: string, plane: Pick<Plane, 'name' | 'version'>): string | null {
  const [workers, control] = [minorOf(version), minorOf(plane.version)]
  if (workers === null || control === null || workers <= control) return null
  return `These machines would be ${version}, and the control plane ${plane.name} is at ${plane.version}: Kubernetes does not support a kubelet that is newer than its API server. Update the control plane first.`
}

const CHANGING = {
  open: 'has a version change of its own that is not over',
  planned: 'is to change its version, too',
}

/** Days that kubeadm makes certificates for, where nobody says otherwise. */
const CERTIFICATE_DAYS = 365

/**
 * Why a control plane would be replaced without end: Cluster API replaces every machine whose certificates expire within so
 * many days, and those of a new one do, too (KubeadmControlPlane spec.rollout.before.certificatesExpiryDays).
 */
export function endlessNotes(days: unknown): string[] {
  return typeof days === 'number' && days >= CERTIFICATE_DAYS
    ? [
        `Machines are replaced ${days} days before their certificates expire. These are made for ${CERTIFICATE_DAYS} days, unless the cluster says otherwise: each new machine would be due at once, and the control plane be replaced again and again.`,
      ]
    : []
}

/**
 * Of what is updated in place with another infrastructure: it is written onto objects that are there, and many providers do
 * not let them be changed (inplace_canupdatemachine.go, createRequest; machineset_controller.go, completeMoveMachine).
 */
export const infrastructureNote = (kind: string): string =>
  kind === 'KubeadmControlPlane'
    ? 'The infrastructure of machines that are there would be changed. Cluster API tries that first: where the provider does not allow it, the machine is replaced without anybody being asked.'
    : 'The infrastructure of machines that are there would be changed. Cluster API does not try that before: where the provider does not allow it, the first machine hangs in its update.'

const minorOf = (version: string | null): number | null => {
  const minor = /^v?\d+\.(\d+)\./.exec(version ?? '')?.[1]
  return minor === undefined ? null : Number(minor)
}
