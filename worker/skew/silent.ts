import type { Unheard } from '@/lib/domain/unheard'
import { silenceOf } from '../silence'
import type { ClusterView } from '../types'
import { isOperatorSilent, MAP, PLANES } from './objects'

export const VERSIONS = 'clusterversions.config.openshift.io'
/** What the verdict is made of. */
const OF_VERDICT = {
  'machineconfigurations.operator.openshift.io': 'MachineConfiguration',
  [VERSIONS]: 'ClusterVersion',
  'infrastructures.config.openshift.io': 'Infrastructure',
} as const
/** What the images of new machines are told by. */
const OF_IMAGES = {
  'machinesets.machine.openshift.io': 'MachineSets',
} as const
/** The same. Nothing waits for it, so one that never was heard counts as well. */
const OF_MAP = { [MAP]: 'ConfigMap coreos-bootimages' } as const
/** And for it; a cluster that does not serve it has none. */
const OF_PLANES = { [PLANES]: 'ControlPlaneMachineSet' } as const
const OF_BARE_METAL = { 'provisionings.metal3.io': 'Provisioning' } as const

export interface SilentParts {
  verdict: Unheard | null
  images: Unheard | null
  /** Of these, what the record is supported by: it passes over the control plane's set. */
  record: Unheard | null
  /** What the ClusterOperator says is not heard: then it says nothing. */
  operator: boolean
  /** Streams of both. */
  streams: string[]
}

/** What of a cluster's boot images is not heard any more; `anew`: also what never was, and so keeps all from being judged. Else nothing of that is old. */
export function silentParts(view: ClusterView, platform: string | null, anew = false): SilentParts {
  const [verdict, images] = [silenceOf(view, OF_VERDICT, anew), silenceOf(view, OF_IMAGES, anew)]
  const [map, planes] = [silenceOf(view, OF_MAP, true), silenceOf(view, OF_PLANES, true)]
  const bare = anew || platform === 'BareMetal' ? silenceOf(view, OF_BARE_METAL, anew) : null
  const record = images.unheard ?? map.unheard ?? bare?.unheard ?? null
  return {
    verdict: verdict.unheard,
    images: record ?? planes.unheard,
    record,
    operator: isOperatorSilent(view),
    streams: [verdict, images, map, planes, bare].flatMap((part) => part?.streams ?? []),
  }
}
