import { withoutSecrets } from '@/lib/domain/changes/secrets'
import { CONFIG_DAEMON, explanation, FAILURE, NEVER_JOINED, troubleOf, type ErrorFacts } from '@/lib/domain/errors'
import type { JsonObject } from '@/lib/domain/json'
import type { MachineRow } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import { items, text } from './loose'
import type { NodeFacts } from './machine'

const shown = (words: string | undefined) => words && withoutSecrets(words)

type Life = Pick<
  MachineRow,
  | 'state'
  | 'severity'
  | 'sentence'
  | 'ready'
  | 'available'
  | 'updating'
  | 'deleting'
  | 'error'
  | 'trouble'
  | 'troubleWords'
> & { unknown: ErrorFacts | null }

/** After this long without a node, a machine whose instance runs is most likely stuck in its first boot. */
const JOIN_MINUTES = 20

const base: Omit<Life, 'state' | 'sentence'> = {
  severity: 0,
  ready: false,
  available: false,
  updating: false,
  deleting: false,
  error: null,
  trouble: null,
  troubleWords: null,
  unknown: null,
}

type Fault = Pick<ErrorFacts, 'condition' | 'reason' | 'message'>

/** What is stored of a fault, and what the sentence says of it: the catalogue's words, else the first line of its own. */
function faulty(object: KubeObject, fault: Fault, words: string, failing = true) {
  const infrastructure = text(object, 'spec', 'providerSpec', 'value', 'kind') ?? null
  const { instead, ...told } = troubleOf({ api: 'machine.openshift.io', infrastructure, ...fault }, failing)
  const stage = explanation(told.trouble, null)?.stage ?? false
  const known = stage ? told.troubleWords : instead
  return { told, stage, said: known ? `${known}.` : firstLine(words) }
}

/**
 * What a person should know of the machine: what its phase, its conditions and its provider's own say, worst first. `since`: of one
 * whose instance is there without a node, since when at the latest.
 */
export function lifeOf(object: KubeObject, node: NodeFacts | undefined, now: number, since: number | null): Life {
  const phase = text(object, 'status', 'phase') ?? ''
  const [reason, message] = [text(object, 'status', 'errorReason'), shown(text(object, 'status', 'errorMessage'))]
  const error = [reason, message].filter(Boolean).join(': ') || null
  const failure: Fault = { condition: FAILURE, reason: reason ?? null, message: message ?? '' }
  const nodeName = text(object, 'status', 'nodeRef', 'name')
  const conditions = items(object, 'status', 'conditions')
  if (object.metadata.deletionTimestamp || phase === 'Deleting') {
    const held = heldUp(conditions)
    const fault = held
      ? faulty(object, held, held.message, error !== null)
      : error
        ? faulty(object, failure, error)
        : undefined
    const hook = held?.reason === HOOK
    const sentence = !held
      ? 'Being deleted.'
      : `Being deleted; ${held.condition === 'Terminable' ? 'its instance is kept' : 'its node is not drained yet'}: ${fault!.said}`
    const severity = held ? (hook ? 30 : 50) : 20
    return { ...base, state: 'deleting', severity, sentence, deleting: true, error, ...fault?.told }
  }
  // An error before there is an instance, and the phase not Failed: it is tried again.
  if (phase === 'Failed' || (error && (nodeName || !STARTING.includes(phase)))) {
    const { told, said } = faulty(object, failure, error ?? '')
    const sentence = error ? `Failed: ${said}` : 'Failed, without a reason.'
    return { ...base, ...told, state: 'failed', severity: 90, sentence, error: error ?? 'Failed' }
  }
  if (!nodeName) return beforeNode(object, since, error ? failure : notCreated(object), now)
  if (!node)
    return { ...base, state: 'ready', sentence: 'Running.', ready: phase === 'Running', available: phase === 'Running' }
  if (node.configState === 'Degraded' || node.configState === 'Unreconcilable') {
    const written = node.configReason ?? 'no reason is given'
    const fault: Fault = { condition: CONFIG_DAEMON, reason: node.configState, message: node.configReason ?? '' }
    const { told, said } = faulty(object, fault, written)
    const sentence = `Its configuration could not be applied: ${said}`
    const error = node.configReason ?? node.configState
    return { ...base, ...told, state: 'failed', severity: 80, sentence, ready: node.ready, error }
  }
  if (node.updating || node.draining || node.configState === 'Rebooting') {
    const step =
      node.configState === 'Rebooting'
        ? 'rebooting'
        : node.draining
          ? 'draining its node'
          : 'applying its configuration'
    return {
      ...base,
      state: 'updating',
      severity: 30,
      sentence: `Updating in place: ${step}.`,
      ready: node.ready,
      updating: true,
    }
  }
  if (!node.ready) return { ...base, state: 'not-ready', severity: 60, sentence: `Its node ${node.name} is not Ready.` }
  if (!node.schedulable)
    return { ...base, state: 'not-ready', severity: 40, sentence: `Its node ${node.name} is cordoned.`, ready: true }
  return { ...base, state: 'ready', sentence: 'Running, its node is Ready.', ready: true, available: true }
}

const STARTING = ['', 'Provisioning']
const HOOK = 'HookPresent'

const faultIn = (conditions: JsonObject[], types: string[], status = 'False'): Fault | undefined => {
  const found = conditions.find((c) => types.includes(text(c, 'type') ?? '') && c.status === status)
  const [condition, message] = [text(found, 'type'), shown(text(found, 'message'))]
  return condition && message ? { condition, reason: text(found, 'reason') ?? null, message } : undefined
}

/** What a deletion waits for. Hooks stand in the conditions of machines that run, too: only here they hold anything up. */
function heldUp(conditions: JsonObject[]): Fault | undefined {
  if (conditions.some((c) => c.type === 'Drained' && c.status === 'True')) return faultIn(conditions, ['Terminable'])
  // A hook comes before the drain: where there is one, an error of the drain is an old one.
  return faultIn(conditions, ['Drainable']) ?? faultIn(conditions, ['Drained'])
}

/**
 * Why there is no instance yet. What is tried again leaves no errorReason: only the provider's own conditions say so, each
 * provider under one of two names.
 */
function notCreated(object: KubeObject): Fault | undefined {
  const own = items(object, 'status', 'providerStatus', 'conditions')
  return (
    faultIn(items(object, 'status', 'conditions'), ['InstanceExists'], 'Unknown') ??
    faultIn(own, ['MachineCreated', 'MachineCreation']) ??
    faultIn(own, ['IPAddressClaimed'])
  )
}

/**
 * No node yet. An instance that runs and never joins leaves no error anywhere; why it may be so is found when somebody looks
 * (lib/domain/joining), for that rests on what becomes of others.
 */
function beforeNode(object: KubeObject, since: number | null, fault: Fault | undefined, now: number): Life {
  const minutesSince = (time: number) => Math.max(0, Math.floor((now - time) / 60_000))
  if (since === null) return beforeInstance(object, fault, minutesSince(Date.parse(object.metadata.creationTimestamp)))
  const minutes = minutesSince(since)
  if (minutes < JOIN_MINUTES)
    return {
      ...base,
      state: 'provisioning',
      severity: 10,
      sentence: 'Its instance runs; waiting for it to join as a node.',
    }
  const error = 'Provisioned, without a node'
  const { told } = faulty(object, { condition: NEVER_JOINED, reason: null, message: error }, error)
  return {
    ...base,
    ...told,
    state: 'failed',
    severity: 85,
    sentence: 'Its instance is there but never joined the cluster.',
    error,
  }
}

function beforeInstance(object: KubeObject, fault: Fault | undefined, minutes: number): Life {
  const waiting = { ...base, state: 'provisioning', severity: 10, sentence: 'Waiting for its instance.' } as const
  if (!fault) return waiting
  const late = minutes >= JOIN_MINUTES
  const { told, said, stage } = faulty(object, fault, fault.message, true)
  if (stage && !late) return { ...waiting, ...told, sentence: `Waiting for its instance; ${said}` }
  const sentence = late
    ? `It has no instance after ${minutes} minutes: ${said}`
    : `Its instance is not there yet; it is tried again: ${said}`
  const error = fault.condition === FAILURE ? [fault.reason, fault.message].filter(Boolean).join(': ') : fault.message
  return { ...base, ...told, state: late ? 'failed' : 'provisioning', severity: late ? 85 : 50, sentence, error }
}

const firstLine = (words: string): string => {
  const line = words.split('\n')[0] as string
  return line.length > 240 ? `${line.slice(0, 239)}…` : line
}
