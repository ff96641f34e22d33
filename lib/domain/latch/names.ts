/** Presence pauses an object's controller; the value is for people. Drydock removes it only where the value is its own. */
export const PAUSED = 'cluster.x-k8s.io/paused'
export const PAUSED_BY_DRYDOCK = 'drydock'
/** Of a MachineConfigPool, which is paused by a field: Drydock set it. A pause without it is a person's. */
export const POOL_PAUSED = 'drydock.dev/paused'
/** Why Drydock's latch holds the object, in words. */
export const HELD = 'drydock.dev/held'
/** How the words in HELD begin where it was not the latch that wrote them: Drydock put the hold there itself. */
export const STOPPED = 'Stopped by Drydock: '
/** What goes on by itself when its time comes. */
export const NOT_NOW = 'not now: '
/** Once that is over, and nobody approved it: it goes by nothing else. */
export const UNPAUSED = `${STOPPED}it waits for approval`
/** A reason without what is said to people with kubectl: who put the hold there stands beside it. */
export const plainReason = (words: string): string =>
  words.startsWith(STOPPED) ? words.slice(STOPPED.length).replace(NOT_NOW, '') : words.replace(WAITING, '')
export const PENDING_BEFORE = 'Waiting for approval in Drydock: this was already pending when the latch came'
/** As the latch writes them, in the write that brings the change. */
export const WAITING = 'Waiting for approval in Drydock: '
/** As a roll-back writes them, which brings the change and its hold in one write. */
export const BACK = `${WAITING}back to `
/** Where Drydock itself watches and pauses: the change was stored by then. */
export const SEEN_STORED = `${WAITING}paused when it was seen, after it was stored`
/** In their place once it is approved, and waits for its time: what the latch wrote, and why it does not go. */
export const APPROVED = 'Approved in Drydock: '
const WHY = `; ${NOT_NOW}`
/** The latch wrote them with the change, and at most that it is approved was said since. */
export const isOfLatch = (words: string): boolean =>
  words.startsWith(APPROVED) ||
  (words.startsWith(WAITING) && !words.startsWith(BACK) && words !== SEEN_STORED && words !== PENDING_BEFORE)
/** As the latch wrote them, whatever was said since. */
export const asLatched = (words: string): string =>
  words.startsWith(APPROVED) ? `${WAITING}${words.slice(APPROVED.length).split(WHY)[0]}` : words
export const approvedWords = (words: string, why: string): string =>
  `${APPROVED}${asLatched(words).slice(WAITING.length)}${WHY}${why}`
/** On Drydock's ExtensionConfig: somebody means to delete it. */
export const RELEASE = 'drydock.dev/release'
/** What an object of the latch is for, for people with kubectl. */
export const ABOUT = 'drydock.dev/about'
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'drydock' } as const
export const EXTENSION_CONFIG = 'drydock'

/** Every name that the latch uses; the RBAC manifest grants exactly these. */
export const GUARD = 'drydock-guard'
export const GUARD_POOLS = 'drydock-guard-machineconfigpools'
export const GUARD_EXTENSION = 'drydock-guard-extensionconfigs'
export const GUARD_WEBHOOKS = 'drydock-guard-latch'
/** By what an API server that could not ask a webhook of the latch names it. */
export const LATCH_WEBHOOKS = 'latch.drydock.dev'
export const webhookOf = (plural: string): string => `${plural}.${LATCH_WEBHOOKS}`

/** On dry runs that prove the policy form: its value asks the webhook, where that is still there, to stand aside. */
export const TRIAL = 'drydock.dev/trial'
export const TRIAL_OF_POLICY = 'policy'
