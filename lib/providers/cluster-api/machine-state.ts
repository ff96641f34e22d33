import type { KubeObject } from '@/lib/kubernetes/types'
import { text } from '../fields'
import { withoutSecrets } from '@/lib/domain/changes/secrets'
import { FAILURE, NEVER_JOINED, NO_TROUBLE, troubleOf, type ErrorFacts } from '@/lib/domain/errors'
import type { Condition, MachineState, StateOfMachine } from '@/lib/domain/rows'
import { prose, sentence } from './conditions'
import { drainSaid } from './drain'
import { isMoved } from './moving'

/** After this long without a node a machine is not on its way any more: it never joined. */
export const JOIN_MINUTES = 20
/** So begins the error of a machine that no controller calls failed, and that takes longer than that. */
export const NO_NODE = 'No node has joined for more than'

export interface StateInput {
  machine: KubeObject
  phase: string
  node: string | null
  version: string | null
  conditions: Condition[]
  now: number
}

/** What a rule has to say: `words` are the controllers' own, which those of an error that is known stand in for. */
interface Said {
  state: MachineState
  head: string
  words?: string
  tail?: string
  error?: string | null
  fault?: Fault
  /** What goes with the words, whoever's they are. */
  besides?: string | null
}
type Fault = Pick<ErrorFacts, 'condition' | 'reason' | 'message'>
type Answer = Said | undefined
type Find = (type: string) => Condition | undefined

const API = 'cluster.x-k8s.io'
// Field by field: this is done for every machine that is not simply ready.
const factsOf = ({ spec }: KubeObject, { condition, reason, message }: Fault): ErrorFacts => {
  const infrastructure = text(spec, 'infrastructureRef', 'kind')
  return { api: API, infrastructure, condition, reason, message }
}
const faultOf = ({ type, reason, message }: Condition): Fault => ({ condition: type, reason, message })

/** What a person should know of the machine, worst first: the first rule that has something to say decides. */
export function machineState(input: StateInput): StateOfMachine {
  const rules = [terminal, deleting, inPlace, unhealthy, provisioning, running]
  const find: Find = (type) => input.conditions.find((c) => c.type === type)
  for (const rule of rules) {
    const answer = rule(input, find)
    if (answer) return inWords(answer, input)
  }
  return inWords({ state: 'unknown', head: 'Its controllers have not reported on it yet.' }, input)
}

function inWords(said: Said, input: StateInput): StateOfMachine {
  const { state, head, words = '', tail = '', error = null, fault, besides } = said
  const known = fault ? troubleOf(factsOf(input.machine, fault), error !== null) : NO_TROUBLE
  const { trouble, unknown } = known
  const more = besides ? `; ${besides}` : ''
  const troubleWords = known.troubleWords && known.troubleWords + more
  // A pause is worth a word: nothing that the sentence says will go on.
  const paused = input.conditions.find((c) => c.type === 'Paused')?.status === 'True'
  const end = paused ? `${tail} Paused: its controllers leave it alone.` : tail
  return {
    state,
    sentence: sentence(head + (known.instead ?? words) + more) + end,
    error,
    trouble,
    troubleWords,
    unknown,
  }
}

function terminal({ machine, phase, version }: StateInput): Answer {
  const where = machine.apiVersion.endsWith('/v1beta1') ? [] : ['deprecated', 'v1beta1']
  const message = withoutSecrets(text(machine.status, ...where, 'failureMessage') ?? '')
  const reason = text(machine.status, ...where, 'failureReason')
  if (phase !== 'Failed' && !message && !reason) return undefined
  const error =
    [reason, message].filter(Boolean).join(': ') || 'Its provider reports a terminal failure without a message.'
  const head = `Failed for good${version ? ` on the way to ${version}` : ''}: `
  const fault = { condition: FAILURE, reason, message }
  return { state: 'failed', head, words: error, error, fault }
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
  const words = stage ? `${stage}${message && ` (${message})`}` : message
  const head = words ? `Being deleted: ` : 'Being deleted'
  const error = stuck ? message || `${head}${words}` : null
  const besides = now ? drainSaid(machine, now.reason) : null
  return { state: 'deleting', head, words, error, besides, ...(now ? { fault: faultOf(now) } : {}) }
}

/** Objects of before v1.9 tell the drain by a condition of its own. */
function olderDrain(find: Find): Condition | undefined {
  const drain = find('DrainingSucceeded')
  return drain?.status === 'False' ? { ...drain, reason: 'DrainingNode' } : undefined
}

/** Set by Cluster API when a machine is chosen, seconds before its condition and its version say so. */
const IN_PROGRESS = 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress'

/** Lists UpdateMachine from the moment on at which the machine's spec, its version too, is what it is to become. */
const PENDING = 'runtime.cluster.x-k8s.io/pending-hooks'

/** Chosen, and its MachineDeployment was paused before it counted it (moving.ts): nothing of it begins until that goes on. */
export const MOVED = 'Out of service: its in-place update begins when its MachineDeployment goes on.'

function inPlace({ machine, version }: StateInput, find: Find): Answer {
  const updating = find('Updating')
  const { [IN_PROGRESS]: chosen, [PENDING]: pending = '' } = machine.metadata.annotations ?? {}
  const begins = chosen !== undefined && !pending.split(',').includes('UpdateMachine')
  if (updating?.status !== 'True' || (begins && updating.reason !== 'InPlaceUpdateFailed'))
    return chosen === undefined
      ? undefined
      : { state: 'updating', head: isMoved(machine) ? MOVED : 'Its in-place update begins.' }
  const message = prose(updating.message)
  if (updating.reason === 'InPlaceUpdateFailed') {
    const head = `The in-place update${to(version)} failed: `
    return { state: 'failed', head, words: message, error: message || updating.reason, fault: faultOf(updating) }
  }
  const progress = message.replace(/^In-place update in progress:?\s*/, '')
  return { state: 'updating', head: `Being updated in place${to(version)}${progress ? `: ${progress}` : ''}` }
}

const to = (version: string | null) => (version ? ` to ${version}` : '')

function unhealthy({ machine }: StateInput, find: Find): Answer {
  const remediated = find('OwnerRemediated')
  const check = find('HealthCheckSucceeded')
  if (check?.status !== 'False') return undefined
  const message = prose(check.message) || check.reason
  const fault = faultOf(check)
  if (check.reason === 'NodeStartupTimeout')
    return { state: 'failed', head: 'Never joined: ', words: message, error: message, fault }
  if (remediated?.status !== 'False')
    return { state: 'not-ready', head: 'Unhealthy: ', words: message, error: message, fault }
  const next = troubleOf(factsOf(machine, faultOf(remediated)), true).instead
  const tail = ` Remediation: ${sentence(next ?? (prose(remediated.message) || remediated.reason))}`
  return { state: 'not-ready', head: 'Unhealthy: ', words: message, tail, error: message, fault }
}

function provisioning({ machine, phase, node, now }: StateInput, find: Find): Answer {
  if (node || !['', 'Unknown', 'Pending', 'Provisioning', 'Provisioned'].includes(phase)) return undefined
  const bootstrap = find('BootstrapConfigReady') ?? find('BootstrapReady')
  const infrastructure = find('InfrastructureReady')
  if (phase === '' && !bootstrap) return { state: 'provisioning', head: 'Just created; its controllers begin.' }
  const [words, held] =
    bootstrap && bootstrap.status !== 'True'
      ? [`waiting for its bootstrap config${because(bootstrap)}`, bootstrap]
      : infrastructure && infrastructure.status !== 'True'
        ? [`waiting for its infrastructure${because(infrastructure)}`, infrastructure]
        : ['its infrastructure is there; waiting for the node to join', undefined]
  const minutes = (now - Date.parse(machine.metadata.creationTimestamp)) / 60_000
  if (minutes < JOIN_MINUTES)
    return { state: 'provisioning', head: 'Being created: ', words, ...(held ? { fault: faultOf(held) } : {}) }
  const error = `${NO_NODE} ${JOIN_MINUTES} minutes: ${words}`
  const fault = held ? faultOf(held) : { condition: NEVER_JOINED, reason: null, message: words }
  return { state: 'failed', head: 'Never joined: ', words, error, fault }
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
    return { state: 'not-ready', head: 'Not ready: ', words: prose(bad.message) || bad.reason, fault: faultOf(bad) }
  const silent = [ready, health].find((c) => c?.status === 'Unknown')
  if (silent) {
    const words = prose(silent.message) || silent.reason
    return { state: 'unknown', head: 'Its state is not known: ', words, fault: faultOf(silent) }
  }
  if (upToDate?.status !== 'False') return { state: 'ready', head: `${runs}.` }
  const kubelet = text(machine.status, 'nodeInfo', 'kubeletVersion')
  const words =
    prose(upToDate.message) || (kubelet && kubelet !== version ? `its kubelet is ${kubelet}` : 'it is to be changed')
  return { state: 'ready', head: `${runs}, not up to date: `, words, fault: faultOf(upToDate) }
}
