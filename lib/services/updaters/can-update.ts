import {
  applyAnswer,
  changesBetween,
  composed,
  faultsOf,
  inexact,
  ofContent,
  PatchError,
  revisionOf,
  safeText,
  upstreamEqual,
  type Question,
} from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { noted } from './record'
import { askOnce } from './ask-once'
import { UpdaterError, type UpdaterTarget } from './transport'

export interface CanUpdate {
  /** Everything that differs can be done in place. */
  covered: boolean
  /** Paths that nobody covers: "machine: version". */
  uncovered: string[]
  /** Updater by "object path". Empty also where several did parts of one field: then any of them may have one in any. */
  by: Map<string, string>
  /** Those that did something. */
  touched: ReadonlySet<string>
  /** The patches to answer Cluster API with. */
  patches: JsonObject
}

const INEXACT =
  'has a number that cannot be kept exactly (beyond 2^53), so nobody can tell whether Cluster API would update in place.'

const label = (change: { object: string; path: string }): string => `${change.object}: ${change.path}`

/**
 * Asks the updaters in their order; each is asked about what those before it left. Throws UpdaterError where one cannot
 * be asked: not knowing is never an answer.
 */
export async function canUpdate(
  updaters: readonly UpdaterTarget[],
  hook: Question,
  request: JsonObject,
  timeoutMs: number,
): Promise<CanUpdate> {
  const until = Date.now() + timeoutMs
  const before = request.current as JsonObject
  const desired = request.desired as JsonObject
  const differing = (current: JsonObject) =>
    changesBetween(revisionOf(hook, current), revisionOf(hook, desired)).filter(ofContent)
  const by = new Map<string, string>()
  const exact = (side: JsonObject, whose: string) => {
    if (Object.values(revisionOf(hook, side)).some(inexact)) throw new UpdaterError(`${whose} ${INEXACT}`)
  }
  exact(before, 'The question')
  exact(desired, 'The question')
  let current = before
  const touched = new Set<string>()
  // What differs only half way (a part of what came as a whole) is nobody's alone.
  const fields = new Set(differing(before).map(label))
  for (const updater of updaters) {
    if (upstreamEqual(hook, current, desired)) break
    const left = until - Date.now()
    if (left <= 0) throw new UpdaterError(`The updater ${updater.name} was not asked: no time was left.`)
    current = await noted(updater, hook, async () => {
      const answer = await askOnce(updater, hook, { ...request, current, desired }, left)
      // Known from before: it was not asked, and how it fares is not known from that.
      if (!answer) return [current, null]
      const next = judged(updater, hook, { current, desired }, answer)
      exact(next, `The answer of the updater ${updater.name}`)
      if (!upstreamEqual(hook, current, next)) touched.add(updater.name)
      const remaining = new Set(differing(next).map(label))
      const done = differing(current)
        .map(label)
        .filter((path) => !remaining.has(path))
      for (const path of done) if (fields.has(path)) by.set(path, updater.name)
      return [next, done.length > 0 ? `covers ${done.slice(0, 5).join(', ')}` : 'covers nothing of what differs']
    })
  }
  // Somebody did a part of a field that others finished: who has a part in it cannot be told field by field.
  const credited = new Set(by.values())
  if ([...touched].some((name) => !credited.has(name))) by.clear()
  const covered = upstreamEqual(hook, current, desired)
  const uncovered = differing(current).map(label)
  return {
    covered,
    uncovered: covered || uncovered.length > 0 ? uncovered : ['details of the specs'],
    by,
    touched,
    // Never the updater's own patches: Cluster API gets exactly what was compared here, however it would read those.
    patches: composed(hook, before, current),
  }
}

/** The state that the updater would leave, where its answer says so and nothing else; else an error that says what it did. */
function judged(
  updater: UpdaterTarget,
  hook: Question,
  { current, desired }: { current: JsonObject; desired: JsonObject },
  answer: JsonObject,
): JsonObject {
  const said = `The updater ${updater.name} answered what cannot be relied on:`
  const { kind } = answer
  if (typeof kind === 'string' && kind !== '' && kind !== `${hook}Response`)
    throw new UpdaterError(`${said} it answered another question, with a ${safeText(kind, 60)}.`)
  try {
    const next = applyAnswer(hook, current, answer)
    const faults = faultsOf(hook, { current, next, desired }, answer)
    if (faults.length > 0) throw new PatchError(`${faults.join('; ')}.`)
    return next
  } catch (error) {
    if (error instanceof PatchError) throw new UpdaterError(safeText(`${said} ${error.message}`, 600))
    // Of what is nested without end the stack is full before it is read.
    if (error instanceof RangeError) throw new UpdaterError(`${said} it is nested too deep.`)
    throw error
  }
}
