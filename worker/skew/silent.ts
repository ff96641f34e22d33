import type { Unheard } from '@/lib/domain/skew/unheard'
import type { ClusterView, Silent } from '../types'

/** What the verdict is made of. */
const OF_VERDICT = {
  'machineconfigurations.operator.openshift.io': 'MachineConfiguration',
  'clusterversions.config.openshift.io': 'ClusterVersion',
  'infrastructures.config.openshift.io': 'Infrastructure',
} as const
/** What the images of new machines are told by. */
const OF_IMAGES = {
  'machinesets.machine.openshift.io': 'MachineSets',
  'configmaps/coreos-bootimages': 'ConfigMap coreos-bootimages',
} as const
const OF_BARE_METAL = { 'provisionings.metal3.io': 'Provisioning' } as const
const OPERATOR = 'clusteroperators.config.openshift.io'

export interface SilentParts {
  verdict: Unheard | null
  images: Unheard | null
  /** What the ClusterOperator says is not heard, either. */
  operator: boolean
  /** Streams of both. */
  streams: string[]
}

/** What of a cluster's boot images is not heard any more; `anew`: also what never was, and so keeps all from being judged. Else nothing of that is old. */
export function silentParts(view: ClusterView, platform: string | null, anew = false): SilentParts {
  const silent = view.silent?.() ?? new Map<string, Silent>()
  const streams: string[] = []
  const first = (of: Readonly<Record<string, string>>): Unheard | null => {
    const found = Object.keys(of).filter((stream) => silent.has(stream) && (anew || silent.get(stream)!.isListed))
    streams.push(...found)
    const [stream] = found
    return stream === undefined ? null : { what: of[stream]!, message: silent.get(stream)!.message }
  }
  const [verdict, images] = [first(OF_VERDICT), first(OF_IMAGES)]
  const bare = anew || platform === 'BareMetal' ? first(OF_BARE_METAL) : null
  return { verdict, images: images ?? bare, operator: silent.has(OPERATOR), streams }
}
