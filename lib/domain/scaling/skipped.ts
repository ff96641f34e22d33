import { SKIP_PREFLIGHT, SKIPPED } from './names'

/**
 * Checks that fail for workers while a higher version of their control plane waits, though nothing of it has begun: each compares
 * with the version that the control plane wants, not the one that it has (cluster-api v1.14, machineset_preflight.go).
 */
export const CHECKS = ['ControlPlaneIsStable', 'KubeadmVersionSkew', 'ControlPlaneVersionSkew']

type Annotations = Readonly<Record<string, string>>
type Patch = Record<string, string | null>

const listed = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((check) => check.trim())
    .filter(Boolean)

const withChecks = (before: string): string => [...new Set([...listed(before), ...CHECKS])].join(',')

/** Annotations of a machine set so that those checks are not made; null: they are not as it is. */
export function skip(annotations: Annotations): Patch | null {
  // Whoever took one of them away meanwhile meant that.
  if (SKIPPED in annotations) return null
  const now = annotations[SKIP_PREFLIGHT]
  const has = listed(now)
  if (has.includes('All') || CHECKS.every((check) => has.includes(check))) return null
  return { [SKIP_PREFLIGHT]: withChecks(now ?? ''), [SKIPPED]: now ?? '' }
}

/** Annotations as they were before; what somebody else wrote meanwhile stays. Null: nothing was changed here. */
export function unskip(annotations: Annotations): Patch | null {
  const before = annotations[SKIPPED]
  if (before === undefined) return null
  const ours = annotations[SKIP_PREFLIGHT] === withChecks(before)
  return { [SKIPPED]: null, ...(ours ? { [SKIP_PREFLIGHT]: before === '' ? null : before } : {}) }
}
