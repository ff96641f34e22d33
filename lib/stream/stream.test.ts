import { afterEach, describe, expect, it } from 'vitest'
import { announceAccess } from '@/lib/db/access'
import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { useTestDatabase } from '@/lib/db/testing'
import { merged, StreamClient } from './client'
import { Hub } from './hub'

useTestDatabase()
const hubs: Hub[] = []
afterEach(() => hubs.splice(0).forEach((hub) => hub.closeAll()))

async function until(check: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 25_000; !check();) {
    if (Date.now() > deadline) throw new Error('waited too long')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function tab(userId = 'u') {
  const state = { said: [] as string[], room: true, closed: false }
  const client = new StreamClient(userId, {
    write: (text) => state.said.push(...text.split('\n').filter((line) => line.startsWith('data: '))),
    room: () => state.room,
    close: () => (state.closed = true),
  })
  return Object.assign(state, { client })
}

async function joined(hub: Hub, userId: string, may: () => Promise<boolean>) {
  const one = tab(userId)
  hub.join(one.client, may)
  await until(() => hub.listening.connected && one.said.length > 0) // the first word is the gap before it listened
  one.said.length = 0
  return one
}

describe('the event stream', () => {
  it('carries announcements from Postgres to every tab, and comes back after a lost connection', async () => {
    const hub = new Hub()
    hubs.push(hub)
    const [a, b] = [await joined(hub, 'a', async () => true), await joined(hub, 'b', async () => true)]
    for (let n = 0; n < 40; n++)
      await announce(pool(), { topic: 'machines', cluster: 'c', ids: [String(n % 3)], heardAt: n + 1 })
    await until(() => a.said.length > 0 && b.said.length > 0)
    expect(JSON.parse(a.said[0]!.slice(6))).toMatchObject({ topic: 'machines', cluster: 'c', heardAt: 1 })
    expect(a.said.length).toBeLessThan(10)
    a.said.length = 0
    await db()
      .$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`
    // Nobody is left with a stream that hears nothing: they come back, and are told when there is something to hear.
    await until(() => a.closed && b.closed)
    const back = tab('a')
    hub.join(back.client, async () => true)
    await until(() => back.said.includes('data: {"resync":true}'))
  })

  it('beats by an event that a page hears, and is nothing that changed', () => {
    const written: string[] = []
    new StreamClient('u', { write: (text) => written.push(text), room: () => true, close: () => {} }).heartbeat()
    // Without data a browser tells nobody; named, it is no message.
    expect(written.at(-1)).toMatch(/^event: beat\ndata: .+\n\n$/)
  })

  it('says to each tab that it hears, also to those that come later', async () => {
    const hub = new Hub()
    hubs.push(hub)
    await joined(hub, 'a', async () => true)
    const later = tab('b')
    hub.join(later.client, async () => true)
    await until(() => later.said.includes('data: {"resync":true}'))
  })

  it('comes back whenever the last tab leaves, also while its connection to Postgres is being made', async () => {
    for (let turns = 0; turns < 60; turns++) {
      const hub = new Hub()
      hubs.push(hub)
      const leave = hub.join(tab('a').client, async () => true)
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      leave()
      const next = tab('a')
      hub.join(next.client, async () => true)
      await until(() => next.said.length > 0)
      hub.closeAll()
    }
  })

  it('closes at once when the account may no longer read, and only its own', async () => {
    const hub = new Hub()
    hubs.push(hub)
    let allowed = true
    const a = await joined(hub, 'a', async () => allowed)
    const b = tab('b')
    hub.join(b.client, async () => allowed)
    allowed = false
    await announceAccess(db(), 'a')
    await until(() => a.closed)
    expect([b.closed, hub.size]).toEqual([false, 1])
  })

  it('a slow tab is told to start over, and nothing piles up for it', async () => {
    const slow = tab()
    slow.room = false
    for (let n = 0; n < 5_000; n++) slow.client.hear({ topic: 'machines', cluster: `c${n}` })
    await new Promise((resolve) => setImmediate(resolve))
    slow.room = true
    await until(() => slow.said.length > 0)
    expect(slow.said).toEqual(['data: {"resync":true}'])
    slow.client.close()
  })

  it('merges what is about the same rows', () => {
    expect(merged({ topic: 'machines', ids: ['1'] }, { topic: 'machines', ids: ['1', '2'] }).ids).toEqual(['1', '2'])
    expect(merged({ topic: 'machines', ids: ['1'] }, { topic: 'machines' }).ids).toBeUndefined()
    const many = Array.from({ length: 60 }, (_, n) => String(n))
    expect(merged({ topic: 'machines', ids: many }, { topic: 'machines', ids: ['x'] }).ids).toBeUndefined()
  })
})
