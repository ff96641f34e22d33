import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { groupResource } from '@/lib/services/changes/patch-for'
import { pauseCluster } from '@/testenv/bootstrap-template'
import { clockAt, datedCluster, isHeldNow, newest, type Dated } from '@/testenv/dated'
import { says } from '@/testenv/timed'
import { bound } from '@/testenv/bound'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import { planGroup } from './plan-group'
import { goInTime, holdMidway, holdToTimes } from './times'

useTestDatabase()
const { at, look, next, through, view } = datedCluster()

const holds = (latchForm: string) => db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm } })

const unread = (code: number) => new KubeError(code, { kind: 'Status', code, message: 'no' }, 'GET')

async function lookUnread(held: Dated, code: number): Promise<void> {
  const no = unread(code)
  await next(held, { template: () => Promise.reject(no) }).catch((error: unknown) => {
    if (error !== no) throw error
  })
}

test.each([
  [403, -30_000],
  [500, 1_000],
])('a date that comes while templates cannot be read (%s) is held, on record', async (code, ms) => {
  const held = await through()
  await holds('webhook')
  clockAt(held, ms)
  await lookUnread(held, code)
  const why = `Stopped by Drydock: what moves at its date (${held.after}) cannot be compared: no`
  expect((await held.read()).metadata.annotations?.[HELD]).toBe(why)
  const of = { targetId: held.change.groupId, action: 'change.held', result: 'ok' }
  expect(await db().auditEvent.findFirst({ where: of })).toMatchObject({ reason: why })
  // As soon as they can be read, it waits for people.
  expect(await look(held)).toMatchObject({ state: 'waiting', heldBy: 'latch', decisions: [] })
})

test.each([429, 500])('what could not be read once (%s) keeps its approval, as long as time is left', async (code) => {
  const held = await through()
  await holds('webhook')
  clockAt(held, -59_000)
  await lookUnread(held, code)
  expect(await isHeldNow(held)).toBe(false)
  clockAt(held, -54_000)
  expect(await look(held)).toMatchObject({ state: 'approved', decisions: [{ mode: 'replace' }] })
})

test('what cannot be read again and again is held before its date', async () => {
  const held = await through()
  await holds('webhook')
  for (const ms of [-590_000, -55_000, -25_000]) {
    clockAt(held, ms)
    await lookUnread(held, 429)
  }
  expect(await isHeldNow(held)).toBe(true)
})

test('long before that, and where nobody governs it, it is let be', async () => {
  const held = await through()
  await holds('webhook')
  await lookUnread(held, 403)
  expect(await isHeldNow(held)).toBe(false)
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: false } })
  clockAt(held, 1_000)
  await lookUnread(held, 403)
  expect(await isHeldNow(held)).toBe(false)
})

test('what nobody let go with its date is held, though it cannot be compared', async () => {
  const held = await through()
  await holds('webhook')
  await db().group.update({ where: { id: held.change.groupId }, data: { letGo: 'another' } })
  await lookUnread(held, 403)
  const words = (await held.read()).metadata.annotations?.[HELD]
  expect(words).toContain(
    'it began without having been held, and nobody approved it; what it changes cannot be compared',
  )
  expect(await look(held)).toMatchObject({ state: 'waiting', heldBy: 'latch', decisions: [] })
})

test('approved, and not to be read any more before its date: held, and goes by its approval once it can be', async () => {
  const held = await through()
  await holds('webhook')
  clockAt(held, -590_000)
  const { id } = await look(held)
  clockAt(held, -300_000)
  await lookUnread(held, 403)
  expect((await held.read()).metadata.annotations?.[HELD]).toContain('not now: what moves at its date')
  expect(await look(held)).toMatchObject({ id, state: 'waiting', dueMode: 'replace' })
  await goInTime(await view())
  expect(await isHeldNow(held)).toBe(false)
  expect(await look(held)).toMatchObject({ id, state: 'approved' })
})

test('a round of the calendar in that moment leaves it its approval', async () => {
  const held = await through()
  await holds('webhook')
  clockAt(held, -590_000)
  await look(held)
  clockAt(held, -300_000)
  const { source, ...rest } = await planningContext(at.clusterId)
  const rounds: Promise<void>[] = []
  const { client } = rest.view
  const patch: typeof client.patch = async (...call) => {
    rounds.push(holdMidway(rest.view))
    await Promise.race([rounds[0], setTimeout(200)])
    return client.patch(...call)
  }
  rest.view.client = { ...bound(client), patch }
  const no = unread(403)
  const context = { ...rest, source: { ...source, template: () => Promise.reject(no) } }
  await expect(planGroup(context, { ...(await held.read()), kind: held.kind })).rejects.toBe(no)
  await Promise.all(rounds)
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
})

test('a round of the calendar that hangs keeps nothing from being held before its date', async () => {
  const [other, held] = [await through(), await through()]
  await holds('webhook')
  const paused = { state: 'running', finishedAt: null, pausedAt: new Date(), pausedBy: 'Ada' }
  await db().change.update({ where: { id: (await newest(other)).id }, data: paused })
  clockAt(held, -590_000)
  await look(held)
  clockAt(held, -25_000)
  const { view, source, ...rest } = await planningContext(at.clusterId)
  const { client } = view
  let end: () => void = () => undefined
  const hangs = new Promise<never>((_, reject) => (end = () => reject(new KubeUnreachable('hangs', 'GET'))))
  let asked = false
  const get: typeof client.get = (resource, name, ...more) => {
    if (name !== other.name) return client.get(resource, name, ...more)
    asked = true
    return hangs
  }
  view.client = { ...bound(client), get }
  const round = holdToTimes(view)
  await until('the round to hang', () => Promise.resolve(asked))
  const no = unread(429)
  const more = { view, source: { ...source, template: () => Promise.reject(no) } }
  await expect(planGroup({ ...rest, ...more }, { ...(await held.read()), kind: held.kind })).rejects.toBe(no)
  expect(await isHeldNow(held)).toBe(true)
  end()
  await expect(round).rejects.toThrow('could not be held')
})

test.each([
  [
    'was let go by another version of the API',
    (older: KubeObject) => rolloutDigest(older)!,
    (older: KubeObject) => Promise.resolve(older),
  ],
  ['was let go by nobody, and no other version can be read', () => 'another', () => Promise.reject(unread(500))],
])('what %s is held before its date', async (_, letGo, other) => {
  const held = await through()
  await holds('webhook')
  const older = { ...(await held.read()), apiVersion: 'cluster.x-k8s.io/v1beta1', kind: held.kind }
  await db().group.update({ where: { id: held.change.groupId }, data: { letGo: letGo(older) } })
  clockAt(held, -20_000)
  const { view, source, ...rest } = await planningContext(at.clusterId)
  const { client } = view
  const get: typeof client.get = (resource, ...more) =>
    resource.version === 'v1beta1' ? other(older) : client.get(resource, ...more)
  const no = unread(403)
  const more = {
    source: { ...source, template: () => Promise.reject(no) },
    view: { ...view, client: { ...bound(client), get } },
  }
  await expect(planGroup({ ...rest, ...more }, { ...(await held.read()), kind: held.kind })).rejects.toBe(no)
  expect(await isHeldNow(held)).toBe(true)
})

test('a template that hangs until its date is held in time', async () => {
  const held = await through()
  await holds('webhook')
  const hangs = new KubeUnreachable('no answer within 30 seconds', 'GET')
  for (const ms of [-310_000, -290_000]) {
    expect(await isHeldNow(held)).toBe(false)
    clockAt(held, ms)
    await expect(next(held, { template: () => Promise.reject(hangs) })).rejects.toBe(hangs)
  }
  expect(await isHeldNow(held)).toBe(true)
})

test('what the database is too slow to write is held in the last minutes before its date, and waits for people', async () => {
  const held = await through()
  await holds('webhook')
  await db().$executeRaw`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'too slow'; END $$`
  await db().$executeRaw`CREATE TRIGGER slow BEFORE INSERT ON change FOR EACH ROW EXECUTE FUNCTION slow()`
  try {
    clockAt(held, -360_000)
    await expect(next(held)).rejects.toThrow('too slow')
    expect(await isHeldNow(held)).toBe(false)
    clockAt(held, -240_000)
    await expect(next(held)).rejects.toThrow('too slow')
    expect((await held.read()).metadata.annotations?.[HELD]).toBe(
      `Stopped by Drydock: what moves at its date (${held.after}) could not be looked at in time`,
    )
  } finally {
    await db().$executeRaw`DROP TRIGGER slow ON change`
    await db().$executeRaw`DROP FUNCTION slow`
  }
  expect(await look(held)).toMatchObject({ state: 'waiting', heldBy: 'latch', decisions: [] })
})

const byKim = async (held: Dated) => {
  const resource = groupResource(held.kind, (await held.read()).apiVersion)
  const metadata = { annotations: { [PAUSED]: 'kim' } }
  await at.cluster.admin.patch(resource, held.name, held.namespace, 'merge', { metadata } as never)
}

test.each([
  ['its templates cannot be read', (held: Dated) => lookUnread(held, 500)],
  ['somebody pauses its group', byKim],
])(
  'paused at its very end, it stays so where %s before its date, also by a policy that asks nobody',
  async (_, was) => {
    const held = await through()
    await holds('webhook')
    await says(held, { approvals: 0, strategy: 'replace' })
    const paused = { pausedAt: new Date(), pausedBy: 'Ada', pausedReason: 'pager' }
    await db().change.updateMany({ where: { groupId: held.change.groupId, state: 'done' }, data: paused })
    // Nothing begins before it is held.
    await pauseCluster(at.cluster.admin, held)
    clockAt(held, -30_000)
    await was(held)
    for (let i = 0; i < 4; i++) {
      await look(held)
      await holdToTimes(await view())
    }
    expect(await look(held)).toMatchObject({ state: 'waiting', ...paused, pausedUntilHeld: false, decisions: [] })
    expect(await isHeldNow(held)).toBe(true)
  },
)
