import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { heldFor } from '@/lib/services/changes/held-for'
import type { Ctx } from '@/lib/services/context'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, cy, FROZEN, HOUR, person, row, says, timedCluster } from '@/testenv/timed'
import { registry } from '../metrics'
import { ageHolds } from './hold-ages'

useTestDatabase()
const { at, view } = timedCluster()
const viewer = person('vi', 'viewer')

const heldSince = (held: Held, hours: number) =>
  db().group.update({
    where: { id: held.change.groupId },
    data: { heldSince: new Date(Date.now() - hours * HOUR), held: 'waiting' },
  })
const age = async () => ageHolds(await view())
const level = async (held: Held) => (await row(held)).holdLevel
const told = async (held: Held) =>
  (await db().auditEvent.findMany({ where: { targetId: held.change.id }, orderBy: { id: 'asc' } }))
    .map(({ action }) => action)
    .filter((action) => action.startsWith('hold.'))
const needs = async (ctx: Ctx, { change }: Held) =>
  (await needsYou(ctx, {})).find(({ id, kind }) => id === change.id && kind === 'approval')?.sentence ?? null
beforeEach(async () => void (await db().rolloutPolicy.deleteMany({})))

describe('a hold that is old', () => {
  test('is recalled once, then put before everybody, each on record and on the object; what is young is neither', async () => {
    const [old, young] = [await at.held(), await at.held()]
    await heldSince(old, 25)
    await heldSince(young, 1)
    await age()
    await age()
    expect([await level(old), await level(young)]).toEqual([1, 0])
    expect([await told(old), await told(young)]).toEqual([['hold.recalled'], []])
    expect(await needs(ada, old)).toBe('Held for 25 hours. Waiting for your approval')
    expect(await needs(viewer, old)).toBeNull()
    await heldSince(old, 24 * 4)
    await age()
    expect([await level(old), await told(old)]).toEqual([2, ['hold.recalled', 'hold.put-before-everybody']])
    expect(await needs(viewer, old)).toBe('Held for 4 days. Waiting for approval')
    const [first] = (await needsYou(ada, {})).filter(({ kind }) => kind === 'approval')
    expect(first?.id).toBe(old.change.id)
    const events = await at.cluster.admin.list({ group: '', version: 'v1', plural: 'events' }, old.namespace, {})
    const messages = events.items.map((event) => (event as { message?: string }).message)
    expect(messages).toContainEqual(expect.stringMatching(/is held for 4 days: somebody has to decide in Drydock/))
    expect(await registry.getSingleMetricAsString('drydock_holds')).toMatch(/age="overdue"\} 1/)
  })

  test('of a control plane becomes dangerous by the limit of its policy, and says what does not happen meanwhile', async () => {
    const held = await at.held('KubeadmControlPlane')
    await says(held, { holdLimit: '12h' })
    await heldSince(held, 13)
    await age()
    expect([await level(held), await told(held)]).toEqual([3, ['hold.dangerous']])
    expect(await needs(viewer, held)).toMatch(/^Control plane held for 13 hours, which is dangerous\./)
    const { held: shown, holdLevel } = await getUpdate(ada, held.change.id)
    expect(holdLevel).toBe('dangerous')
    expect(shown?.suspended.join(' ')).toContain('Certificates that come to their end are not renewed')
  })

  test('is as old as the group stands still: a newer change does not make it young', async () => {
    const held = await at.held()
    await heldSince(held, 30)
    await db().change.update({ where: { id: held.change.id }, data: { detectedAt: new Date() } })
    await age()
    expect(await level(held)).toBe(1)
  })

  test('nothing says since when: what never began is as old as its change, and of the rest nothing is known', async () => {
    const [waits, began] = [await at.held(), await at.held()]
    for (const held of [waits, began]) {
      await heldSince(held, 0)
      await db().group.update({ where: { id: held.change.groupId }, data: { heldSince: null } })
      await db().change.update({
        where: { id: held.change.id },
        data: { detectedAt: new Date(Date.now() - 48 * HOUR) },
      })
    }
    await db().change.update({ where: { id: began.change.id }, data: { startedAt: new Date() } })
    await age()
    expect([await level(waits), await level(began)]).toEqual([1, 0])
  })

  test('rejected and forgotten it is recalled as well', async () => {
    const held = await at.held()
    await rejectChange(ada, { ...inputFor(held), reason: 'no' })
    await heldSince(held, 25)
    expect(await needs(ada, held)).toBeNull()
    await age()
    expect(await needs(ada, held)).toMatch(/^Held for 25 hours\. Rejected, and still held/)
  })

  test('what is approved and goes by itself asks nobody, but a control plane is dangerous all the same', async () => {
    const [workers, plane] = [await at.held(), await at.held('KubeadmControlPlane')]
    for (const held of [workers, plane]) {
      await savePolicy(cy, {
        name: `p-${randomUUID()}`,
        spec: { select: { names: [held.name] }, ...FROZEN, holdLimit: '1d' },
      })
      await approveChange(ada, { ...inputFor(held), typedName: held.name })
      await heldSince(held, 25)
    }
    await age()
    expect([await level(workers), await level(plane)]).toEqual([0, 3])
    expect(await needs(ada, workers)).toBeNull()
    expect(await needs(ada, plane)).toContain('dangerous')
  })

  test('is young again when nothing holds it, and by a longer limit, without a word', async () => {
    const [gone, longer] = [await at.held(), await at.held()]
    for (const held of [gone, longer]) await heldSince(held, 30)
    await age()
    await db().group.update({ where: { id: gone.change.groupId }, data: { held: null, heldSince: null } })
    await says(longer, { remindAfter: '2d' })
    await age()
    expect([await level(gone), await level(longer)]).toEqual([0, 0])
    expect(await told(longer)).toEqual(['hold.recalled'])
    expect(await heldFor([{ ...gone.change, fromVersion: null, toVersion: null }])).toEqual({})
  })

  test('two workers at once tell it once', async () => {
    const held = await at.held()
    await heldSince(held, 30)
    const [a, b] = [await view(), await view()]
    await Promise.allSettled([ageHolds(a), ageHolds(b)])
    expect(await told(held)).toEqual(['hold.recalled'])
  })
})
