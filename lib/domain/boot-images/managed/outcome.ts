import { MASK } from '../../changes/secrets'
import { names } from '../../skew/follows'
import type { Does } from '../by-release'
import type { PassCounts } from '../counts'
import { couldNotBegin } from '../failed-pass'
import { perhapsSecretWords, secretWords } from '../user-data'
import type { SetNow } from './preview'

/** An image as it was when the decision was made. */
export interface ImageBefore {
  kind: string
  name: string
  image: string | null
  /** Its user data secret was to be replaced. Absent: it is not known, or it was not. */
  userData?: true
}

export interface ManagedOutcome {
  changed: { kind: string; name: string; from: string | null; to: string | null }[]
  /** Managed, outdated, and not written yet. */
  open: string[]
  /** Managed, and only the operator, or the cloud, tells whether it is to be written. */
  untold: string[]
  /** Managed, and what becomes of it is not known here. */
  unknown: string[]
  skipped: string[]
  failed: string[]
  sentences: string[]
}

type Now = SetNow & { managed: boolean }

/** 'came-to-none': it ended before it came to the machine sets; those of AHEAD: there was none since the decision. */
export type PassSince = PassCounts | 'came-to-none' | Ahead | null
type Ahead = keyof typeof AHEAD
const AHEAD = {
  'none-yet': 'No pass since.',
  'maybe-after-update': 'No pass since; the next may have to wait until the update is through.',
  'after-update': 'No pass since; the next begins when the update is through.',
}
const PUT_OFF: Record<Does, Ahead> = { yes: 'after-update', some: 'maybe-after-update', no: 'none-yet' }

/** The last pass, as far as it is one since the decision. `putOff`: by an update of the cluster that is under way. */
export function passSince(pass: PassCounts | null, storedAt: string | null, putOff: Does): PassSince {
  // The cluster's times are whole seconds.
  const since = storedAt === null ? NaN : Math.floor(Date.parse(storedAt) / 1000) * 1000
  if (pass?.at && Date.parse(pass.at) < since) return PUT_OFF[putOff]
  return pass?.errors && couldNotBegin(pass.errors) ? 'came-to-none' : pass
}

const isAhead = (pass: PassSince): pass is Ahead => typeof pass === 'string' && pass in AHEAD

/**
 * What the controller did since a decision: by the images of the sets themselves, and by what it counts. Why it failed stands with its
 * last pass.
 */
export function managedOutcome(before: readonly ImageBefore[], now: readonly Now[], pass: PassSince): ManagedOutcome {
  const was = new Map(before.map((set) => [`${set.kind}/${set.name}`, set.image]))
  const changed = now.flatMap(({ kind, name, current }) => {
    const from = was.get(`${kind}/${name}`)
    return from !== undefined && !isSame(from, current) ? [{ kind, name, from, to: current }] : []
  })
  const managed = now.filter((set) => set.managed)
  const named = (...outcomes: Now['outcome'][]) =>
    managed.filter((set) => outcomes.includes(set.outcome)).map(({ name }) => name)
  const [open, untold, unknown, skipped] = [named('update'), named('undecided'), named('not-known'), named('skip')]
  const failed = pass === 'came-to-none' ? [] : named('error', 'crash')
  const swapped = managed.flatMap(({ kind, name, reason }) =>
    before.some((set) => set.userData && set.kind === kind && set.name === name) &&
    !secretWords(reason) &&
    !perhapsSecretWords(reason)
      ? [name]
      : [],
  )
  // Where nothing is managed no pass is awaited; where an image is another one there was one, whatever the clocks say.
  const said = isAhead(pass) && (managed.length === 0 || changed.length > 0) ? null : pass
  const sentences = told({ changed, open, untold, unknown, skipped, failed }, swapped, said)
  return { changed, open, untold, unknown, skipped, failed, sentences }
}

/** From what an older Drydock kept a migration took the credential, and left no digest of it: what can be compared is what is before. */
function isSame(from: string | null, to: string | null): boolean {
  if (from === to) return true
  return !!from?.includes(MASK) && !DIGEST.test(from) && to !== null && shownOf(from) === shownOf(to)
}
const DIGEST = / \(digest [0-9a-f]+\)$/
const shownOf = (image: string): string => image.replace(DIGEST, '').replace(/\?.*$/, '')

function told(
  { changed, open, untold, unknown, skipped, failed }: Omit<ManagedOutcome, 'sentences'>,
  swapped: string[],
  pass: PassSince,
): string[] {
  const sentences = [
    changed.length > 0
      ? `Another image since then: ${names(changed.map(({ name }) => name))}.`
      : 'No set has another image since then.',
  ]
  if (swapped.length) sentences.push(`Another user data secret, as foretold: ${names(swapped)}.`)
  if (open.length) sentences.push(`Not written yet: ${names(open)}.`)
  if (untold.length)
    sentences.push(`Not written yet, or not to be written, which only the operator can tell: ${names(untold)}.`)
  if (unknown.length) sentences.push(`What it does with them is not known here: ${names(unknown)}.`)
  const ahead = isAhead(pass)
  if (skipped.length) sentences.push(`${ahead ? 'It will skip' : 'Skipped'}: ${names(skipped)}.`)
  if (failed.length) sentences.push(`${ahead ? 'It will fail on' : 'Failed'}: ${names(failed)}.`)
  // Its counts are the truth: the condition Degraded drops in every pass.
  if (isAhead(pass)) sentences.push(AHEAD[pass])
  else if (pass === 'came-to-none') sentences.push('The operator’s last pass came to no machine set.')
  else if (pass && pass.total > 0)
    sentences.push(
      `The operator says of its ${pass.underWay ? 'pass so far' : 'last pass'}: ${pass.reconciled} of ${pass.total} as they should be${pass.skipped ? `, ${pass.skipped} skipped` : ''}${pass.degraded ? `, ${pass.degraded} failed` : ''}.`,
    )
  return sentences
}
