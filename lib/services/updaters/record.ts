import { pool } from '@/lib/db/client'
import { announce, MOST_IDS } from '@/lib/db/notify'
import { storable } from '@/lib/domain/text'
import { log } from '@/lib/log'
import { UpdaterError, type Hook, type UpdaterTarget } from './transport'

interface Call {
  updaterId: string
  hook: string
  ok: boolean
  message: string
  ms: number
  count: number
  /** When the newest of them was answered. */
  at: Date
}

const MOST_WAITING = 1_000
/** Rows that are kept of each updater. */
export const KEPT = 30

let waiting = new Map<string, Call>()
let timer: NodeJS.Timeout | null = null
let writing: Promise<void> = Promise.resolve()

/**
 * Does what is asked of an updater and writes down how it went, without holding up the answer. One that is not stored
 * (it is only tried out) leaves no trace. The second value is what it said, in few words; null: it was not asked.
 */
export async function noted<T>(
  updater: UpdaterTarget,
  hook: Hook | 'Discovery',
  work: () => Promise<[T, string | null]>,
): Promise<T> {
  const began = performance.now()
  const add = (ok: boolean, message: string) => {
    if (updater.id) remember({ updaterId: updater.id, hook, ok, message, ms: Math.round(performance.now() - began) })
  }
  try {
    const [value, said] = await work()
    if (said !== null) add(true, said)
    return value
  } catch (error) {
    if (error instanceof UpdaterError) add(false, error.message)
    throw error
  }
}

function remember(call: Omit<Call, 'count' | 'at'>): void {
  const key = JSON.stringify([call.updaterId, call.hook, call.ok, call.message])
  const known = waiting.get(key)
  // Without a database the newest are forgotten rather than kept without end.
  if (!known && waiting.size >= MOST_WAITING) return
  // The newest last: in this order they are written.
  waiting.delete(key)
  waiting.set(key, { ...call, count: (known?.count ?? 0) + 1, at: new Date() })
  timer ??= setTimeout(() => void flushUpdaterCalls(), 300)
  timer.unref()
}

/** Writes what is waiting; for an orderly stop and for tests. */
export function flushUpdaterCalls(): Promise<void> {
  if (timer) clearTimeout(timer)
  timer = null
  const batch = [...waiting.values()]
  waiting = new Map()
  writing = writing
    .then(() => write(batch))
    .catch((error: unknown) => log().warn({ err: error }, 'answers of updaters could not be recorded'))
  return writing
}

const CALL = `
WITH known AS (SELECT id FROM updater WHERE id = $1),
health AS (
  UPDATE updater SET asked_at = $7, answered_ms = $5, last_error = CASE WHEN $3 = 'ok' THEN NULL ELSE $4 END,
    failing_since = CASE WHEN $3 = 'ok' THEN NULL ELSE coalesce(failing_since, $7) END
  WHERE id = $1 AND (asked_at IS NULL OR asked_at <= $7)
), last AS (
  SELECT id, hook, answer, message FROM updater_call WHERE updater_id = $1 ORDER BY id DESC LIMIT 1
), counted AS (
  UPDATE updater_call c SET count = c.count + $6, last_at = $7, ms = $5 FROM last
  WHERE c.id = last.id AND last.hook = $2 AND last.answer = $3 AND last.message = $4
  RETURNING c.id
)
INSERT INTO updater_call (updater_id, hook, answer, message, ms, count, first_at, last_at)
SELECT id, $2, $3, $4, $5, $6, $7, $7 FROM known WHERE NOT EXISTS (SELECT 1 FROM counted)`

const FORGET = `
DELETE FROM updater_call WHERE updater_id = $1 AND id <= (
  SELECT id FROM updater_call WHERE updater_id = $1 ORDER BY id DESC OFFSET ${KEPT} LIMIT 1)`

async function write(batch: Call[]): Promise<void> {
  for (const { updaterId, hook, ok, message, ms, count, at } of batch)
    await pool().query(CALL, [updaterId, hook, ok ? 'ok' : 'failed', storable(message).slice(0, 600), ms, count, at])
  const ids = new Set(batch.map(({ updaterId }) => updaterId))
  for (const id of ids) await pool().query(FORGET, [id])
  // Without ids it would say that the updaters themselves changed.
  for (let from = 0; from < ids.size; from += MOST_IDS)
    await announce(pool(), { topic: 'updaters', ids: [...ids].slice(from, from + MOST_IDS) })
}
