import { pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { JsonObject } from '@/lib/domain/json'

export interface GateRecord {
  changeId?: string
  group?: string
  machine?: string | null
  answer: 'held' | 'in-place' | 'replace' | 'passed' | 'done' | 'failed'
  message: string
}

export interface Answered {
  response: JsonObject
  record: GateRecord
}

interface Waiting {
  clusterId: string
  hook: string
  record: GateRecord
  count: number
}

/**
 * Writes down what the gate answered, without holding up the answer. Identical answers in a row are one row with a
 * count, and a burst of them (older managers ask many times a second) is one write.
 */
export class GateLog {
  private waiting = new Map<string, Waiting>()
  private timer: NodeJS.Timeout | null = null
  private writing: Promise<void> = Promise.resolve()

  constructor(private readonly failed: (error: unknown) => void) {}

  add(clusterId: string, hook: string, record: GateRecord): void {
    const key = JSON.stringify([clusterId, hook, record])
    const known = this.waiting.get(key)
    if (known) known.count += 1
    // Without a database the newest are forgotten rather than kept without end.
    else if (this.waiting.size < 1_000) this.waiting.set(key, { clusterId, hook, record, count: 1 })
    this.timer ??= setTimeout(() => void this.flush(), 300)
    this.timer.unref()
  }

  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    const batch = [...this.waiting.values()]
    this.waiting = new Map()
    this.writing = this.writing.then(() => write(batch)).catch(this.failed)
    return this.writing
  }
}

const WRITE = `
WITH last AS (
  SELECT id, answer, message, change_id FROM gate_call
  WHERE cluster_id = $1 AND hook = $3 AND "group" = $4 AND machine IS NOT DISTINCT FROM $5
  ORDER BY id DESC LIMIT 1
), counted AS (
  UPDATE gate_call g SET count = g.count + $8, last_at = now() FROM last
  WHERE g.id = last.id AND last.answer = $6 AND last.message = $7 AND last.change_id IS NOT DISTINCT FROM $2::uuid
  RETURNING g.id
)
INSERT INTO gate_call (cluster_id, change_id, hook, "group", machine, answer, message, count)
SELECT $1, (SELECT id FROM change WHERE id = $2::uuid), $3, $4, $5, $6, $7, $8
WHERE EXISTS (SELECT 1 FROM management_cluster WHERE id = $1) AND NOT EXISTS (SELECT 1 FROM counted)`

async function write(batch: Waiting[]): Promise<void> {
  const changed = new Map<string, string>()
  for (const { clusterId, hook, record, count } of batch) {
    const { changeId = null, group = '', machine = null, answer, message } = record
    const { rowCount } = await pool().query(WRITE, [clusterId, changeId, hook, group, machine, answer, message, count])
    // Another answer than the last one: that it was given once more is no news.
    if (changeId && rowCount) changed.set(changeId, clusterId)
  }
  for (const [id, cluster] of changed) await announce(pool(), { topic: 'changes', cluster, ids: [id] })
}
