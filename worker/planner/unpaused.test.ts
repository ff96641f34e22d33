import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, UNPAUSED } from '@/lib/domain/latch/names'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { bound } from '@/testenv/bound'
import { annotations, audited, expectHeld } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { ada, CLOSED, FROZEN, lifted, person, row, says, timedCluster } from '@/testenv/timed'
import { holdToTimes } from './times'
import { sayUnpaused } from './unpaused'

useTestDatabase()
const { at, view, look, slow, running } = timedCluster()
const op = person('op', 'operator')
const id = ({ change }: Held) => ({ changeId: change.id })
const words = async (held: Held) => (await annotations(held))[HELD]
/** As the watch has it. */
const seen = async (held: Held) =>
  db().group.update({ where: { id: held.change.groupId }, data: { held: (await words(held)) ?? null } })

/** Moving since its hold was taken away outside, and held again by a pause. */
async function pausedUnapproved(): Promise<Held> {
  const held = await slow()
  const { client } = await view()
  const free = { metadata: { annotations: { [HELD]: null, [PAUSED]: null } } }
  await client.patch(MD, held.name, held.namespace, 'merge', free)
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'running', heldBy: 'none' })
  await pauseChange(op, { ...id(held), reason: 'too early' })
  await holdToTimes(await view())
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null, pausedBy: 'Op' })
  return held
}

test('resumed before anybody approved it: who reads the object is told what it waits for', async () => {
  const held = await pausedUnapproved()
  await seen(held)
  await sayUnpaused(await view())
  expect(await words(held)).toBe('Stopped by Drydock: not now: paused by Op (too early)')
  await resumeChange(ada, id(held))
  await sayUnpaused(await view())
  expect(await words(held)).toBe(UNPAUSED)
  await expectHeld(held)
  const told = (await audited(held)).filter((event) => event.startsWith('change.reword'))
  expect(told).toEqual(['change.reword ok', 'change.reworded ok'])
  // The watch is late: once is enough.
  await sayUnpaused(await view())
  expect((await audited(held)).filter((event) => event.startsWith('change.reword'))).toHaveLength(2)
})

test('what is approved and waits for its time is told that, and nobody else’s words are touched', async () => {
  const held = await running()
  await says(held, FROZEN)
  await holdToTimes(await view())
  await look(held)
  await seen(held)
  const before = await words(held)
  expect(before).toContain('not now')
  await sayUnpaused(await view())
  expect(await words(held)).toBe(before)
  const other = await at.held()
  await db().group.update({ where: { id: other.change.groupId }, data: { held: before ?? null } })
  const latched = await words(other)
  await sayUnpaused(await view())
  expect(await words(other)).toBe(latched)
})

test('paused, and frozen by the time that is over: its hold names what it waits for now', async () => {
  const held = await running()
  await pauseChange(op, { ...id(held), reason: 'too early' })
  await holdToTimes(await view())
  await look(held)
  await seen(held)
  await sayUnpaused(await view())
  expect(await words(held)).toBe('Stopped by Drydock: not now: paused by Op (too early)')
  await says(held, FROZEN)
  await resumeChange(ada, id(held))
  await sayUnpaused(await view())
  expect(await words(held)).toMatch(/^Stopped by Drydock: not now: frozen by the policy /)
  await expectHeld(held)
})

test('held for a freeze, and then outside a window: its hold names the window, once', async () => {
  const held = await running()
  await says(held, FROZEN)
  await holdToTimes(await view())
  await look(held)
  await seen(held)
  expect(await words(held)).toMatch(/^Stopped by Drydock: not now: frozen by the policy /)
  await lifted()
  await says(held, CLOSED)
  const round = async () => {
    await sayUnpaused(await view())
    await seen(held)
    return (await audited(held)).filter((event) => event.startsWith('change.reworded'))
  }
  await round()
  expect(await words(held)).toMatch(/^Stopped by Drydock: not now: outside the windows of the policy .*UTC$/)
  expect(await round()).toHaveLength(1)
  await expectHeld(held)
})

test('what goes by itself when its time comes waits for that, and for approval where its policy asks for one', async () => {
  const held = await at.held()
  const itself = { approvals: 0, strategy: 'replace' as const }
  const round = async () => {
    await seen(held)
    await sayUnpaused(await view())
    return words(held)
  }
  const { client } = await view()
  const paused = { metadata: { annotations: { [HELD]: 'Stopped by Drydock: not now: paused by Op' } } }
  await client.patch(MD, held.name, held.namespace, 'merge', paused)
  await says(held, { ...itself, ...FROZEN })
  expect(await round()).toMatch(/^Stopped by Drydock: not now: frozen by the policy /)
  await lifted()
  expect(await round()).toBe(UNPAUSED)
  await says(held, { ...itself, ...FROZEN })
  expect(await round()).toMatch(/^Stopped by Drydock: not now: frozen by the policy /)
  // It goes in a moment.
  await lifted()
  await says(held, itself)
  expect(await round()).toMatch(/^Stopped by Drydock: not now: frozen by the policy /)
  await expectHeld(held)
})

test('what waits for its time, and was not paused, is not asked about again and again', async () => {
  const held = await running()
  await says(held, FROZEN)
  await holdToTimes(await view())
  await look(held)
  await seen(held)
  const now = await view()
  const get = vi.fn(now.client.get.bind(now.client))
  await sayUnpaused({ ...now, client: { ...bound(now.client), get } })
  // Those of the tests before are there.
  expect(get.mock.calls.filter(([, name]) => name === held.name)).toEqual([])
  expect(await words(held)).toMatch(/^Stopped by Drydock: not now: frozen by the policy /)
})
