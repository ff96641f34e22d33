import type { KubeObject } from '@/lib/kubernetes/types'
import { text } from '../fields'
import type { Condition, StateOfMachine } from '@/lib/domain/rows'
import { prose, sentence } from './conditions'

/** After this long without a node a machine is not on its way any more: it never joined. */
export const JOIN_MINUTES = 20

export interface StateInput {
  machine: KubeObject
  phase: string
  node: string | null
  version: string | null
  conditions: Condition[]
  now: number
}

type Answer = StateOfMachine | undefined

/** What a person should know of the machine, worst first: the first rule that has something to say decides. */
export function machineState(input: StateInput): StateOfMachine {
  const rules = [terminal, deleting, inPlace, unhealthy, provisioning, running]
  for (const rule of rules) {
    const answer = rule(input, (type) => input.conditions.find((c) => c.type === type))
    if (answer) return paused(answer, input)
  }
  return { state: 'unknown', sentence: 'Its controllers have not reported on it yet.', error: null }
}

type Find = (type: string) => Condition | undefined

function terminal({ machine, phase, version }: StateInput): Answer {
  const where = machine.apiVersion.endsWith('/v1beta1') ? [] : ['deprecated', 'v1beta1']
  const message = text(machine.status, ...where, 'failureMessage')
  const reason = text(machine.status, ...where, 'failureReason')
  if (phase !== 'Failed' && !message && !reason) return undefined
  const error =
    [reason, message].filter(Boolean).join(': ') || 'Its provider reports a terminal failure without a message.'
  return {
    state: 'failed',
    sentence: sentence(`Failed for good${version ? ` on the way to ${version}` : ''}: ${error}`),
    error,
  }
}

const STAGES: Record<string, string> = {
  WaitingForPreDrainHook: 'waiting for a pre-drain hook',
  DrainingNode: 'draining its node',
  WaitingForVolumeDetach: 'waiting for volumes to be detached',
  WaitingForPreTerminateHook: 'waiting for a pre-terminate hook',
  WaitingForInfrastructureDeletion: 'waiting for its infrastructure to be deleted',
  WaitingForBootstrapDeletion: 'waiting for its bootstrap config to be deleted',
  DeletingNode: 'deleting its node',
  InternalError: 'its deletion failed',
}

function deleting({ machine, phase }: StateInput, find: Find): Answer {
  if (!machine.metadata.deletionTimestamp && phase !== 'Deleting' && phase !== 'Deleted') return undefined
  const now = find('Deleting') ?? olderDrain(find)
  const stage = now && STAGES[now.reason]
  const message = prose(now?.message ?? '')
  const stuck =
    now?.reason === 'InternalError' ||
    /disruption budget|cannot evict|failed to evict|evictions? (failed|blocked)/i.test(message)
  const words = ['Being deleted', stage && `: ${stage}`, message && ` (${message})`].filter(Boolean).join('')
  return { state: 'deleting', sentence: sentence(words), error: stuck ? message || words : null }
}

/** Objects of before v1.9 tell the drain by a condition of its own. */
function olderDrain(find: Find): Condition | undefined {
  const drain = find('DrainingSucceeded')
  return drain?.status === 'False' ? { ...drain, reason: 'DrainingNode' } : undefined
}

/** Set by Cluster API when a machine is chosen, seconds before its condition and its version say so. */
const IN_PROGRESS = 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress'

function inPlace({ machine, version }: StateInput, find: Find): Answer {
  const updating = find('Updating')
  if (updating?.status !== 'True')
    return IN_PROGRESS in (machine.metadata.annotations ?? {})
      ? { state: 'updating', sentence: 'Its in-place update begins.', error: null }
      : undefined
  const message = prose(updating.message)
  if (updating.reason === 'InPlaceUpdateFailed') {
    return {
      state: 'failed',
      sentence: sentence(`The in-place update${to(version)} failed: ${message}`),
      error: message || updating.reason,
    }
  }
  const progress = message.replace(/^In-place update in progress:?\s*/, '')
  return {
    state: 'updating',
    sentence: sentence(`Being updated in place${to(version)}${progress ? `: ${progress}` : ''}`),
    error: null,
  }
}

const to = (version: string | null) => (version ? ` to ${version}` : '')

function unhealthy(_: StateInput, find: Find): Answer {
  const remediated = find('OwnerRemediated')
  const check = find('HealthCheckSucceeded')
  if (check?.status !== 'False') return undefined
  const message = prose(check.message) || check.reason
  if (check.reason === 'NodeStartupTimeout')
    return { state: 'failed', sentence: sentence(`Never joined: ${message}`), error: message }
  const next =
    remediated?.status === 'False' ? ` Remediation: ${sentence(prose(remediated.message) || remediated.reason)}` : ''
  return { state: 'not-ready', sentence: sentence(`Unhealthy: ${message}`) + next, error: message }
}

function provisioning({ machine, phase, node, now }: StateInput, find: Find): Answer {
  if (node || !['', 'Unknown', 'Pending', 'Provisioning', 'Provisioned'].includes(phase)) return undefined
  const bootstrap = find('BootstrapConfigReady') ?? find('BootstrapReady')
  const infrastructure = find('InfrastructureReady')
  if (phase === '' && !bootstrap)
    return { state: 'provisioning', sentence: 'Just created; its controllers begin.', error: null }
  const waiting =
    bootstrap && bootstrap.status !== 'True'
      ? `waiting for its bootstrap config${because(bootstrap)}`
      : infrastructure && infrastructure.status !== 'True'
        ? `waiting for its infrastructure${because(infrastructure)}`
        : 'its infrastructure is there; waiting for the node to join'
  const minutes = (now - Date.parse(machine.metadata.creationTimestamp)) / 60_000
  if (minutes < JOIN_MINUTES)
    return { state: 'provisioning', sentence: sentence(`Being created: ${waiting}`), error: null }
  const error = `No node has joined for more than ${JOIN_MINUTES} minutes: ${waiting}`
  return { state: 'failed', sentence: sentence(`Never joined: ${waiting}`), error }
}

const because = (condition: Condition) => (condition.message ? ` (${prose(condition.message)})` : '')

function running({ phase, version, machine }: StateInput, find: Find): Answer {
  const ready = find('Ready')
  const health = find('NodeHealthy')
  const upToDate = find('UpToDate')
  const runs = version ? `Running ${version}` : 'Running'
  if (!ready && phase !== 'Running') return undefined
  const bad = ready?.status === 'False' ? ready : health?.status === 'False' ? health : undefined
  if (bad)
    return { state: 'not-ready', sentence: sentence(`Not ready: ${prose(bad.message) || bad.reason}`), error: null }
  const silent = [ready, health].find((c) => c?.status === 'Unknown')
  if (silent)
    return {
      state: 'unknown',
      sentence: sentence(`Its state is not known: ${prose(silent.message) || silent.reason}`),
      error: null,
    }
  if (upToDate?.status !== 'False') return { state: 'ready', sentence: `${runs}.`, error: null }
  const kubelet = text(machine.status, 'nodeInfo', 'kubeletVersion')
  const why =
    prose(upToDate.message) || (kubelet && kubelet !== version ? `its kubelet is ${kubelet}` : 'it is to be changed')
  return { state: 'ready', sentence: sentence(`${runs}, not up to date: ${why}`), error: null }
}

/** A pause is worth a word: nothing that the sentence says will go on. */
function paused(answer: StateOfMachine, { conditions }: StateInput): StateOfMachine {
  if (conditions.find((c) => c.type === 'Paused')?.status !== 'True') return answer
  return { ...answer, sentence: `${answer.sentence} Paused: its controllers leave it alone.` }
}
