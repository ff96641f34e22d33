import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { heldWords } from '@/components/updates/held-words'
import { kindOf, sentenceOf } from '@/lib/domain/messages'
import { isForPeople } from '@/lib/services/changes/for-people'
import { outlookIn } from '@/lib/services/changes/change-row'
import { audited } from '@/testenv/deciding'
import { clockAt, datedCluster, isHeldNow, newest, type Dated } from '@/testenv/dated'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { until } from '@/testenv/process'
import { ada, FROZEN, says } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { look, next, through, view } = datedCluster()
const MINUTE = 60_000
/** What its page and the messages say, and what is on record. */
async function told(held: Dated) {
  const { id, groupKind } = await newest(held)
  const events = await db().auditEvent.findMany({ where: { targetId: id }, orderBy: { at: 'asc' } })
  const messages = events.flatMap(({ action }) => {
    const kind = kindOf(action)
    return kind ? [sentenceOf(kind, `${groupKind} ${held.name}`, null)] : []
  })
  const page = { ...(await getUpdate(ada, id)), heldWords: (await words(held)) ?? null }
  return { page: heldWords(page), messages, reasons: events.map(({ action, reason }) => `${action}: ${reason}`) }
}
const words = async (held: Dated) => (await held.read()).metadata.annotations?.[HELD]

test('a moment before its date, what was approved with it is said to go then, and goes by that approval when it comes', async () => {
  const held = await through()
  // Long before, nothing of it is a change yet, and it is looked at in time.
  const { id: before } = await newest(held)
  clockAt(held, -15 * MINUTE)
  expect(await next(held)).toBeLessThanOrEqual(5 * MINUTE)
  expect(await newest(held)).toMatchObject({ id: before, state: 'done' })
  clockAt(held, -9 * MINUTE)
  const change = await look(held)
  expect(change).toMatchObject({ state: 'approved', decisions: [{ mode: 'replace', state: 'seen' }] })
  expect(outlookIn(change).notBefore).toBe(held.after)
  expect(await audited({ ...held, change })).toEqual(['change.dated ok'])
  await holdToTimes(await view())
  expect(await isHeldNow(held)).toBe(false)
  expect(await next(held)).toBeLessThanOrEqual(MINUTE)
  clockAt(held, 1_000)
  expect(await look(held)).toMatchObject({ id: change.id, state: 'running', startedAt: new Date(held.after) })
})

test('what is under way with its date comes to its end some minutes before that, and the date is a change of its own', async () => {
  const held = await through()
  const { id } = await newest(held)
  await db().change.update({ where: { id }, data: { state: 'running', finishedAt: null } })
  clockAt(held, -5 * MINUTE)
  for (let i = 0; i < 2; i++) await look(held)
  expect(await db().change.findUnique({ where: { id } })).toMatchObject({ state: 'done' })
  expect(await look(held)).toMatchObject({ state: 'approved', decisions: [{ mode: 'replace' }] })
})

test('in a freeze it is held before its date, and keeps its approval over that', async () => {
  const held = await through()
  await says(held, FROZEN)
  clockAt(held, -MINUTE / 2)
  const { id } = await look(held)
  await holdToTimes(await view())
  expect(await words(held)).toContain('frozen by the policy')
  const waits = { id, state: 'waiting', dueMode: 'replace' }
  expect(await look(held)).toMatchObject(waits)
  clockAt(held, 1_000)
  for (let i = 0; i < 2; i++) expect(await look(held)).toMatchObject(waits)
})

test('what let it go is in force no more: it is held before its date', async () => {
  const held = await through()
  await db().decision.updateMany({ where: { change: { groupId: held.change.groupId } }, data: { state: 'voided' } })
  clockAt(held, -MINUTE / 2)
  await look(held)
  await holdToTimes(await view())
  expect(await words(held)).toBe('Stopped by Drydock: not now: its approval does not stand for what moves by now')
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
})

test('so is what had its date when it came to be governed', async () => {
  const held = await through()
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  clockAt(held, -MINUTE / 2)
  await look(held)
  await holdToTimes(await view())
  expect(await words(held)).toBe('Stopped by Drydock: not now: nobody approved what moves at its date')
  const change = await look(held)
  expect(change).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
  expect(await isForPeople(change)).toBe(true)
  const { page, messages, reasons } = await told(held)
  expect(page).toMatch(/^Drydock holds it: nobody approved what moves at its date\./)
  expect(messages).toEqual([])
  expect(reasons).toContain('change.date-unapproved: Nobody approved what moves at its date.')
})

test('so it is where nobody looked before its date came', async () => {
  const held = await through()
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  clockAt(held, 5_000)
  await look(held)
  await holdToTimes(await view())
  expect(await words(held)).toBe('Stopped by Drydock: not now: nobody approved what moves at its date')
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
})

test('governed only when its date is near, it is looked at in time', async () => {
  const held = await through()
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: false } })
  clockAt(held, -9 * MINUTE)
  expect(await next(held)).toBeLessThanOrEqual(MINUTE)
})

test('what could not be held before its date is told when that comes', async () => {
  const held = await through()
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  clockAt(held, -MINUTE / 2)
  await look(held)
  expect((await told(held)).page).toBe('Its date is about to come, and nothing holds it yet.')
  clockAt(held, 1_000)
  for (let i = 0; i < 2; i++) await look(held)
  const { messages, page } = await told(held)
  expect(messages).toEqual([expect.stringMatching(/and no approval of it is in force\.$/)])
  expect(page).toBe('It began without having been held.')
})

test('what nobody governs is none of it', async () => {
  const held = await through()
  const { id } = await newest(held)
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: false } })
  clockAt(held, -MINUTE / 2)
  expect(await look(held)).toMatchObject({ id, state: 'done' })
})

test('a control plane that was approved machine by machine is held before its date', async () => {
  const held = await through('KubeadmControlPlane')
  await db().change.updateMany({ where: { groupId: held.change.groupId }, data: { steps: 1 } })
  clockAt(held, -MINUTE / 2)
  await look(held)
  // Its last machine may be on its way out still.
  await until('the hold', async () => {
    await holdToTimes(await view())
    return isHeldNow(held)
  })
  expect(await words(held)).toContain('approved it machine by machine before its date came')
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
  const { page, messages, reasons } = await told(held)
  expect(page).toMatch(/^Drydock holds it: \S+ approved it machine by machine before its date came\./)
  expect(messages).toEqual([])
  expect(reasons[0]).toMatch(/^change.date-unapproved: \S+ approved it machine by machine before its date came\.$/)
}, 120_000)
