import type { Arch } from './stream'
import type { ImageContext, ImageSet } from './types'

const ANNOTATION = 'capacity.cluster-autoscaler.kubernetes.io/labels'
const NAMES = new Map<string, Arch>([
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
  ['ppc64le', 'ppc64le'],
  ['s390x', 's390x'],
])

export type ArchAnswer = { arch: Arch } | { skip: string } | { error: string }

/** Architecture of a set's machines: the autoscaler's annotation, else the control plane's where there is only one (getArchFromMachineSet). */
export function archOf(set: ImageSet, context: ImageContext): ArchAnswer {
  if (set.kind === 'ControlPlaneMachineSet') return { arch: context.controlPlaneArch }
  const annotation = set.annotations[ANNOTATION]
  if (annotation === undefined)
    return context.multiArch
      ? {
          skip: `The cluster has several architectures and the set does not say which one it is for: annotate it with ${ANNOTATION}.`,
        }
      : { arch: context.controlPlaneArch }
  const item = annotation
    .split(',')
    .map((part) => part.trim())
    .find((part) => part.startsWith('kubernetes.io/arch='))
  const value = item?.slice('kubernetes.io/arch='.length)
  const arch = value === undefined ? undefined : NAMES.get(value)
  if (arch) return { arch }
  return {
    error:
      value === undefined
        ? `Its annotation ${ANNOTATION} names no kubernetes.io/arch.`
        : `Its annotation ${ANNOTATION} names the architecture ${value || '(empty)'}; known are amd64, arm64, ppc64le and s390x.`,
  }
}
