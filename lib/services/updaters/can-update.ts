import {
  applyAnswer,
  changesBetween,
  composed,
  inexact,
  ofContent,
  revisionOf,
  upstreamEqual,
  type Question,
} from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { ask, UpdaterError, type UpdaterTarget } from './transport'

export interface CanUpdate {
  /** Everything that differs can be done in place. */
  covered: boolean
  /** Paths that nobody covers: "machine: version". */
  uncovered: string[]
  /** Updater by "object path". */
  by: Map<string, string>
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
  for (const updater of updaters) {
    if (upstreamEqual(hook, current, desired)) break
    const left = until - Date.now()
    if (left <= 0) throw new UpdaterError(`The updater ${updater.name} was not asked: no time was left.`)
    const answer = await ask(updater, hook, { ...request, current, desired }, left)
    if (!answer) continue
    let next: JsonObject
    try {
      next = applyAnswer(hook, current, answer)
    } catch (error) {
      throw new UpdaterError(
        `The updater ${updater.name} answered with a patch that does not apply: ${(error as Error).name}.`,
      )
    }
    const remaining = new Set(differing(next).map(label))
    const done = differing(current)
      .map(label)
      .filter((path) => !remaining.has(path))
    for (const path of done) by.set(path, updater.name)
    exact(next, `The answer of the updater ${updater.name}`)
    current = next
  }
  const covered = upstreamEqual(hook, current, desired)
  const uncovered = differing(current).map(label)
  return {
    covered,
    uncovered: covered || uncovered.length > 0 ? uncovered : ['details of the specs'],
    by,
    // Never the updater's own patches: Cluster API gets exactly what was compared here, however it would read those.
    patches: composed(hook, before, current),
  }
}
