import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { databaseUrl, pool } from './client'
import { Listening } from './listen'
import { announce } from './notify'
import { useTestDatabase } from './testing'

useTestDatabase()
const ends: (() => void)[] = []
afterEach(() => ends.splice(0).forEach((end) => end()))
const patience = { timeout: 10_000 }

/** The database behind a wire that can be cut without a word. */
async function wire() {
  const sockets = new Set<Socket>()
  const to = new URL(databaseUrl())
  let cut = false
  const server = createServer((near) => {
    const far = connect(Number(to.port), to.hostname)
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).on('close', () => into.destroy())
      from.on('data', (bytes) => void (cut || into.write(bytes)))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  })
  const url = new URL(to)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, cut: (is: boolean) => (cut = is) }
}

test('a database that is gone without a word is missed, and heard again when it is back', async () => {
  const { url, cut } = await wire()
  const failed: unknown[] = []
  const listening = new Listening({ url: () => url, pingMs: 200, onFailed: (error) => failed.push(error) })
  const heard: string[] = []
  ends.push(listening.add(({ kind }) => heard.push(kind)))
  await expect.poll(() => heard, patience).toEqual(['gap'])
  cut(true)
  await expect.poll(() => listening.connected, patience).toBe(false)
  cut(false)
  await expect.poll(() => heard, patience).toEqual(['gap', 'lost', 'gap'])
  await announce(pool(), { topic: 'machines' })
  await expect.poll(() => heard, patience).toContain('announcement')
})

test('nobody who listens is no connection', async () => {
  const listening = new Listening()
  const stop = listening.add(() => {})
  await expect.poll(() => listening.connected, patience).toBe(true)
  stop()
  await expect.poll(() => listening.connected, patience).toBe(false)
})

test('who comes while the connection of another is being left hears, or is told that nothing is heard', async () => {
  const { url, cut } = await wire()
  const listening = new Listening({ url: () => url, pingMs: 200 })
  const leave = listening.add(() => {})
  leave()
  const heard: string[] = []
  ends.push(listening.add(({ kind }) => heard.push(kind)))
  await expect.poll(() => heard.at(-1), patience).toBe('gap')
  cut(true)
  await expect.poll(() => heard.at(-1), patience).toBe('lost')
})
