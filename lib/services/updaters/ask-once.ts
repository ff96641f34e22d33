import { createHash } from 'node:crypto'
import { canonical, revisionOf, valueAt, type Question } from '@/lib/domain/changes'
import { SLOTS } from '@/lib/domain/changes/patches'
import type { Json, JsonObject } from '@/lib/domain/json'
import { ask, UpdaterError, type UpdaterTarget } from './transport'

/** What is being asked now, and when it was to be answered. */
const onTheWay = new Map<string, Promise<JsonObject | null>>()

/**
 * Asks whether an updater can do a change. Whoever asks the same while the answer is on its way (planner and gate, or two
 * lists of updaters) gets that answer: no updater is asked about one change twice at a time.
 */
export async function askOnce(
  updater: UpdaterTarget,
  hook: Question,
  request: JsonObject,
  timeoutMs: number,
): Promise<JsonObject | null> {
  const key = keyOf(updater, hook, request)
  let answer = onTheWay.get(key)
  if (!answer) {
    answer = ask(updater, hook, request, timeoutMs).finally(() => onTheWay.delete(key))
    onTheWay.set(key, answer)
    return answer
  }
  const until = Date.now() + timeoutMs
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new UpdaterError(`The updater ${updater.name} did not answer in time.`)
    timer = setTimeout(() => reject(error), timeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } catch (error) {
    // Somebody else's question may have had less time.
    if (Date.now() >= until) throw error
    return await askOnce(updater, hook, request, until - Date.now())
  } finally {
    clearTimeout(timer)
  }
}

/** An updater may answer by the group as well: the revision that it asks about is named, and is the same for everybody. */
function keyOf({ id, url, caPem }: UpdaterTarget, hook: Question, { current, desired }: JsonObject): string {
  const of = (key: string) => valueAt(current, SLOTS[hook].machine, 'metadata', key) ?? null
  const sides = [current, desired].map((side) => revisionOf(hook, side as JsonObject) as unknown as Json)
  return createHash('sha256')
    .update(canonical([id ?? null, url, caPem, hook, of('namespace'), of('name'), ...sides]))
    .digest('base64')
}
