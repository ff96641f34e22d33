import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Agent, request } from 'undici'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { readSecrets, writeSecrets } from '@/lib/services/clusters/secrets'
import { makeAuthority, makeLeaf, type Pair } from './certificates'
import { clientAuthorities } from './client-certificates'
import { HOOKS } from './constants'
import { startGate, type Gate } from './index'
import { serveGate } from './server'

useTestDatabase()

const dir = mkdtempSync(join(tmpdir(), 'drydock-clients-'))
const file = join(dir, 'ca.pem')
const clusterId = randomUUID()
let token = ''
let ca = ''
let gate: Gate
let [trusted, other]: Pair[] = []

beforeAll(async () => {
  process.env.DRYDOCK_KEY = randomBytes(32).toString('base64')
  ;[trusted, other] = [await makeAuthority(), await makeAuthority()]
  writeFileSync(file, trusted.certPem)
  process.env.DRYDOCK_GATE_CLIENT_CA_FILE = file
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  ca = (await db().gateCertificate.findFirstOrThrow({ where: { role: 'ca' } })).certPem
  await db().managementCluster.create({ data: { id: clusterId, name: 'm', server: 'https://127.0.0.1:1' } })
  await db().$transaction((tx) => writeSecrets(tx, clusterId, { server: 'https://127.0.0.1:1' }))
  token = (await readSecrets(clusterId)).gateToken
})
afterAll(async () => {
  delete process.env.DRYDOCK_GATE_CLIENT_CA_FILE
  await gate?.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function ask(path: string, shown: Pair | null, at = gate.url, trust = ca): Promise<[number, string]> {
  const agent = new Agent({ connect: { ca: trust, ...(shown ? { cert: shown.certPem, key: shown.keyPem } : {}) } })
  try {
    const options = { method: 'POST' as const, body: '{}', dispatcher: agent }
    const { statusCode, body } = await request(`${at}${path}`, options)
    return [statusCode, await body.text()]
  } finally {
    await agent.close()
  }
}
/** One question, in a session that is taken up again if one is given. */
async function within(maxVersion: 'TLSv1.2' | 'TLSv1.3', shown: Pair | null, session?: Buffer) {
  const client = shown ? { cert: shown.certPem, key: shown.keyPem } : {}
  const { hostname: host, port } = new URL(gate.url)
  const socket = connect({ host, port: Number(port), ca, session, maxVersion, servername: '', ...client })
  const heard: { session?: Buffer } = {}
  socket.on('session', (next) => (heard.session = next))
  await once(socket, 'secureConnect')
  const again = socket.isSessionReused()
  socket.write(`POST ${hook()} HTTP/1.1\r\nhost: gate\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`)
  const said = await text(socket)
  return { code: Number(said.split(' ')[1]), again, session: heard.session }
}
const hook = () => `/c/${clusterId}/${token}/${HOOKS}/canupdatemachine`
const asked = [200, expect.stringContaining('the request names no object')]
const refused = [403, expect.stringContaining('has to show a client certificate')]

describe('where managers have to show a client certificate', () => {
  test('only who shows one of a trusted authority, made for clients, is answered', async () => {
    expect(await ask(hook(), await makeLeaf(trusted!, ['m'], 'clientAuth'))).toEqual(asked)
    expect(await ask(hook(), null)).toEqual(refused)
    expect(await ask(hook(), await makeLeaf(other!, ['m'], 'clientAuth'))).toEqual(refused)
    expect(await ask(hook(), await makeLeaf(trusted!, ['m']))).toEqual(refused)
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a session of %s that is taken up again is as good as it was',
    async (tls) => {
      const none = await within(tls, null)
      expect(none.code).toBe(403)
      expect((await within(tls, null, none.session)).code).toBe(403)
      const shown = await makeLeaf(trusted!, ['m'], 'clientAuth')
      const one = await within(tls, shown)
      expect(one.code).toBe(200)
      expect(await within(tls, shown, one.session)).toMatchObject({ code: 200, again: true })
    },
  )

  test('the discovery is answered to everybody, and so are API servers about the latch', async () => {
    expect((await ask(`/c/${clusterId}/${token}/${HOOKS}/discovery`, null))[0]).toBe(200)
    expect((await ask('/latch', null))[0]).toBe(200)
  })

  test('authorities change, and so does its own certificate, without a moment of refusal', async () => {
    const own = await makeAuthority()
    const material = await makeLeaf(own, ['127.0.0.1'])
    const server = await serveGate({ host: '127.0.0.1', port: 0, material, clientCa: trusted!.certPem })
    const at = `https://127.0.0.1:${server.port}`
    const says = async (shown: Pair) => (await ask(hook(), shown, at, own.certPem))[0]
    const [first, second] = [await makeLeaf(trusted!, ['m'], 'clientAuth'), await makeLeaf(other!, ['m'], 'clientAuth')]
    try {
      expect([await says(first), await says(second)]).toEqual([200, 403])
      server.trust(`${trusted!.certPem}\n${other!.certPem}`)
      expect([await says(first), await says(second)]).toEqual([200, 200])
      server.renew(await makeLeaf(own, ['127.0.0.1']))
      server.trust(other!.certPem)
      expect([await says(first), await says(second)]).toEqual([403, 200])
    } finally {
      await server.stop()
    }
  })
})

test('a file that is named and is none keeps the gate from starting', () => {
  expect(clientAuthorities('')).toBeNull()
  expect(() => clientAuthorities(join(dir, 'none.pem'))).toThrow('none.pem')
  writeFileSync(join(dir, 'key.pem'), 'no certificate')
  expect(() => clientAuthorities(join(dir, 'key.pem'))).toThrow('holds no certificate in PEM')
})
