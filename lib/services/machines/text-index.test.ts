import { expect, test } from 'vitest'
import { pool } from '@/lib/db/client'
import { whereOf } from '@/lib/db/queries/machine-where'
import { useTestDatabase } from '@/lib/db/testing'
import { parseFilter } from './filter'

useTestDatabase()

test.each(['kg8tr', 'node:worker-3', 'group:md-1,md-2', 'image:ami-0'])(
  '%s is found by its letters, which the test database keeps',
  async (text) => {
    const client = await pool().connect()
    try {
      const values: unknown[] = []
      const where = whereOf({ ...parseFilter(text), sort: 'name', descending: false }, values, 'machine')
      await client.query('BEGIN; SET LOCAL enable_seqscan = off')
      const { rows } = await client.query<object>(`EXPLAIN SELECT 1 FROM machine m WHERE ${where}`, values)
      expect(JSON.stringify(rows)).toContain('machine_text_idx')
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  },
)
