import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { inputFor } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { MS, takingBack } from '@/testenv/taking-back'
import { ada, row, says } from '@/testenv/timed'
import { holdToTimes } from '../planner/times'
import type { Heard } from '../types'
import { hear } from './looked'
import { DEPLOYMENTS, SETS } from './sets'
import { takeBack } from './take-back'

useTestDatabase()
const { at, view: plain, look: plan, heldWith, viewOf, told, story } = takingBack()

/** Twice, with a minute between them. */
async function longLooked(look: () => Promise<void>): Promise<void> {
  const now = vi.spyOn(performance, 'now')
  await look()
  now.mockReturnValue(performance.now() + 60_000)
  await look()
  now.mockRestore()
}

describe('a machine set of what waits that is told of machines which it has not made', () => {
  test('is told of none, and that is on record with the change', async () => {
    const held = await heldWith(2)
    const { look } = await viewOf(held)
    await look()
    expect(await told(held)).toBe(0)
    expect(await story(held)).toContain(
      `Taken back: machine set ${held.next} had been told of 2 machines that it had not made. How many it should have is counted anew when its group is let go.`,
    )
  })

  test('also below a pause that somebody set themselves', async () => {
    const held = await heldWith(1)
    await says(held, { approvals: 1 })
    await approveChange(ada, inputFor(held))
    await plan(held)
    const { metadata } = await held.read()
    await at.cluster.admin.patch(MD, metadata.name, held.namespace, 'merge', {
      metadata: { annotations: { [PAUSED]: 'true' } },
    })
    await plan(held)
    await withdrawApproval(ada, { changeId: held.change.id })
    await holdToTimes(await plain())
    await plan(held)
    expect((await held.read()).metadata.annotations).toMatchObject({ [PAUSED]: 'true', [HELD]: expect.anything() })
    const { look } = await viewOf(held)
    await look()
    expect(await told(held)).toBe(0)
  })

  test('once for each hold, whatever worker looks: what is made again later is made', async () => {
    const held = await heldWith(0)
    const { look } = await viewOf(held)
    await longLooked(look)
    await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', { spec: { replicas: 1 } })
    await look()
    expect(await told(held)).toBe(1)
    const restarted = await viewOf(held)
    await restarted.look()
    expect(await told(held)).toBe(1)
    const data = { takenBackFor: 'another hold' }
    await db().group.update({ where: { id: held.change.groupId }, data })
    await (await viewOf(held)).look()
    expect(await told(held)).toBe(0)
  })

  test('a rejection is no other hold', async () => {
    const held = await heldWith(0)
    const { look } = await viewOf(held)
    await longLooked(look)
    await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', { spec: { replicas: 1 } })
    const { fingerprint } = await row(held)
    await rejectChange(ada, { changeId: held.change.id, fingerprint, reason: 'no' })
    await look()
    expect(await told(held)).toBe(1)
  })

  test('a hold that comes back after somebody took it away is another, also where its manager says nothing of pauses', async () => {
    const held = await heldWith(0)
    let isHeld = true
    const without = (object: KubeObject): KubeObject => {
      const { [HELD]: _, ...annotations } = object.metadata.annotations ?? {}
      return { ...object, status: {}, metadata: isHeld ? object.metadata : { ...object.metadata, annotations } }
    }
    const { look } = await viewOf(held, {}, undefined, without)
    await longLooked(look)
    isHeld = false
    await look()
    await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', { spec: { replicas: 1 } })
    isHeld = true
    await look()
    expect(await told(held)).toBe(0)
  })

  test('a try that never got through lets nothing go: it is the same hold after that', async () => {
    const held = await heldWith(0)
    await longLooked((await viewOf(held)).look)
    const { fingerprint } = await row(held)
    const tried = { mode: 'in-place', state: 'failed', sentAt: new Date(), fingerprint }
    await db().decision.create({
      data: { ...tried, changeId: held.change.id, actorId: randomUUID(), actorName: 'Ada' },
    })
    await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', { spec: { replicas: 1 } })
    await (await viewOf(held)).look()
    expect(await told(held)).toBe(1)
  })

  test('a hold that is away for a moment is another, also where no round saw that and its manager says nothing of pauses', async () => {
    const held = await heldWith(0)
    const view = await viewOf(held, {}, undefined, (object) => ({ ...object, status: {} }))
    await longLooked(view.look)
    await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', { spec: { replicas: 1 } })
    await view.look()
    expect(await told(held)).toBe(1)
    const [object] = view.objects(DEPLOYMENTS).values()
    expect(hear(view, object!)).toBe(false)
    expect(hear(view, { ...object!, metadata: { ...object!.metadata, annotations: {} } })).toBe(true)
    expect(hear(view, object!)).toBe(true)
    await view.look()
    expect(await told(held)).toBe(0)
  })

  test('what is looked at to the end keeps none that lacks machines waiting, and is no end where its hold is over meanwhile', async () => {
    const held = await heldWith(0)
    const real = (await plain()).client
    let go = () => {}
    const answer = new Promise<void>((resolve) => (go = resolve))
    let lists = 0
    async function* pages(...args: Parameters<KubeClient['pages']>) {
      lists++
      await answer
      yield* real.pages(...args)
    }
    const view = await viewOf(held, { pages })
    const now = vi.spyOn(performance, 'now')
    await view.look()
    now.mockReturnValue(performance.now() + 60_000)
    await view.look()
    now.mockRestore()
    await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', { spec: { replicas: 1 } })
    await view.look()
    expect([lists, await told(held)]).toEqual([1, 0])
    const [object] = view.objects(DEPLOYMENTS).values()
    hear(view, { ...object!, metadata: { ...object!.metadata, annotations: {} } })
    go()
    await new Promise((resolve) => setTimeout(resolve, 500))
    await view.look()
    const { takenBackFor } = await db().group.findUniqueOrThrow({ where: { id: held.change.groupId } })
    expect(takenBackFor).toBeNull()
  })

  test('of many groups that are held at once the machine sets are listed once', async () => {
    const held = await heldWith(0)
    const real = (await plain()).client
    const pages = vi.fn(real.pages.bind(real))
    const view = await viewOf(held, { pages })
    const groups = new Map<string, KubeObject>()
    for (let i = 0; i < 20; i++) {
      const object = await held.read()
      groups.set(String(i), { ...object, metadata: { ...object.metadata, uid: randomUUID(), namespace: `n${i}` } })
    }
    const many = Object.assign(view, { objects: (of: string) => (of === DEPLOYMENTS ? groups : new Map()) })
    await longLooked(() => takeBack(many, () => false))
    await takeBack(many, () => false)
    expect(pages).toHaveBeenCalledOnce()
  })

  test('of a group that is let go in the moment of the write nothing is taken back', async () => {
    const held = await heldWith(1)
    await says(held, { approvals: 1 })
    const real = (await plain()).client
    let tries = 0
    const patch: KubeClient['patch'] = async (...args) => {
      if (++tries === 1) {
        await approveChange(ada, inputFor(held))
        // Its own controller has written to the set by then.
        await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', {
          metadata: { annotations: { told: 'again' } },
        })
      }
      return real.patch(...args)
    }
    await (await viewOf(held, { patch })).look()
    expect([tries, await told(held)]).toEqual([1, 1])
    expect(await story(held)).not.toContain('Taken back')
  })

  test('is told of none where the watch of machine sets is behind', async () => {
    const held = await heldWith(0)
    const view = await viewOf(held)
    await view.look()
    const sets = view.objects(SETS)
    // It is told of one by now.
    await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', { spec: { replicas: 1 } })
    const behind = { ...view, objects: (of: string) => (of === SETS ? sets : view.objects(of)) }
    await longLooked(() => takeBack(behind, () => false))
    await (await viewOf(held)).look()
    expect(await told(held)).toBe(0)
  })

  test('is looked at until its machine sets were heard of', async () => {
    const held = await heldWith(2)
    let heard: Heard = 'open'
    const view = await viewOf(held, {}, () => heard)
    await longLooked(view.look)
    expect(await told(held)).toBe(2)
    heard = 'listed'
    await view.look()
    expect(await told(held)).toBe(0)
  })

  test.each([
    ['stays', {}, 1, ['scaling.leave', 'scaling.left']],
    [
      'is not made anew where it is being deleted already',
      { deletionTimestamp: '2026-01-01T00:00:00Z' },
      0,
      ['scaling.take-back', 'scaling.taken-back'],
    ],
  ])('one that is made in the moment of the write %s', async (_, over, replicas, said) => {
    const held = await heldWith(1)
    const real = (await plain()).client
    let isMade = false
    const patch: KubeClient['patch'] = async (...args) => {
      const stored = await real.patch(...args)
      isMade = true
      return stored
    }
    const uid = (await at.cluster.admin.get(MS, held.next, held.namespace)).metadata.uid
    const list: KubeClient['list'] = async (resource, ...args) => {
      const found = await real.list(resource, ...args)
      const metadata = { name: 'made', ownerReferences: [{ uid }], ...over }
      const made = { apiVersion: 'v1', kind: 'Machine', metadata }
      return resource.plural === 'machines' && isMade ? { ...found, items: [...found.items, made as never] } : found
    }
    const { look } = await viewOf(held, { patch, list })
    await look()
    expect(await told(held)).toBe(replicas)
    const actions = await db().auditEvent.findMany({ where: { targetId: held.change.groupId }, orderBy: { id: 'asc' } })
    expect(actions.map(({ action }) => action).slice(-2)).toEqual(said)
    const corrected = /Left as it was: a machine of machine set \S+ was made in that moment/.test(await story(held))
    expect(corrected).toBe(replicas === 1)
  })
})
