import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { requireSession } from './require-session'

const direct = inject('testServer').url
let pooler: Server
beforeAll(() => new Promise<void>((resolve) => (pooler = silentPooler()).listen(0, '127.0.0.1', resolve)))
afterAll(() => pooler.close())

/** What a pooler in transaction mode does with notifications: it leaves them out. Everything else goes through. */
function silentPooler(): Server {
  const { hostname, port } = new URL(direct)
  return createServer((client) => {
    const server = connect(Number(port), hostname)
    client.pipe(server).on('error', () => client.destroy())
    client.on('error', () => server.destroy())
    server.on('close', () => client.destroy())
    let rest = Buffer.alloc(0)
    server.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
        const message = rest.subarray(0, 1 + rest.readInt32BE(1))
        rest = rest.subarray(message.length)
        if (message[0] !== 'A'.charCodeAt(0)) client.write(message)
      }
    })
  })
}

it('takes a server that keeps sessions', async () => {
  await expect(requireSession(direct)).resolves.toBeUndefined()
})

it('refuses a pooler that loses notifications, and says what to name instead', async () => {
  const url = new URL(direct)
  url.port = String((pooler.address() as AddressInfo).port)
  await expect(requireSession(url.toString(), 300)).rejects.toThrow(/pool_mode = transaction.*session mode/s)
})
