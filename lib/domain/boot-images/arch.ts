import { ARCHES, type Arch } from './stream'
import type { ImageContext, ImageSet } from './types'

const ANNOTATION = 'capacity.cluster-autoscaler.kubernetes.io/labels'

export const saysArch = (annotations: Readonly<Record<string, string>> = {}): boolean =>
  annotations[ANNOTATION] !== undefined

/** `unknown`: the operator knows it, and Drydock does not. */
export type ArchAnswer = { arch: Arch } | { skip: string } | { error: string } | { unknown: string }

/** Architecture of a set's machines: the autoscaler's annotation, else the control plane's where there is only one (getArchFromMachineSet). */
export function archOf(set: ImageSet, context: ImageContext): ArchAnswer {
  if (set.kind === 'ControlPlaneMachineSet') return ofControlPlane(context)
  const annotation = set.annotations[ANNOTATION]
  if (annotation === undefined)
    return context.multiArch
      ? {
          skip: `The release is for several architectures and the set does not say which one it is for, so the operator leaves its image as it is: annotate it with ${ANNOTATION}.`,
        }
      : ofControlPlane(context)
  const item = annotation
    .split(',')
    .map((part) => part.trim())
    .find((part) => part.startsWith('kubernetes.io/arch='))
  const value = item?.slice('kubernetes.io/arch='.length)
  const arch = value === undefined ? undefined : ARCHES.get(value)
  if (arch) return { arch }
  return {
    error:
      value === undefined
        ? `Its annotation ${ANNOTATION} names no kubernetes.io/arch.`
        : `Its annotation ${ANNOTATION} names the architecture ${value || '(empty)'}; known are amd64, arm64, ppc64le and s390x.`,
  }
}

const ofControlPlane = ({ controlPlaneArch }: ImageContext): ArchAnswer =>
  controlPlaneArch
    ? { arch: controlPlaneArch }
    : {
        unknown:
          'Which architecture the control plane’s machines have is not known, and so not which image the release wants here: none of its nodes has been read, or they differ.',
      }
