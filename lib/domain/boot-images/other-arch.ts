import type { Decide, Decision, PlatformInput } from './platforms/shared'
import type { Arch, Stream } from './stream'

/**
 * An image that the operator would replace, or might, may be this release's own, and for other machines: that tells whose it is.
 * `assumed`: what its machines are is not known.
 */
export function toldByArch(
  found: Decision,
  decide: Decide,
  { arch, spec, context }: PlatformInput,
  architectures: Stream['architectures'],
  assumed = false,
): Decision {
  if (found.cause !== 'none' || !found.change) return found
  // By the release alone: nobody is asked once more.
  const { cloud: _, data: _data, ...alone } = context
  const other = Object.entries(architectures).find(
    ([name, images]) =>
      name !== arch && images && decide({ spec, arch: name as Arch, images, context: alone }).state === 'current',
  )?.[0]
  if (!other) return found
  if (assumed) return { ...found, state: 'unknown', cause: 'no-arch', reason: `The release’s image for ${other}.` }
  const reason = `The release’s image for ${other}, and its machines are ${arch}: none can start from it.`
  return { ...found, state: 'outdated', cause: 'other-arch', reason }
}
