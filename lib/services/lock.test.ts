import { randomUUID } from 'node:crypto'
import { test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { databaseProxy } from '@/testenv/db-proxy'
import { withClusterLock } from './lock'

useTestDatabase()

test('work under a lock whose connection hangs meanwhile ends, and the lock is free again', async () => {
  const direct = process.env.DATABASE_URL!
  const proxy = await databaseProxy(direct)
  process.env.DATABASE_URL = proxy.url
  const id = randomUUID()
  const locked = (work: () => void) => withClusterLock(1, id, 'busy', () => Promise.resolve(work()))
  try {
    await locked(proxy.freeze)
    proxy.stop()
    process.env.DATABASE_URL = direct
    await locked(() => undefined)
  } finally {
    proxy.stop()
    process.env.DATABASE_URL = direct
  }
})
