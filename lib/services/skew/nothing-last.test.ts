import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Ctx } from '../context'
import { listBootImages, type BootImageRow } from './list'
import { generateBootImages } from './testing'

useTestDatabase()

const viewer: Ctx = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'viewer' } }

beforeAll(async () => {
  await generateBootImages(40)
  const discovery = { openshift: { version: '4.22.4' } }
  await db().managementCluster.create({ data: { name: 'unread', server: '', state: 'connected', discovery } })
})

async function all(sort: string, dir: string): Promise<BootImageRow[]> {
  const rows: BootImageRow[] = []
  let after: string | null = null
  do {
    const page = await listBootImages(viewer, { sort, dir, limit: 7, ...(after && { after }) })
    rows.push(...page.clusters)
    after = page.after
  } while (after !== null)
  return rows
}

test.each<[string, (c: BootImageRow) => unknown]>([
  ['review', (c) => c.reviewAt],
  ['distance', (c) => c.distance],
  ['version', (c) => c.version],
])('what has nothing to be sorted by %s comes last, whichever way, and every cluster once', async (sort, value) => {
  for (const dir of ['asc', 'desc']) {
    const rows = await all(sort, dir)
    expect(new Set(rows.map(({ name }) => name)).size).toBe(41)
    expect(rows).toHaveLength(41)
    const has = rows.map((row) => value(row) !== null)
    expect(has.includes(false)).toBe(true)
    expect(has.indexOf(false)).toBe(has.lastIndexOf(true) + 1)
  }
})
