import { expect, test } from 'vitest'
import { db, pool } from './client'
import { Listening, type Heard } from './listen'
import { announce, MOST_IDS, type Announcement } from './notify'
import { useTestDatabase } from './testing'

useTestDatabase()

test.each([
  ['as many as are named', Array.from({ length: MOST_IDS }, () => crypto.randomUUID()), MOST_IDS],
  ['a thousand', Array.from({ length: 1000 }, () => crypto.randomUUID()), undefined],
  ['few that are long', Array.from({ length: 40 }, () => 'ü'.repeat(300)), undefined],
])('an announcement of %s ids is heard, and the transaction goes on', async (_, ids, named) => {
  const heard: Announcement[] = []
  const listening = new Listening()
  const stop = listening.add((h: Heard) => h.kind === 'announcement' && heard.push(h.message))
  await expect.poll(() => listening.connected, { timeout: 10_000 }).toBe(true)
  await db().$transaction((tx) => announce(tx, { topic: 'changes', cluster: 'c', ids, heardAt: 7 }))
  await announce(pool(), { topic: 'changes', cluster: 'c', ids, heardAt: 7 })
  await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(2)
  for (const message of heard) {
    expect(message).toMatchObject({ topic: 'changes', cluster: 'c', heardAt: 7 })
    expect(message.ids?.length).toBe(named)
  }
  stop()
})
