import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { recordAudit } from '@/lib/services/audit/record'
import { systemCtx } from '@/lib/services/context'
import { as, failure } from '@/testenv/deciding'
import { receiver, type Receiver } from '@/testenv/receiver'
import { startMessages } from '@/worker/messages'
import { until } from '@/testenv/process'
import { deliverMessages } from './deliver'
import { messagesOverview } from './messages-overview'
import { removeWebhook } from './remove-webhook'
import { setWebhook } from './set-webhook'
import { tellSilence } from './tell-silence'
import { testWebhook } from './test-webhook'

useTestDatabase()
const admin = as('admin')
let there: Receiver
beforeAll(async () => {
  there = await receiver()
})
afterAll(async () => there.stop())
beforeEach(async () => {
  await db().message.deleteMany()
  await db().webhook.deleteMany()
  there.got.length = 0
  there.answers(200)
})

const TOKEN = 'abc-123'
const set = (more: object = {}) => setWebhook(admin, { url: there.url, token: TOKEN, ...more })
const change = randomUUID()
const recorded = (action: string, more: object = {}) =>
  db().$transaction((tx) =>
    recordAudit(tx, systemCtx('holds'), {
      action,
      target: { kind: 'MachineDeployment', id: change, name: 'prod/workers-a' },
      cluster: { id: randomUUID(), name: 'atlas' },
      reason: 'password=hunter2',
      details: { since: '2026-11-20T08:30:00.000Z', summary: 'v1 → v2' },
      ...more,
    }),
  )
const states = async () => (await messagesOverview(admin)).messages.map(({ kind, state }) => `${kind} ${state}`)
const due = () => db().message.updateMany({ data: { nextAt: new Date(Date.now() - 1) } })

describe('what is told', () => {
  test('is written with what goes on record, and posted: who, what, where, a link, and nothing else', async () => {
    await set()
    await recorded('hold.dangerous')
    await recorded('change.approved')
    expect(await states()).toEqual(['hold-dangerous waiting'])
    await deliverMessages()
    expect(there.got).toHaveLength(1)
    const [{ headers, body }] = there.got as [(typeof there.got)[number]]
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`)
    expect(body).toEqual({
      ...{ version: 1, id: expect.any(String), kind: 'hold-dangerous', at: expect.any(String) },
      sentence: expect.stringContaining('MachineDeployment prod/workers-a has stood still since 2026-11-20 08:30 UTC'),
      ...{ cluster: 'atlas', object: { kind: 'MachineDeployment', namespace: 'prod', name: 'workers-a' }, by: null },
      link: `/updates/${change}`,
    })
    expect(await states()).toEqual(['hold-dangerous delivered'])
    await due()
    await deliverMessages()
    expect(there.got).toHaveLength(1)
  })

  test('names whose decision it was, and links to Drydock where that knows its address', async () => {
    await set()
    process.env.DRYDOCK_URL = 'https://drydock.example.com'
    await db().$transaction((tx) =>
      recordAudit(tx, as('approver', 'Bo'), {
        ...{ action: 'decision.failed', target: { kind: 'MachineDeployment', id: change, name: 'prod/a' } },
        answer: 'the server’s own words',
      }),
    )
    delete process.env.DRYDOCK_URL
    await deliverMessages()
    const { body } = there.got[0]!
    expect(body).toMatchObject({ kind: 'decision-failed', by: 'Bo', cluster: null })
    expect(body.link).toBe(`https://drydock.example.com/updates/${change}`)
    expect(JSON.stringify(body)).not.toContain('own words')
  })

  test('goes with its event, or not at all', async () => {
    await set()
    const undone = db().$transaction(async (tx) => {
      await recordAudit(tx, systemCtx('holds'), {
        ...{ action: 'hold.reminded', target: { kind: 'MachineDeployment', id: change, name: 'prod/a' } },
      })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await states()).toEqual([])
  })

  test('nothing is kept where messages go nowhere', async () => {
    await recorded('hold.dangerous')
    expect(await db().message.count()).toBe(0)
  })

  test('a management cluster that is silent for long, once; again when it was heard meanwhile', async () => {
    await set()
    const heard = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    const cluster = { name: 'tidal', server: 'https://x', state: 'unreachable', createdAt: heard(600) }
    const { id } = await db().managementCluster.create({ data: { ...cluster, lastHeardAt: heard(10) } })
    const hears = (minutes: number) =>
      db().managementCluster.update({ where: { id }, data: { lastHeardAt: heard(minutes) } })
    await tellSilence()
    expect(await states()).toEqual([])
    await hears(20)
    await Promise.all([tellSilence(), tellSilence()])
    await tellSilence()
    expect(await states()).toEqual(['cluster-silent waiting'])
    await hears(0)
    await tellSilence()
    await hears(20)
    await tellSilence()
    expect(await states()).toHaveLength(2)
    await db().managementCluster.delete({ where: { id } })
  })
})

describe('at least once', () => {
  test('refused, it is tried again later, as the same message', async () => {
    await set()
    await recorded('hold.reminded')
    there.answers(503)
    await deliverMessages()
    const [first] = (await messagesOverview(admin)).messages
    expect(first).toMatchObject({ state: 'waiting', attempts: 1, result: 'HTTP 503', nextAt: expect.any(String) })
    await deliverMessages()
    expect(there.got).toHaveLength(1)
    await due()
    there.answers(204)
    await deliverMessages()
    expect(there.got.map(({ body }) => body.id)).toEqual([first!.id, first!.id])
    expect(await states()).toEqual(['hold-old delivered'])
  })

  test('a redirect is not followed, and what cannot be reached says so', async () => {
    await set()
    await recorded('hold.reminded')
    there.answers(302)
    await deliverMessages()
    expect((await messagesOverview(admin)).messages[0]).toMatchObject({ state: 'waiting', result: 'HTTP 302' })
    await set({ url: 'http://127.0.0.1:9/' })
    await due()
    await deliverMessages()
    expect((await messagesOverview(admin)).messages[0]!.result).toMatch(/^cannot be reached/)
  })

  test('after a day it is given up, and shown', async () => {
    await set()
    await recorded('hold.reminded')
    await db().message.updateMany({ data: { createdAt: new Date(Date.now() - 25 * 3_600_000) } })
    there.answers(500)
    await deliverMessages()
    expect(await states()).toEqual(['hold-old failed'])
  })

  test('of several workers each takes others; what one left behind, another takes', async () => {
    await set()
    for (let i = 0; i < 12; i++) await recorded('hold.reminded')
    const all = await Promise.all([deliverMessages(), deliverMessages(), deliverMessages()])
    expect(all).toContain(true)
    expect(new Set(there.got.map(({ body }) => body.id)).size).toBe(there.got.length)
    // One that died after it had taken some.
    await db().message.updateMany({ data: { deliveredAt: null, attempts: 1, nextAt: new Date(Date.now() - 1) } })
    const rounds = startMessages({ intervalMs: 20 })
    await until('all of them', async () => (await db().message.count({ where: { deliveredAt: null } })) === 0, {
      ms: 10_000,
    })
    await rounds.stop()
  })
})

describe('where they go', () => {
  test('an admin says it: sealed, never shown again, on record by its host alone', async () => {
    await set()
    const row = await db().webhook.findUniqueOrThrow({ where: { id: 1 } })
    const stored = JSON.stringify(row) + Buffer.from(row.sealed).toString('latin1')
    for (const secret of ['s3cret', TOKEN]) expect(stored).not.toContain(secret)
    const shown = await messagesOverview(admin)
    expect(shown.webhook).toMatchObject({ token: true, setBy: 'Ada' })
    const events = JSON.stringify(await db().auditEvent.findMany(), (_, v: unknown) => (typeof v === 'bigint' ? 0 : v))
    for (const secret of ['s3cret', TOKEN]) expect(JSON.stringify(shown) + events).not.toContain(secret)
    for (const verb of [messagesOverview, removeWebhook, testWebhook, (ctx: typeof admin) => setWebhook(ctx, {})])
      expect((await failure(verb(as('approver')))).code).toBe('forbidden')
  })

  test.each([
    ['http://alerts.example.com/x', 'must begin with https://'],
    ['https://169.254.169.254/latest', 'does not call this address'],
    ['https://user:pass@alerts.example.com/', 'no user and no password'],
    ['ftp://alerts.example.com/', 'must begin with https://'],
    ['nonsense', 'not an address'],
  ])('%s: %s', async (url, words) => {
    const error = await failure(setWebhook(admin, { url }))
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining(words) })
  })

  test('without TLS only on this machine, and only where Drydock has no address of its own', async () => {
    process.env.DRYDOCK_URL = 'https://drydock.example.com'
    expect((await failure(set())).message).toContain('https://')
    delete process.env.DRYDOCK_URL
  })

  test('a test message is posted at once, and says what came of it', async () => {
    expect((await failure(testWebhook(admin))).code).toBe('not-found')
    await set({ token: '' })
    expect(await testWebhook(admin)).toMatchObject({ ok: true, result: 'HTTP 200' })
    expect(there.got[0]!.headers).not.toHaveProperty('authorization')
    there.answers(401)
    expect(await testWebhook(admin)).toMatchObject({ ok: false, result: 'HTTP 401' })
    expect(await states()).toEqual(['test failed', 'test delivered'])
  })

  test('taken away, what waits is given up', async () => {
    await set()
    await recorded('hold.reminded')
    await removeWebhook(admin)
    expect(await states()).toEqual(['hold-old failed'])
    await deliverMessages()
    expect(there.got).toEqual([])
    expect((await failure(removeWebhook(admin))).code).toBe('not-found')
  })
})
