import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { groupResource } from '@/lib/services/changes/patch-for'
import { clockAt, datedCluster, isHeldNow, newest, type Dated } from '@/testenv/dated'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import { says } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { at, look, through, view } = datedCluster()

async function scaled(held: Dated): Promise<void> {
  const { apiVersion } = await held.read()
  const resource = groupResource(held.kind, apiVersion)
  await at.cluster.admin.patch(resource, held.name, held.namespace, 'merge', { spec: { replicas: 3 } })
  const { source } = await planningContext(at.clusterId)
  const isThere = async () => (await source.machines({ ...(await held.read()), kind: held.kind })).length === 3
  await until('three machines', isThere, { ms: 60_000, every: 200 })
}
const approvals = (held: Dated) => db().approval.findMany({ where: { change: { groupId: held.change.groupId } } })

test.each([false, true])(
  'more machines of a control plane than were shown do not go by a date; its rollout was held in the middle: %s',
  async (begun) => {
    const held = await through('KubeadmControlPlane')
    await db().approval.updateMany({ where: { changeId: (await newest(held)).id }, data: { begun } })
    await scaled(held)
    clockAt(held, -590_000)
    expect(await look(held)).toMatchObject({ pausedUntilHeld: true, decisions: [] })
    await holdToTimes(await view())
    expect(await isHeldNow(held)).toBe(true)
    expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null })
  },
)

test('nor do those that came when it was begun with, before its date; its approval is bound to them anew', async () => {
  const held = await through('KubeadmControlPlane')
  await db().approval.updateMany({ data: { begun: true } })
  clockAt(held, -590_000)
  const { id } = await look(held)
  expect((await approvals(held)).find(({ changeId }) => changeId === id)).toMatchObject({ begun: false, deletions: 1 })
  // Nothing comes up while a clock stands, nor when it goes back.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(held.after) - 590_000, shouldAdvanceTime: true })
  await scaled(held)
  clockAt(held, -300_000)
  await look(held)
  const words = (await held.read()).metadata.annotations?.[HELD]
  expect(words).toContain('its approvals do not count for all that its date moves by now')
  expect(await look(held)).toMatchObject({ id, state: 'waiting', dueMode: null })
})

test.each([
  ['only in place', { strategy: 'in-place-only' as const }, true],
  ['more approvals', { approvals: 2 }, true],
  ['what it has', { expiresAfter: '1m', reasonRequired: false }, false],
])('its policy asks for %s by the time its date comes', async (_, rules, isHeld) => {
  const held = await through()
  await says(held, rules)
  // What was let go does not expire.
  await db().approval.updateMany({ data: { expiresAt: new Date(0) } })
  clockAt(held, -590_000)
  await look(held)
  await holdToTimes(await view())
  expect(await isHeldNow(held)).toBe(isHeld)
  expect(await look(held)).toMatchObject(isHeld ? { state: 'waiting', dueMode: null } : { state: 'approved' })
})
