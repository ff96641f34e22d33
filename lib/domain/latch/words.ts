import type { Governance, Holds, LatchForm, PoolsHeld } from './parts'
import {
  IN_SAME_WRITE,
  NOT_PAUSED,
  OF_PAUSING,
  POOL_KINDS,
  POOL_SIDE_EFFECTS,
  poolWebhook,
  WHY_POOLS,
} from './pool-words'

/** What the latch does and does not do on this cluster, in words, before anything is installed. */
export function latchWords(form: LatchForm, about: LatchAbout) {
  const { clusterApi, pools } = about.holds
  return {
    why: clusterApi ? WHY[form] : form === 'watch' && !about.pausesPools ? NOT_PAUSED : (WHY_POOLS[form] ?? WHY[form]),
    strength: clusterApi ? strength(form, about) : poolStrength(form, about),
    sideEffects: [...(clusterApi ? SIDE_EFFECTS : []), ...(pools ? POOL_SIDE_EFFECTS : [])],
  }
}

export interface LatchAbout {
  guard: boolean
  governance: Governance
  breakGlass: string
  holds: Holds
  /** How pools are held; null: there are none. */
  pools: PoolsHeld | null
  /** Drydock may patch them. */
  pausesPools: boolean
}

/** Where there are only pools of OpenShift. */
function poolStrength(form: LatchForm, { guard, governance, breakGlass, pausesPools }: LatchAbout): string[] {
  if (form === 'watch') return [...(pausesPools ? OF_PAUSING : []), ...chosenBy(governance), POOL_KINDS]
  return [
    ...inSameWrite(form),
    guard
      ? `Only Drydock, or a member of the group ${breakGlass}, can resume a pool that is held.`
      : 'This API server has no ValidatingAdmissionPolicy: anybody who may edit a pool can resume it. Drydock shows that, but cannot prevent it.',
    ...chosenBy(governance),
    POOL_KINDS,
  ]
}

const inSameWrite = (form: LatchForm): string[] => [IN_SAME_WRITE, ...(form === 'webhook' ? poolWebhook : [])]

/** Of pools, beside Cluster API's groups. */
function alsoPools(form: LatchForm, { pools, pausesPools }: LatchAbout): string[] {
  if (pools === null) return []
  if (pools === 'pausing' && !pausesPools) return [NOT_PAUSED, POOL_KINDS]
  if (form === 'watch') return [POOL_KINDS]
  return [...(pools === 'same-write' ? inSameWrite(form) : OF_PAUSING), POOL_KINDS]
}

const WHY: Record<LatchForm, string> = {
  'policy-v1':
    'The API server evaluates MutatingAdmissionPolicy itself (v1): no process of Drydock has to live for a change to be held.',
  'policy-v1beta1':
    'The API server evaluates MutatingAdmissionPolicy itself (v1beta1): no process of Drydock has to live for a change to be held.',
  webhook:
    'This API server has no MutatingAdmissionPolicy (it is served since Kubernetes 1.36, as beta before): a webhook with the same conditions holds changes, served by Drydock’s update gate.',
  watch:
    'This API server is older than Kubernetes 1.30 and can carry no latch: Drydock watches the governed groups instead, and pauses one when it sees it changed. Nothing is installed in the cluster.',
}

const OUTAGE =
  'While no worker of Drydock runs, its database is away, or it cannot reach this API server, nothing is held. What is left of such a change is held when Drydock is back, and the fleet says meanwhile that nothing is held here.'
const OF_WATCHING = [
  'A change is paused after it was stored, within a fraction of a second where nothing is busy: controllers may have begun by then. A control plane makes its first new machine about a second and a half after the change, a MachineDeployment’s sets may do so at once. What has begun goes on or stands as it is; the page of the change says which.',
  OUTAGE,
  'A further change of what was released and rolls is paused again, in the same way; what is held stays held, whatever becomes of Drydock.',
  'There is no guard: anybody who may patch a group can take its pause away, also a tool that writes whole objects. Drydock pauses it again, each time, and says how often: what nobody approved gets no further than it gets in such a moment, which is the race above. Approving it, having it not wait for its times, ending that the group is governed, or Stop watching let it go. While Drydock is down nothing is put back. A break-glass group means nothing here.',
  'It cannot be tried by a dry run: that it holds is seen only when it does.',
  'On Kubernetes 1.30 and later Drydock installs the latch itself, by which all of this is over; what is held by then stays held.',
]

/** Whatever the form: which kinds it is for. */
const KINDS =
  'Held are MachineDeployments and KubeadmControlPlanes, with any infrastructure provider and any version of Cluster API that Drydock reads; before 1.12 every change replaces machines. Not held: MachinePools, control planes of other providers, and machine sets that stand alone.'

function strength(form: LatchForm, about: LatchAbout): string[] {
  const { guard, governance, breakGlass: group } = about
  const also = [...chosenBy(governance), KINDS, ...alsoPools(form, about)]
  if (form === 'watch') return [...OF_WATCHING, NOT_PREVENTED, ...also]
  const lines = [
    'A write that would roll out machines of a governed group is paused in that same write, before any controller has seen it, whoever writes it and through whichever API version.',
    'A further change of something that is held, or already released and rolling, is held again.',
    guard
      ? `Only Drydock, or a member of the group ${group}, can remove the hold and the pause.`
      : 'This API server has no ValidatingAdmissionPolicy: anybody who may edit a group can remove its hold. Drydock shows that, but cannot prevent it.',
    NOT_PREVENTED,
  ]
  if (form === 'webhook') {
    lines.push(
      'While Drydock’s gate cannot be reached, writes that would roll out governed machines are refused; scaling, labels and everything else go through.',
    )
  } else {
    lines.push(
      'The API server evaluates no policy on policies: whoever may edit admission policies can remove the latch. Drydock notices within seconds, says so and puts it back; what is held meanwhile stays paused.',
    )
  }
  return [...lines, ...also]
}

const NOT_PREVENTED =
  'Not prevented: deleting machines or whole groups by hand, writing what a group owns (its machine sets, its machines) instead of the group, and whoever may impersonate Drydock’s user.'

function chosenBy({ governs }: Governance): string[] {
  if (governs === 'namespace-label') return ['Whoever may label namespaces decides what is governed.']
  if (governs === 'object-label')
    return [
      'Whoever may label a group decides whether it is governed: a label taken away first is not seen by the latch.',
    ]
  return governs === 'none' ? ['No groups are governed: nothing new is held; what is held stays so.'] : []
}

const SIDE_EFFECTS = [
  'A held MachineDeployment is not scaled (unless its policy says scaleWhileHeld), does not pass on labels and time-outs, and its status stands still.',
  'A held control plane is not scaled, its machines are not remediated, and certificates and the kubeconfig are not renewed.',
  'While a control plane’s version change is held, its workload cluster gets no new worker machines.',
]
