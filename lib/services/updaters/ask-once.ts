import { createHash } from 'node:crypto'
import { canonical, revisionOf, valueAt, type Question } from '@/lib/domain/changes'
import { SLOTS } from '@/lib/domain/changes/patches'
import type { Json, JsonObject } from '@/lib/domain/json'
import { takeAlone } from './alone'
import { ask, UpdaterError, type UpdaterTarget } from './transport'

type Answer = Promise<JsonObject | null>

// Module state is not shared between Next's bundles; globalThis is.
const shared = globalThis as typeof globalThis & { __drydockQuestions?: Map<string, Answer> }
/** What this process asks now. */
const onTheWay = (shared.__drydockQuestions ??= new Map<string, Answer>())

/**
 * Asks whether an updater can do a change. Whoever asks the same while the answer is on its way (planner and gate, or two
 * lists of updaters) gets that answer, and other processes wait: no updater is asked about one change twice at a time.
 */
export async function askOnce(
  updater: UpdaterTarget,
  hook: Question,
  request: JsonObject,
  timeoutMs: number,
): Promise<JsonObject | null> {
  const key = keyOf(updater, hook, request)
  const until = Date.now() + timeoutMs
  let answer = onTheWay.get(key)
  if (!answer) {
    answer = askAlone(key, updater, hook, request, until).finally(() => onTheWay.delete(key))
    onTheWay.set(key, answer)
    return answer
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(updater)), timeoutMs)
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

const tooLate = ({ name }: UpdaterTarget) => new UpdaterError(`The updater ${name} did not answer in time.`)

async function askAlone(key: string, updater: UpdaterTarget, hook: Question, request: JsonObject, until: number) {
  const giveBack = await takeAlone(key, until)
  if (!giveBack) throw tooLate(updater)
  try {
    return await ask(updater, hook, request, Math.max(1, until - Date.now()))
  } finally {
    await giveBack()
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
