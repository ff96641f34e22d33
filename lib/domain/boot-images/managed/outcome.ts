import { names } from '../../skew/follows'
import type { PassCounts } from '../counts'
import { secretWords } from '../user-data'
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
  skipped: string[]
  failed: { name: string; reason: string }[]
  sentences: string[]
}

type Now = SetNow & { managed: boolean }

/** What the controller did since a decision: by the images of the sets themselves, and by what it says of its last pass. */
export function managedOutcome(
  before: readonly ImageBefore[],
  now: readonly Now[],
  pass: PassCounts | null,
): ManagedOutcome {
  const was = new Map(before.map((set) => [`${set.kind}/${set.name}`, set.image]))
  const changed = now.flatMap(({ kind, name, current }) => {
    const from = was.get(`${kind}/${name}`)
    return from !== undefined && from !== current ? [{ kind, name, from, to: current }] : []
  })
  const managed = now.filter((set) => set.managed)
  const of = (...outcomes: Now['outcome'][]) => managed.filter((set) => outcomes.includes(set.outcome))
  const [open, skipped] = [of('update', 'undecided'), of('skip')].map((sets) => sets.map(({ name }) => name))
  const failed = of('error', 'crash').map(({ name, reason }) => ({ name, reason }))
  const swapped = managed.flatMap(({ kind, name, reason }) =>
    before.some((set) => set.userData && set.kind === kind && set.name === name) && !secretWords(reason) ? [name] : [],
  )
  const sentences = told(changed, swapped, open!, skipped!, failed, pass)
  return { changed, open: open!, skipped: skipped!, failed, sentences }
}

function told(
  changed: ManagedOutcome['changed'],
  swapped: string[],
  open: string[],
  skipped: string[],
  failed: ManagedOutcome['failed'],
  pass: PassCounts | null,
): string[] {
  const sentences = [
    changed.length > 0
      ? `Another image since then: ${names(changed.map(({ name }) => name))}.`
      : 'No set has another image since then.',
  ]
  if (swapped.length) sentences.push(`Another user data secret, as foretold: ${names(swapped)}.`)
  if (open.length) sentences.push(`Not written yet, or not told by the cloud: ${names(open)}.`)
  if (skipped.length) sentences.push(`Skipped: ${names(skipped)}.`)
  if (failed.length) sentences.push(`Failed: ${names(failed.map(({ name }) => name))}.`)
  // Its counts are the truth: the condition Degraded drops in every pass.
  if (pass && pass.total > 0)
    sentences.push(
      `The operator says of its last pass: ${pass.reconciled} of ${pass.total} as they should be${pass.skipped ? `, ${pass.skipped} skipped` : ''}${pass.degraded ? `, ${pass.degraded} failed` : ''}.`,
    )
  return sentences
}
