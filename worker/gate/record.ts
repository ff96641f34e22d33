import { pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { JsonObject } from '@/lib/domain/json'
import { storableDeep } from '@/lib/domain/text'

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

  add(clusterId: string, hook: string, told: GateRecord): void {
    // Names are as they were sent: one that no database takes would keep a whole batch from being written.
    const record = storableDeep(told) as GateRecord
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
    this.writing = this.writing.then(() => this.writeNext()).catch(this.failed)
    return this.writing
  }

  /** What came meanwhile waits until the batch before is written: so no more than one is kept beside it. */
  private async writeNext(): Promise<void> {
    const batch = [...this.waiting.values()]
    this.waiting = new Map()
    await write(batch)
  }
}

/** Rows are locked in one order: two workers that were asked the same wait for each other, and neither for ever. */
const WRITE = `
WITH asked AS (
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[])
    WITH ORDINALITY AS a (cluster_id, change_id, hook, "group", machine, answer, message, count, n)
), same AS MATERIALIZED (
  SELECT last.id, asked.n, asked.count FROM asked CROSS JOIN LATERAL (
    SELECT id, answer, message, change_id FROM gate_call
    WHERE cluster_id = asked.cluster_id AND "group" = asked."group" AND hook = asked.hook
      AND machine IS NOT DISTINCT FROM asked.machine ORDER BY id DESC LIMIT 1
  ) last
  WHERE last.answer = asked.answer AND last.message = asked.message AND last.change_id IS NOT DISTINCT FROM asked.change_id
), locked AS MATERIALIZED (
  SELECT id FROM gate_call WHERE id IN (SELECT id FROM same) ORDER BY id FOR UPDATE
), counted AS (
  UPDATE gate_call g SET count = g.count + same.count, last_at = now()
  FROM same JOIN locked USING (id) WHERE g.id = same.id RETURNING same.n
)
INSERT INTO gate_call (cluster_id, change_id, hook, "group", machine, answer, message, count)
SELECT cluster_id, (SELECT id FROM change WHERE id = asked.change_id), hook, "group", machine, answer, message, count
FROM asked WHERE n NOT IN (SELECT n FROM counted) AND EXISTS (SELECT 1 FROM management_cluster m WHERE m.id = asked.cluster_id)
ORDER BY n RETURNING cluster_id AS cluster, change_id AS change`

async function write(batch: Waiting[]): Promise<void> {
  const changed = new Map<string, Set<string>>()
  for (const round of rounds(batch)) {
    const column = <T>(of: (one: Waiting) => T) => round.map(of)
    const { rows } = await pool().query<{ cluster: string; change: string | null }>(WRITE, [
      ...[column((one) => one.clusterId), column(({ record }) => record.changeId ?? null), column((one) => one.hook)],
      ...[column(({ record }) => record.group ?? ''), column(({ record }) => record.machine ?? null)],
      ...[column(({ record }) => record.answer), column(({ record }) => record.message), column((one) => one.count)],
    ])
    // Another answer than the last one: that it was given once more is no news.
    for (const { cluster, change } of rows) {
      const ids = changed.get(cluster) ?? new Set()
      changed.set(cluster, change ? ids.add(change) : ids)
    }
  }
  // What is told of a whole Cluster names none of its changes.
  for (const [cluster, ids] of changed)
    await announce(pool(), { topic: 'changes', cluster, ...(ids.size > 0 && { ids: [...ids] }) })
}

/** In order: of what was asked about the same, the second answer is held against the first one's row. */
function rounds(batch: readonly Waiting[]): Waiting[][] {
  const made: Waiting[][] = []
  const before = new Map<string, number>()
  for (const one of batch) {
    const { clusterId, hook, record } = one
    const key = JSON.stringify([clusterId, hook, record.group, record.machine])
    const round = before.get(key) ?? 0
    before.set(key, round + 1)
    ;(made[round] ??= []).push(one)
  }
  return made
}
