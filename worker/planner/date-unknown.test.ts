import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { DECISION, groupResource } from '@/lib/services/changes/patch-for'
import { clockAt, datedCluster, isHeldNow, newest, type Dated } from '@/testenv/dated'
import { reconnected } from '@/testenv/reconnected'
import { FROZEN, says } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { at, look, next, through, view } = datedCluster()
const SOON = -30_000

beforeEach(() => db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'webhook' } }))

/** Another writer dropped what says by which decision it goes. */
async function dropped(held: Dated): Promise<void> {
  const resource = groupResource(held.kind, (await held.read()).apiVersion)
  const metadata = { annotations: { [DECISION]: null } }
  await at.cluster.admin.patch(resource, held.name, held.namespace, 'merge', { metadata } as never)
  await look(held)
  expect(await letGo(held)).toBeNull()
}
const letGo = async ({ change: { groupId } }: Dated) =>
  (await db().group.findUniqueOrThrow({ where: { id: groupId } })).letGo
const words = async (held: Dated) => (await held.read()).metadata.annotations?.[HELD]
const lookAndHold = async (held: Dated) => {
  await look(held)
  await holdToTimes(await view())
}

test.each([
  ['another writer dropped its decision', dropped, SOON],
  ['another writer dropped its decision, and nobody looked before its date came', dropped, 1_000],
  ['its cluster was connected anew a moment before', reconnected, SOON],
])('%s: what was approved keeps its approval, and is held in a freeze', async (_, was, ms) => {
  const held = await through()
  await was(held)
  await says(held, FROZEN)
  clockAt(held, ms)
  await lookAndHold(held)
  expect(await words(held)).toContain('frozen by the policy')
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
})

test('what it was let go with is not known, and that approval is void: it is held before its date', async () => {
  const held = await through()
  await dropped(held)
  await db().decision.updateMany({ where: { change: { groupId: held.change.groupId } }, data: { state: 'voided' } })
  clockAt(held, SOON)
  await lookAndHold(held)
  expect(await words(held)).toContain('its approval does not stand')
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
})

test('first listed a moment before its date, which nobody approved: it is held', async () => {
  const held = await through()
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  await db().group.update({ where: { id: held.change.groupId }, data: { letGo: null } })
  clockAt(held, SOON)
  await lookAndHold(held)
  expect(await words(held)).toContain('nobody approved what moves at its date')
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
})

test('first listed after its date came, it is told, and goes on', async () => {
  const held = await through()
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  await db().group.update({ where: { id: held.change.groupId }, data: { letGo: null } })
  clockAt(held, 5_000)
  await lookAndHold(held)
  expect(await isHeldNow(held)).toBe(false)
  expect(await newest(held)).toMatchObject({ state: 'running', pausedAt: null })
})

test('where its templates cannot be read either, it is held', async () => {
  const held = await through()
  await dropped(held)
  clockAt(held, 1_000)
  const no = new KubeError(403, { kind: 'Status', code: 403, message: 'no' }, 'GET')
  await next(held, { template: () => Promise.reject(no) }).catch((error: unknown) => {
    if (error !== no) throw error
  })
  expect(await words(held)).toContain('cannot be compared')
})
