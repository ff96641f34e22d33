/** On a Machine: no MachineHealthCheck looks at it (machinehealthcheck_targets.go, shouldSkipRemediation). Presence counts. */
export const SKIPS_REMEDIATION = 'cluster.x-k8s.io/skip-remediation'
/** On a Machine: somebody wants it remediated, whatever its state; its checks then call it ill, and say this. */
export const REMEDIATE = 'cluster.x-k8s.io/remediate-machine'
/** As Drydock sets it: what has another value was set, or taken over, by somebody else. */
export const SKIPPED_BY_DRYDOCK = 'drydock'
/** The change for which Drydock set the other one. */
export const SKIP_MARK = 'drydock.dev/skips-remediation'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Anybody may have written a mark. */
export const namesChange = (mark: string): boolean => UUID.test(mark)

type Annotations = Readonly<Record<string, string>>
type Patch = Record<string, string | null>

/**
 * What to write so that remediation of a machine is skipped for a change; null: nothing. What somebody else set stays as it is, and
 * what somebody took away is not set again; `before`: it was set for this change already.
 */
export function skipping(annotations: Annotations, changeId: string, before: boolean): Patch | null {
  const mark = annotations[SKIP_MARK]
  // For another change: the machine goes on as it is, for this one.
  if (mark !== undefined) return mark === changeId ? null : { [SKIP_MARK]: changeId }
  if (SKIPS_REMEDIATION in annotations || before) return null
  return { [SKIPS_REMEDIATION]: SKIPPED_BY_DRYDOCK, [SKIP_MARK]: changeId }
}

/** What to write so that it is as it was before; null: nothing of ours is there. */
export function restoring(annotations: Annotations): Patch | null {
  if (!(SKIP_MARK in annotations)) return null
  const ours = annotations[SKIPS_REMEDIATION] === SKIPPED_BY_DRYDOCK
  return { [SKIP_MARK]: null, ...(ours ? { [SKIPS_REMEDIATION]: null } : {}) }
}

/** A machine that is not Ready so long after its update is left to its health check. */
export const LEFT_AFTER_MIN = 20
