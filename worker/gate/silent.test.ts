import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, test } from 'vitest'
import { makeAuthority, makeLeaf } from './certificates'
import { serveGate } from './server'

const since = async (socket: Socket): Promise<number> => {
  const start = Date.now()
  await once(socket.on('error', () => {}).resume(), 'close')
  return Date.now() - start
}

// There are 512 places, and managers need some of them.
test('who connects and says nothing is not waited for, before and after the handshake', async () => {
  const own = await makeAuthority()
  const server = await serveGate({ host: '127.0.0.1', port: 0, material: await makeLeaf(own, ['127.0.0.1']) })
  const at = { host: '127.0.0.1', port: server.port }
  try {
    const [silent, shaken] = await Promise.all([since(connect(at)), since(connectTls({ ...at, ca: own.certPem }))])
    expect(silent).toBeLessThan(8_000)
    expect(shaken).toBeLessThan(18_000)
  } finally {
    await server.stop()
  }
}, 60_000)
