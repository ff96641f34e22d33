/** A machine that its check found ill. */
export interface Ill {
  kind: string
  /** OwnerRemediated, where that is False. */
  reason: string | null
  words: string | null
  deleting: boolean
  /** Somebody has its remediation skipped. */
  skipped: boolean
}

export interface About {
  /** Its group is held. */
  held: boolean
  /** Whatever remediates instead of its owner. */
  external: string | null
  /** Cluster API deletes it where it would move it to the new revision (v1.14 and later); null: not known. */
  deletesInstead: boolean | null
}

/**
 * What becomes of it: machineset_controller.go and kubeadmcontrolplane/remediation.go, reconcileUnhealthyMachines. Owners go by the
 * two conditions alone, and a check that skips a machine leaves them as they are: to skip it later saves no machine.
 */
export function fateWords(ill: Ill, about: About): string {
  const fate = ownFate(ill, about)
  const late = ill.skipped && !ill.deleting && ill.reason !== null
  return late ? `${fate} It was found ill before its remediation was skipped: that does not help it any more.` : fate
}

function ownFate({ kind, reason, words, deleting }: Ill, { held, external, deletesInstead }: About): string {
  const controlPlane = kind === 'KubeadmControlPlane'
  if (deleting || reason === 'MachineDeleting') return 'It is being deleted.'
  if (reason === null)
    return external
      ? `What becomes of it is up to its ${external}.`
      : 'Nothing is done about it: too many are ill for its health check, or it or its cluster is paused.'
  // A paused control plane does nothing; machine sets go on.
  if (controlPlane && held) return 'It is deleted when its control plane is let go, unless it is well by then.'
  if (reason === 'CannotBeRemediated' && !controlPlane)
    return deletesInstead === true
      ? 'It is of the old revision: when its turn comes it is deleted, not updated.'
      : 'It is of the old revision, and stays until its turn comes.'
  if (reason === 'WaitingForRemediation')
    return controlPlane ? 'Its control plane deletes it, if it can do without it.' : 'Its machine set deletes it next.'
  return reason === 'RemediationDeferred'
    ? `It is deleted later: ${words ?? 'its owner does not say why.'}`
    : (words ?? 'Its owner does not delete it.')
}
