import { gatesFor, type Capabilities, type GroupKind } from '@/lib/domain/capabilities'
import { GATE_ALONE } from '@/lib/domain/latch/gate-alone'
import type { ChipTone, Step } from '@/components/ui'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { GateStatus } from '@/lib/services/gate/status'
import type { LatchStatus } from '@/lib/services/latch/status'

/** State of a connection in a word, with the tone of its chip. */
export const STATES: Record<string, { word: string; tone: ChipTone }> = {
  pending: { word: 'connecting', tone: 'plain' },
  connected: { word: 'connected', tone: 'good' },
  unreachable: { word: 'unreachable', tone: 'bad' },
  unauthorised: { word: 'credentials refused', tone: 'bad' },
  disconnected: { word: 'disconnected', tone: 'plain' },
}

export const GOVERNS: Record<string, string> = {
  none: 'no group',
  all: 'every group',
  'namespace-label': 'groups in labelled namespaces',
  'object-label': 'labelled groups',
}

/** "Kubernetes v1.36.3, Cluster API v1.14.0 (v1beta2), OpenShift 4.22.4". */
export function versions(found: Capabilities | null): string {
  if (!found) return 'not asked yet'
  return [
    `Kubernetes ${found.kubernetes}`,
    found.clusterApi &&
      `Cluster API ${found.clusterApi.version ?? ''} (${found.clusterApi.apiVersion})`.replace('  ', ' '),
    found.openshift && `OpenShift ${found.openshift.version ?? ''}`.trim(),
  ]
    .filter(Boolean)
    .join(', ')
}

/** What follows from the feature gates, in a sentence. */
export function inPlaceWords(found: Capabilities): string {
  const { inPlaceUpdates, runtimeSdk } = found.gates
  if (!found.clusterApi) return 'There is no Cluster API here.'
  const isOff = (kind: GroupKind) => gatesFor(found.gates, kind).some(({ state }) => state === 'off')
  if (!isOff('MachineDeployment') && isOff('KubeadmControlPlane'))
    return 'In-place updates are on for MachineDeployments and off for control planes, which are always replaced.'
  if (inPlaceUpdates.state === 'off' || runtimeSdk.state === 'off')
    return `In-place updates are off here: every change is a replacement. ${found.latch.policy || found.latch.webhook ? 'A latch would hold all the same.' : 'No latch can hold it here.'}`
  if (inPlaceUpdates.state === 'on' && runtimeSdk.state === 'on')
    return 'In-place updates are on: the update gate, where it is registered, decides between in place and replacing.'
  return 'Whether in-place updates are on is not known for certain. With the gate registered, its first question tells.'
}

/** What the latch can be on this API server. */
export function latchWords(found: Capabilities): string {
  const guard = found.latch.guard ? '' : ' It cannot be guarded on this server: an administrator could release by hand.'
  if (found.latch.policy)
    return `The latch can be admission policy (${found.latch.policy}): it holds even while Drydock is down.${guard}`
  if (found.latch.webhook)
    return `This API server has no MutatingAdmissionPolicy: the latch is a webhook. While Drydock is down, rollout-causing writes are refused.${guard}`
  return 'This API server is older than Kubernetes 1.30 and can carry no latch: Drydock can watch here and pause what changed, after the change and only while it runs.'
}

/** What is asked for is barred by what Drydock may not do; how pools are held now they may be again. */
export const isBarred = (
  { barred }: { barred: string | null },
  { pools }: { pools?: string },
  policy: { governs: string; pools: string | null },
): boolean => barred !== null && pools !== undefined && (pools !== policy.pools || policy.governs === 'none')

/** This API server can carry neither form of a latch. */
export const canCarryNone = ({ discovery }: Pick<ClusterDetail, 'discovery'>): boolean =>
  discovery !== null && !discovery.latch.policy && !discovery.latch.webhook

export const governedWords = (governs: string): string => GOVERNS[governs] ?? governs

/** Which form of the latch is there, and who may let go in an emergency. */
export function installedWords({
  latch,
  policy,
  discovery,
}: Pick<ClusterDetail, 'latch' | 'policy' | 'discovery'>): string {
  if (latch.form === 'watch')
    return canCarryNone({ discovery })
      ? 'This API server can carry no latch, and none guards what is held: anybody who may edit a group can take its pause away.'
      : 'Drydock watches and pauses, as somebody chose; no latch is installed, and none guards what is held: anybody who may edit a group can take its pause away.'
  const form = latch.form === 'policy' ? 'admission policy' : 'a webhook'
  return `The latch is installed as ${form}; in an emergency the group ${policy.breakGlass} may release.`
}

/** Without a latch: what was held before stays paused, and nobody watches over that. */
export function notInstalledWords({ counts: { held }, gate }: Pick<ClusterDetail, 'counts' | 'gate'>): string {
  const but = gate.state === 'registered' ? ', but for what Cluster API asks the update gate about' : ''
  if (held === 0) return `The latch is not installed: nothing is held here${but}.`
  const stay =
    held === 1
      ? 'One group that was held before stays paused and unguarded: anybody who may edit it can let it go.'
      : `${held} groups that were held before stay paused and unguarded: anybody who may edit one can let it go.`
  return `The latch is not installed: nothing new is held here${but}. ${stay}`
}

/** What other credentials are for what is held: whether anything but Drydock holds it. */
export const staysHeldWords = ({ latch: { form } }: Pick<ClusterDetail, 'latch'>): string =>
  form === 'policy' || form === 'webhook'
    ? 'What is held stays held: the API server holds it, not this connection.'
    : `What is held stays paused, and nothing guards it: anybody who may edit a group can take its pause away${
        form === 'watch' ? ', and as long as Drydock does not watch, nothing pauses it again' : ''
      }.`

/** What the last look at the latch found, as the page has heard it. */
export const latchOf = (cluster: Pick<ClusterDetail, 'latch'>) => cluster.latch.status as unknown as LatchStatus | null
export const gateOf = (cluster: Pick<ClusterDetail, 'gate'>) => cluster.gate.status as unknown as GateStatus | null

/** The latch was seen to be what it should be: a trial write was held, or where none can be tried, Drydock watches. */
export const isSeen = ({ proved, state }: LatchStatus): boolean => proved === true || state === 'watching'

/** The third tick of a latch: a write that the API server was asked to try, and held. */
export function trialWrite(governs: string, seen: LatchStatus | null, written: boolean): Step {
  if (seen?.watch) {
    const watches = written && seen.state === 'watching'
    return {
      label: 'Seen: Drydock watches the groups',
      mark: watches ? 'done' : 'waiting',
      words: watches ? 'there is nothing that could be tried' : seen.message,
    }
  }
  const proved = written && seen?.state === 'intact' && seen.proved === true
  const words = (): string => {
    if (proved || !seen) return ''
    if (governs === 'none') return 'nothing is governed: there is nothing to try'
    if (seen.state === 'intact' && seen.proved === null) return 'there is no governed group yet to try it on'
    return seen.message
  }
  return { label: 'Seen: a trial write was held', mark: proved ? 'done' : 'waiting', words: words() }
}

type Governed = Pick<ClusterDetail['policy'], 'governs' | 'labelKey' | 'labelValue'>

/** The label that governs; null: none does, whatever was chosen before. */
export const labelOf = ({ governs, labelKey, labelValue }: Governed): string | null =>
  labelKey && governs.endsWith('-label') ? `${labelKey}${labelValue ? `=${labelValue}` : ''}` : null

/** Where there are only pools, the form is chosen when it is installed: how to come to the other one. Null: it is chosen here, or there are none. */
export function otherFormWords({ latch, policy }: Pick<ClusterDetail, 'latch' | 'policy'>): string | null {
  if (policy.pools === null || latch.form === 'none') return null
  return latch.form === 'watch'
    ? 'To have pools latched in the same write instead: Stop watching…, then Choose and install…. What is held stays held.'
    : 'To have pools held by pausing instead: Remove the latch…, then Choose and install…. What is held stays held; what comes in between is not.'
}

/** What choosing other groups means, said before it is chosen. */
export function whatFollows(cluster: ClusterDetail, chosen: Governed): string[] {
  const label = labelOf(chosen)
  // The gate is asked about every group, governed or not.
  const but = cluster.gate.state === 'registered' ? ', but for what Cluster API asks the update gate about' : ''
  const which: Record<string, string> = {
    none: `No group is governed any more: every new change goes ahead by itself${but}.`,
    all: 'Every group of this management cluster is governed: each change of one waits until it is approved, or goes by itself where its policy asks nobody.',
    'namespace-label': `Groups in namespaces labelled ${label ?? '…'} are governed; changes of all others go ahead by themselves${but}.`,
    'object-label': `Groups labelled ${label ?? '…'} are governed; changes of all others go ahead by themselves${but}.`,
  }
  const { held } = cluster.counts
  return [
    ...(which[chosen.governs] ? [which[chosen.governs]!] : []),
    held > 0
      ? `What is held stays held (${held} now), also where its group is no longer governed: approve, reject or revert it.`
      : 'Nothing is held now; what is held stays held whatever is chosen here.',
    ...(but && chosen.governs !== 'all' ? GATE_ALONE : []),
    'An update that is under way goes on.',
    cluster.latch.form === 'none'
      ? 'The latch is not installed from here: until it is, or until these objects are applied from Git, nothing is held.'
      : cluster.latch.form === 'watch'
        ? 'Drydock goes by it at once. What has changed unpaused by then goes on.'
        : 'The bindings of the latch follow at once, and a trial write (as a dry run) proves them.',
  ]
}
