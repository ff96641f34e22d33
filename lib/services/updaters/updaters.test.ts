import { randomUUID } from 'node:crypto'
import { createServer as createPlainServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { databaseUrl, db, session } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import { until } from '@/testenv/process'
import { makeAuthority, makeLeaf, type Pair } from '@/worker/gate/certificates'
import { ROLES, type Ctx, type Role } from '../context'
import type { ServiceError } from '../errors'
import { addUpdater } from './add-updater'
import { listUpdaters } from './list-updaters'
import { removeUpdater } from './remove-updater'
import { doubtAnswers } from './ask-once'
import { canUpdate } from './can-update'
import { ask, closeUpdaters, HOOKS, UpdaterError } from './transport'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u', name: 'Ada', role } })
const admin = as('admin')
const ALL = ['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine']
const discovery = (hooks: string[]) =>
  JSON.stringify({
    status: 'Success',
    handlers: hooks.map((hook) => ({ name: hook.toLowerCase(), requestHook: { apiVersion: HOOKS, hook } })),
  })

let authority: Pair
let stranger: Pair
let server: Server
let url: string
interface Answer {
  code: number
  body: string | (() => string)
  headers?: Record<string, string>
}
let answer: Answer = { code: 200, body: discovery(ALL) }
let asked: string[] = []

beforeAll(async () => {
  authority = await makeAuthority()
  stranger = await makeAuthority()
  const leaf = await makeLeaf(authority, ['127.0.0.1', 'localhost'])
  server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    asked.push(String(request.url))
    request.resume().on('end', () => {
      response.writeHead(answer.code, answer.headers)
      response.end(typeof answer.body === 'string' ? answer.body : answer.body())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await closeUpdaters()
  server?.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
afterEach(async () => {
  await closeUpdaters()
  asked = []
  answer = { code: 200, body: discovery(ALL) }
})

const wish = (more: object = {}) => ({ name: 'reference', url, caPem: authority.certPem, ...more })
const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const saved = () => db().updater.count()

describe('adding one', () => {
  test.each(ROLES.filter((role) => role !== 'admin'))('is not for a %s, and nothing is called', async (role) => {
    expect((await failure(addUpdater(as(role), wish()))).code).toBe('forbidden')
    expect((await failure(removeUpdater(as(role), { updaterId: randomUUID() }))).code).toBe('forbidden')
    expect(asked).toEqual([])
  })

  test.each([
    ['http://updater.example:9443', 'url'],
    ['not an address', 'url'],
    ['https://user:pw@updater.example', 'url'],
    ['https://updater.example/?token=x', 'url'],
    ['https://updater.example/#x', 'url'],
    ['ftp://updater.example', 'url'],
    [`https://updater.example/${'x'.repeat(2000)}`, 'url'],
  ])('%s is refused at its field', async (bad, field) => {
    const refused = await failure(addUpdater(admin, wish({ url: bad })))
    expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field }] } })
  })

  test.each([
    '169.254.169.254',
    '2852039166',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    'metadata.google.internal',
    '100.100.100.200',
    '0.0.0.0',
  ])('https://%s is never called', async (host) => {
    const refused = await failure(addUpdater(admin, wish({ url: `https://${host}/` })))
    expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'url' }] } })
    expect(refused.message).toContain('does not call')
    expect(await saved()).toBe(0)
  })

  test('what is no certificate, or a private key, is refused and not repeated', async () => {
    for (const caPem of ['', 'hello', authority.keyPem, authority.certPem + authority.keyPem]) {
      const refused = await failure(addUpdater(admin, wish({ caPem })))
      expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'caPem' }] } })
      expect(JSON.stringify(refused.more)).not.toContain('PRIVATE KEY-----\nM')
    }
    expect(asked).toEqual([])
  })

  test('nobody there, another authority, no updater: each has its own sentence, and nothing is saved', async () => {
    const unreachable = await failure(addUpdater(admin, wish({ url: 'https://127.0.0.1:1' })))
    expect(unreachable.message).toBe('The updater reference cannot be reached (ECONNREFUSED).')
    const wrong = await failure(addUpdater(admin, wish({ caPem: stranger.certPem })))
    expect(wrong.message).toMatch(/cannot be reached \((UNABLE|CERT|SELF|DEPTH)/)
    const plain = createPlainServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => plain.once('listening', resolve))
    const at = `https://127.0.0.1:${(plain.address() as AddressInfo).port}`
    const speechless = await failure(addUpdater(admin, wish({ url: at })))
    expect(speechless.message).toBe('What answers for the updater reference does not speak TLS.')
    plain.closeAllConnections()
    await new Promise((resolve) => plain.close(resolve))
    const cases: [Answer, RegExp][] = [
      [{ code: 404, body: 'nothing here' }, /answered HTTP 404: nothing here/],
      [{ code: 200, body: '<html>' }, /did not answer with JSON/],
      [{ code: 200, body: '[]' }, /did not answer with a JSON object/],
      [{ code: 200, body: '{"status":"Failure","message":"not today"}' }, /refuses discovery: not today/],
      [
        { code: 200, body: discovery(['UpdateMachine']) },
        /does not handle CanUpdateMachineSet and CanUpdateMachine, so it cannot be asked about/,
      ],
      [
        { code: 200, body: discovery(['CanUpdateMachine']) },
        /does not handle UpdateMachine, so it can update no machine/,
      ],
      [{ code: 200, body: () => JSON.stringify({ x: 'x'.repeat(5 << 20) }) }, /more than 4 MiB/],
    ]
    for (const [given, sentence] of cases) {
      answer = given
      await closeUpdaters()
      expect((await failure(addUpdater(admin, wish()))).message).toMatch(sentence)
    }
    expect(await saved()).toBe(0)
    expect(await db().auditEvent.count()).toBe(0)
  })

  test('a redirect is not followed', async () => {
    answer = { code: 307, body: '', headers: { location: `${url}/elsewhere` } }
    expect((await failure(addUpdater(admin, wish()))).message).toContain('HTTP 307')
    expect(asked).toHaveLength(1)
  })

  test('what an updater says of credentials does not get out', async () => {
    answer = { code: 500, body: 'join with token=abcdef.0123456789abcdef now' }
    const said = (await failure(addUpdater(admin, wish()))).message
    expect(said).toContain('HTTP 500')
    expect(said).not.toContain('0123456789abcdef')
  })

  test('a good one is saved in order, audited, listed without its authority, and its name is taken', async () => {
    const first = await addUpdater(admin, wish())
    const second = await addUpdater(admin, wish({ name: 'second' }))
    expect([first.position, second.position]).toEqual([0, 1])
    expect((await failure(addUpdater(admin, wish()))).more.fields).toEqual([
      { field: 'name', message: 'There is already an updater named reference.' },
    ])
    const listed = await listUpdaters(as('viewer'))
    expect(listed.map((u) => u.name)).toEqual(['reference', 'second'])
    expect(JSON.stringify(listed)).not.toContain('CERTIFICATE')
    expect(await db().auditEvent.findFirst({ where: { action: 'updater.added' } })).toMatchObject({
      answer: `handles ${ALL.join(', ')}`,
    })
  })
})

describe('asking and taking out', () => {
  test('whatever is not a Success is an error, never an answer', async () => {
    const stored = await db().updater.findFirstOrThrow({ where: { name: 'reference' } })
    await ask(stored, 'CanUpdateMachine', {}, 2_000)
    answer = { code: 200, body: '{"status":"Failure","message":"busy"}' }
    await expect(ask(stored, 'CanUpdateMachine', {}, 2_000)).rejects.toThrow('says: busy')
    answer = { code: 200, body: '{"status":"Failure"}' }
    await expect(ask(stored, 'CanUpdateMachine', {}, 2_000)).rejects.toThrow('says: no, without a word why')
    answer = { code: 200, body: '{"foo":1}' }
    await expect(ask(stored, 'CanUpdateMachine', {}, 2_000)).rejects.toThrow('answered without status')
    await expect(ask(stored, 'CanUpdateMachine', {}, 0)).rejects.toThrow(/in time|no time/)
  })

  test('one that an update is running with stays', async () => {
    const { id: clusterId } = await db().managementCluster.create({
      data: { name: 'm', server: 'https://127.0.0.1:1' },
    })
    const change = await db().change.create({
      data: {
        ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'f', groupName: 'g' },
        ...{ workloadCluster: 'w', fingerprint: 'a', state: 'running', summary: 's', changeSet: {}, outlook: {} },
        ...{ heldBy: 'gate', resourceVersion: '1', machines: 1 },
        decisions: {
          create: { fingerprint: 'a', mode: 'in-place', actorId: 'a', actorName: 'Ada', state: 'seen' },
        },
      },
    })
    const { id: updaterId } = await db().updater.findFirstOrThrow({ where: { name: 'reference' } })
    const refused = await failure(removeUpdater(admin, { updaterId }))
    expect(refused).toMatchObject({ code: 'conflict', message: '1 change is being updated in place right now.' })
    await db().change.update({ where: { id: change.id }, data: { state: 'done' } })
    await removeUpdater(admin, { updaterId })
    expect((await failure(removeUpdater(admin, { updaterId }))).code).toBe('not-found')
    expect(await db().auditEvent.count({ where: { action: 'updater.removed' } })).toBe(1)
  })
})

describe('what may be updated in place', () => {
  const side = (version: string, priority: number): JsonObject => ({
    machine: { spec: { version } },
    infrastructureMachine: { spec: { priority } },
  })
  const patch = (object: unknown) => ({
    patchType: 'JSONMergePatch',
    patch: Buffer.from(JSON.stringify(object)).toString('base64'),
  })
  const question = (priority: number) => ({ current: side('v1', priority), desired: side('v2', priority) })
  const answers = (more: object) => {
    answer = { code: 200, body: JSON.stringify({ ...(JSON.parse(discovery(ALL)) as object), ...more }) }
    const updater = { name: 'reference', url, caPem: authority.certPem }
    return (priority: number) => canUpdate([updater], 'CanUpdateMachine', question(priority), 5_000)
  }

  test('asked the same twice at a time, it hears it once', async () => {
    const about = answers({ machinePatch: patch({ spec: { version: 'v2' } }) })
    await about(1)
    asked = []
    const heard = () => asked.filter((path) => path.includes('/canupdatemachine/')).length
    const results = await Promise.all([about(3), about(3), about(4)])
    expect(results.map(({ covered }) => covered)).toEqual([true, true, true])
    expect(heard()).toBe(2)
    await about(3)
    expect(heard()).toBe(3)
  })

  test('a refusal is heard once as well, and said to all who asked', async () => {
    const about = answers({})
    await about(1)
    answer.body = () => JSON.stringify({ status: 'Failure', message: 'not today' })
    asked = []
    const results = await Promise.allSettled([about(6), about(6), about(6), about(6)])
    expect(results.map((r) => r.status === 'rejected' && String(r.reason))).toEqual(
      Array(4).fill(expect.stringContaining('not today')),
    )
    expect(asked.filter((path) => path.includes('/canupdatemachine/'))).toHaveLength(1)
  })

  test('in doubt, an answer that is on its way is good for those only who had asked before', async () => {
    const about = answers({})
    await about(1)
    const said = [{ machinePatch: patch({ spec: { version: 'v2' } }) }, {}]
    answer.body = () => JSON.stringify({ status: 'Success', ...said.shift() })
    const first = about(8)
    // It is on its way.
    await until('it is asked', async () => said.length === 1, { every: 1 })
    doubtAnswers()
    expect((await about(8)).covered).toBe(false)
    expect((await first).covered).toBe(true)
  })

  test('what another process is asking, it hears when that one is done', async () => {
    const about = answers({ machinePatch: patch({ spec: { version: 'v2' } }) })
    await about(1)
    asked = []
    const heard = () => asked.filter((path) => path.includes('/canupdatemachine/')).length
    // The other process: a connection of its own has every key that is asked for.
    const keys = vi.spyOn(session(), 'query')
    await about(5)
    const key = (keys.mock.calls[0] as unknown as [string, string[]])[1][0]!
    const other = new pg.Client({ connectionString: databaseUrl() })
    await other.connect()
    await other.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [key])
    asked = []
    const waiting = about(5)
    await until('it tries again', async () => keys.mock.calls.length > 5, { every: 10 })
    expect(heard()).toBe(0)
    await other.end()
    expect((await waiting).covered).toBe(true)
    expect(heard()).toBe(1)
    keys.mockRestore()
  })

  test('Cluster API gets what was compared, not what the updater wrote', async () => {
    const machinePatch = patch({ spec: { version: 'v2', absent: null }, metadata: { labels: { a: 'b' } } })
    const result = await answers({ machinePatch })(7)
    expect(result).toMatchObject({ covered: true, uncovered: [] })
    const sent = result.patches.machinePatch as { patchType: string; patch: string }
    expect(Object.keys(result.patches)).toEqual(['machinePatch'])
    expect(JSON.parse(Buffer.from(sent.patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/spec', value: { version: 'v2' } },
    ])
  })

  test('a number that JSON here cannot keep is refused, in the question and in the answer', async () => {
    await expect(answers({ machinePatch: patch({ spec: { version: 'v2' } }) })(2 ** 53)).rejects.toThrow(
      /The question has a number that cannot be kept exactly/,
    )
    await expect(answers({ machinePatch: patch({ spec: { version: 'v2', x: 2 ** 60 } }) })(7)).rejects.toThrow(
      UpdaterError,
    )
  })
})
