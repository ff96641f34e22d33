import { utc } from '../policies'

export const KINDS = [
  'hold-old',
  'hold-escalated',
  'hold-dangerous',
  'rollout-stopped',
  'needs-word',
  'unapproved',
  'begun-unapproved',
  'goes-on',
  'decision-failed',
  'cluster-silent',
  'review-due',
  'evidence-against',
  'test',
] as const
export type MessageKind = (typeof KINDS)[number]

/** What is posted. Never a value of a field, an error's words or a reason: those stand in Drydock, for who may read them. */
export interface MessageBody {
  version: 1
  /** The same for each attempt: at least once is more than once now and then. */
  id: string
  kind: MessageKind
  at: string
  sentence: string
  /** Management cluster. */
  cluster: string | null
  object: { kind: string; namespace: string; name: string } | null
  /** Whose decision it is about; null: nobody's. */
  by: string | null
  /** Where to go on; a path where Drydock does not know its own address. */
  link: string
}

/** Which events on record are told. */
const OF_ACTIONS: Record<string, MessageKind> = {
  'hold.reminded': 'hold-old',
  'hold.put-before-everybody': 'hold-escalated',
  'hold.dangerous': 'hold-dangerous',
  'change.stopped-by-itself': 'rollout-stopped',
  'change.needs-word': 'needs-word',
  'change.not-held': 'unapproved',
  'change.moved-unapproved': 'begun-unapproved',
  'change.let-go': 'unapproved',
  'change.left': 'goes-on',
  'decision.failed': 'decision-failed',
  'skew.review-due': 'review-due',
  'pool.review-due': 'review-due',
  'skew.unsupported': 'evidence-against',
}
export const kindOf = (action: string): MessageKind | null => OF_ACTIONS[action] ?? null

/** `what`: the object, or the management cluster; `since`: how long it is so; `unpaused`: what is held goes on as it is meanwhile. */
export function sentenceOf(kind: MessageKind, what: string, since: string | null, unpaused = false): string {
  const from = since ? ` since ${utc(since)}` : ''
  // What waits for the nodes of a pool may be younger than its pause.
  const paused = what.startsWith('MachineConfigPool ')
  const [was, is] = paused
    ? ['been paused', 'is paused']
    : unpaused
      ? ['waited', 'waits']
      : ['stood still', 'stands still']
  const still = from ? `has ${was}${from}` : is
  switch (kind) {
    case 'hold-old':
      return `${what} ${still}: its hold waits for somebody.`
    case 'hold-escalated':
      return `${what} ${still}: its hold is older than its policy lets anybody leave it.`
    case 'hold-dangerous':
      return `${what} ${still}: a control plane that does so is dangerous.`
    case 'rollout-stopped':
      return `The rollout of ${what} stopped by itself: too many of its machines failed.`
    case 'needs-word':
      return `Every machine of ${what} has its rollout, and no approval of it is in force: it is done only if somebody says so.`
    case 'unapproved':
      return `Drydock does not hold the change of ${what}, and no approval of it is in force.`
    case 'begun-unapproved':
      return paused
        ? `Nodes of ${what} began to take up a configuration that was not let go. The rest is held.`
        : `Machines of ${what} were made while its group was held, and no approval was in force. One may be in the place of another. The rest is held.`
    case 'goes-on':
      return `The rollout of ${what} goes on: it was approved before its cluster was disconnected, and that approval stands no more.`
    case 'decision-failed':
      return `A decision on ${what} did not get through to the cluster.`
    case 'cluster-silent':
      return `Nothing was heard of the management cluster ${what}${from}. What is held there stays held.`
    case 'review-due':
      return `What was decided on ${what} is due for review${since ? `, by the date that was set, ${utc(since)}` : ''}.`
    case 'evidence-against':
      return `The evidence speaks against the boot image version that was acknowledged for ${what}.`
    case 'test':
      return 'A test message from Drydock.'
  }
}

const FIRST_MS = 5_000
const MOST_MS = 30 * 60_000
/** So long it is tried. */
export const TRIED_MS = 24 * 3_600_000

/** How long after an attempt (the first is 1) the next one is made. */
export const delayAfter = (attempt: number): number => Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20))
