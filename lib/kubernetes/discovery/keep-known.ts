import type { Capabilities } from '@/lib/domain/capabilities'

/**
 * What could not be read of a schema is as it was found before, on the same cluster: what a release has, those after it have as well;
 * what it lacks they need not.
 */
export function keepKnown(found: Capabilities, before: Capabilities | null): Capabilities {
  const [now, was] = [found.openshift, before?.openshift]
  if (!now || !was || now.skew !== null || before?.uid !== found.uid) return found
  const { skew, controlPlanes, managed } = was
  if (now.version === was.version) return { ...found, openshift: { ...now, skew, controlPlanes, managed } }
  return { ...found, openshift: { ...now, skew: skew || null, controlPlanes: controlPlanes || null } }
}
