import { createHash } from 'node:crypto'
import { canonical, valueAt, type Question } from '@/lib/domain/changes'
import { askedText, SLOTS } from '@/lib/domain/changes/patches'
import type { JsonObject } from '@/lib/domain/json'
import { takeAlone } from './alone'
import { ask, UpdaterError, type UpdaterTarget } from './transport'

interface Asked {
  answer: Promise<JsonObject | null>
  until: number
  doubted: boolean
}

// Module state is not shared between Next's bundles; globalThis is.
const shared = globalThis as typeof globalThis & { __drydockQuestions?: Map<string, Asked> }
/** What this process asks now. */
const onTheWay = (shared.__drydockQuestions ??= new Map<string, Asked>())

/** What is on its way was asked before something changed: whoever asks from now on waits until it is over, and asks anew. */
export function doubtAnswers(): void {
  for (const [key, question] of onTheWay) onTheWay.set(key, { ...question, doubted: true })
}

/**
 * Asks whether an updater can do a change. Whoever asks the same while the answer is on its way (planner and gate, or two
 * lists of updaters) gets that answer, also a refusal, and other processes wait: no updater is asked about one change twice
 * at a time.
 */
export async function askOnce(
  updater: UpdaterTarget,
  hook: Question,
  request: JsonObject,
  timeoutMs: number,
): Promise<JsonObject | null> {
  const key = keyOf(updater, hook, request)
  const until = Date.now() + timeoutMs
  const before = onTheWay.get(key)
  if (!before) {
    const answer = askAlone(key, updater, hook, request, until).finally(() => onTheWay.delete(key))
    onTheWay.set(key, { answer, until, doubted: false })
    return answer
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(updater)), timeoutMs)
  })
  try {
    const answer = await Promise.race([before.answer, late])
    if (!before.doubted) return answer
  } catch (error) {
    // That question may have had less time than this one.
    if (Date.now() >= until || (!before.doubted && Date.now() < before.until - 100)) throw error
  } finally {
    clearTimeout(timer)
  }
  return askOnce(updater, hook, request, until - Date.now())
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
function keyOf({ id, url, caPem }: UpdaterTarget, hook: Question, request: JsonObject): string {
  const of = (key: string) => valueAt(request.current, SLOTS[hook].machine, 'metadata', key) ?? null
  return createHash('sha256')
    .update(canonical([id ?? null, url, caPem, hook, of('namespace'), of('name'), askedText(hook, request)]))
    .digest('base64')
}
