import { ARCHES, type Arch } from './stream'
import type { ImageContext, ImageSet } from './types'

const ANNOTATION = 'capacity.cluster-autoscaler.kubernetes.io/labels'

export const saysArch = (annotations: Readonly<Record<string, string>> = {}): boolean =>
  annotations[ANNOTATION] !== undefined

/** `unknown`: the operator knows it, and Drydock does not; `assumed`: it takes it for that, whatever it is. */
export type ArchAnswer = { arch: Arch; assumed?: true } | { skip: string } | { error: string } | { unknown: string }

/** Architecture of a set's machines: the autoscaler's annotation, else the control plane's where there is only one (getArchFromMachineSet). */
export function archOf(set: ImageSet, context: ImageContext): ArchAnswer {
  if (set.kind === 'ControlPlaneMachineSet') return ofControlPlane(context)
  const annotation = set.annotations[ANNOTATION]
  if (annotation === undefined) return unsaid(context)
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

const UNSAID = 'The release is for several architectures and the set does not say which one it is for'

function unsaid(context: ImageContext): ArchAnswer {
  const { multiArch, asksForArch = 'yes' } = context
  if (!multiArch) return ofControlPlane(context)
  if (asksForArch === 'no') {
    const answer = ofControlPlane(context)
    return 'arch' in answer ? { ...answer, assumed: true } : answer
  }
  if (asksForArch === 'yes')
    return { skip: `${UNSAID}, so the operator leaves its image as it is: annotate it with ${ANNOTATION}.` }
  return {
    unknown: `${UNSAID}. An operator from before 4.20, or of 4.20 from before January 2026, takes it for the control plane’s and writes that image, a later one leaves it as it is: annotate it with ${ANNOTATION}.`,
  }
}

const ofControlPlane = ({ controlPlaneArch }: ImageContext): ArchAnswer =>
  controlPlaneArch
    ? { arch: controlPlaneArch }
    : {
        unknown:
          'Which architecture the control plane’s machines have is not known, and so not which image the release wants here: none of its nodes has been read, or they differ.',
      }

/** What becomes of new machines of a set whose architecture the operator assumes. */
export const assumesWords = (arch: Arch): string =>
  `It does not say which architecture it is for, and the operator of this release takes it for the control plane’s, ${arch}: where it is for another, annotate it with ${ANNOTATION}, or its new machines do not start.`

/** Of a set's reason, what is said of that. */
export const assumedIn = (reason: string): string =>
  /It does not say which architecture it is for, and .*?, or its new machines do not start\./.exec(reason)?.[0] ?? ''
