import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { db, pool } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { lockChange } from '@/lib/services/changes/lock-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { annotations, audited, failure, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { pausesCluster } from '@/testenv/paused-cluster'
import { until } from '@/testenv/process'
import { ada, begins, bo, CLOSED, cy, row, says, timedCluster } from '@/testenv/timed'
import { calendarConsumer } from '../calendar'
import { expireUnbegun } from './expired'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { at, view, look, running, slow } = timedCluster()
const MANY = 40

describe('let go under somebody’s own pause', () => {
  const theirs = (held: Held, value: string | null) =>
    at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations: { [PAUSED]: value } } })
  const paused = (held: Held, paused: boolean) =>
    db().group.update({ where: { id: held.change.groupId }, data: { paused, held: null } })
  const round = async () => {
    await expireUnbegun(await view())
    await holdToTimes(await view())
  }
  async function approved(held: Held): Promise<void> {
    await theirs(held, 'night shift')
    await says(held, { expiresAfter: '1h' })
    await approveChange(ada, inputFor(held))
    await look(held)
    await paused(held, true)
  }
  const older = (held: Held) => {
    const at = new Date(Date.now() - 30 * 86_400_000)
    const data = { at, expiresAt: new Date(at.getTime() + 3_600_000) }
    return db().approval.updateMany({ where: { changeId: held.change.id, endedAt: null }, data })
  }

  test('an approval that expires before they take it away does not count any more: it is held, and waits', async () => {
    const held = await slow()
    await approved(held)
    await round()
    expect(await annotations(held)).not.toHaveProperty([HELD])
    await older(held)
    await round()
    const words = 'Stopped by Drydock: not now: its approval expired before anything began'
    expect(await annotations(held)).toMatchObject({ [HELD]: words, [PAUSED]: 'night shift' })
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null, pausedAt: null, pausedUntilHeld: false })
    expect((await failure(theirs(held, null))).message).toContain('Drydock holds this until somebody approves it')
    expect(await audited(held)).toEqual(expect.arrayContaining(['approval.expired ok', 'change.stopped ok']))
  })

  test('what policies say of one cannot be known: it expires by what was said when it was approved, and others are held', async () => {
    const [unknown, fresh, other] = [await slow(), await slow(), await running()]
    for (const held of [unknown, fresh]) await approved(held)
    await older(unknown)
    await savePolicy(cy, { name: 'by-labels', spec: { select: { labels: { tier: 'prod' } }, approvals: 2 } })
    await pauseChange(bo, { changeId: other.change.id })
    await round()
    await round()
    expect(await annotations(other)).toHaveProperty([HELD])
    expect(await annotations(unknown)).toHaveProperty([HELD])
    expect(await annotations(fresh)).not.toHaveProperty([HELD])
  })

  test('nor does a policy of somebody else that cannot be read keep it', async () => {
    const held = await slow()
    await approved(held)
    await older(held)
    const { id } = await db().rolloutPolicy.create({ data: { name: 'odd', spec: { windows: 1 } } })
    await round()
    await round()
    await db().rolloutPolicy.delete({ where: { id } })
    expect(await annotations(held)).toHaveProperty([HELD])
  })

  test('nor that it was held for a window in between, where nothing had begun: by then it counts no more', async () => {
    const held = await slow()
    await approved(held)
    const closed = await says(held, CLOSED)
    await round()
    await look(held)
    await db().rolloutPolicy.delete({ where: { id: closed.id } })
    const given = { where: { changeId: held.change.id } }
    expect(await db().approval.findMany(given)).toMatchObject([{ begun: false, endedAt: null }])
    await older(held)
    await goInTime(await view())
    expect(await annotations(held)).toHaveProperty([HELD])
    expect(await row(held)).toMatchObject({ state: 'waiting' })
  })

  test.each([false, true])(
    'nor what began by an approval that was rejected since; and held for a window in between: %s',
    async (between) => {
      const held = await running()
      const changeId = held.change.id
      await begins(held)
      await db().machineProgress.updateMany({ where: { changeId }, data: { state: 'done', readyAt: new Date() } })
      await pauseChange(bo, { changeId })
      await round()
      await look(held)
      const { fingerprint } = await row(held)
      await rejectChange(ada, { changeId, fingerprint, reason: 'no more of it' })
      await look(held)
      await theirs(held, 'night shift')
      await says(held, { expiresAfter: '1h' })
      await approveChange(bo, { ...inputFor(held), fingerprint: (await row(held)).fingerprint })
      await look(held)
      await paused(held, true)
      if (between) {
        const closed = await says(held, CLOSED)
        await round()
        await look(held)
        await db().rolloutPolicy.delete({ where: { id: closed.id } })
        await goInTime(await view())
        await look(held)
        await paused(held, true)
      }
      expect(await annotations(held)).not.toHaveProperty([HELD])
      await older(held)
      await round()
      expect(await annotations(held)).toHaveProperty([HELD])
    },
    60_000,
  )

  test('a pause of the whole Cluster is one', async () => {
    const held = await slow()
    await says(held, { expiresAfter: '1h' })
    await pausesCluster(held)
    await approveChange(ada, inputFor(held))
    await look(held)
    await older(held)
    await round()
    expect(await annotations(held)).toHaveProperty([HELD])
  })

  test('what nobody is asked about does not expire', async () => {
    const held = await slow()
    await approved(held)
    await older(held)
    const { id, policy } = await db().decision.findFirstOrThrow({ where: { changeId: held.change.id } })
    await db().decision.update({
      where: { id },
      data: { policy: { ...(policy as object), byItself: true, approvals: [] } },
    })
    await db().approval.updateMany({ where: { changeId: held.change.id }, data: { decisionId: null } })
    await round()
    expect(await annotations(held)).not.toHaveProperty([HELD])
  })

  test('begun since, it does not expire', async () => {
    const held = await slow()
    await approved(held)
    const step = { machineId: randomUUID(), machineName: 'm', state: 'updating', startedAt: new Date() }
    await db().machineProgress.create({ data: { changeId: held.change.id, ...step } })
    await older(held)
    await round()
    expect(await annotations(held)).not.toHaveProperty([HELD])
  })

  test('one that somebody has locked keeps none of the others, and is tried in the next round', async () => {
    const [busy, other] = [await slow(), await slow()]
    for (const held of [busy, other]) {
      await approved(held)
      await older(held)
    }
    await db().$transaction(async (tx) => {
      await lockChange(tx, busy.change.id)
      await expireUnbegun(await view())
    })
    expect([(await row(busy)).pausedUntilHeld, (await row(other)).pausedUntilHeld]).toEqual([false, true])
    await round()
    expect(await annotations(busy)).toHaveProperty([HELD])
  })

  test('many are looked at together, and only those that expired one by one', async () => {
    const held = await slow()
    await approved(held)
    await manyLike(held)
    const of = await view()
    const asked = vi.spyOn(pg.Client.prototype, 'query')
    await expireUnbegun(of)
    const { length } = asked.mock.calls.filter(([sql]) => !String(sql).startsWith('SET '))
    asked.mockRestore()
    // They, the policies with clusters and labels, their authors, the approvals and who gave them.
    expect(length).toBeLessThanOrEqual(8)
    await older(held)
    await round()
    expect(await annotations(held)).toHaveProperty([HELD])
    const many = { groupName: { startsWith: 'many-' } }
    expect(await db().change.count({ where: { ...many, pausedAt: null } })).toBe(MANY)
  })

  test('what has to be held does not wait for any of this', async () => {
    const [unbegun, other] = [await slow(), await running()]
    await approved(unbegun)
    await pauseChange(bo, { changeId: other.change.id })
    const of = await view()
    const locking = await pool().connect()
    try {
      await locking.query('BEGIN')
      await locking.query('LOCK TABLE approval IN ACCESS EXCLUSIVE MODE')
      await calendarConsumer.onSynced?.(of)
      await until('it to be held', async () => HELD in (await annotations(other)), { ms: 10_000 })
    } finally {
      await locking.query('ROLLBACK')
      locking.release()
      calendarConsumer.forget?.(of)
    }
  })
})

/** As many others that were let go under the same pause. */
async function manyLike(held: Held): Promise<void> {
  const { id: _, ...change } = await row(held)
  const { id: __, scaling: ___, ...group } = await db().group.findUniqueOrThrow({ where: { id: held.change.groupId } })
  const of = { where: { changeId: held.change.id } }
  const [decision, approval] = [await db().decision.findFirstOrThrow(of), await db().approval.findFirstOrThrow(of)]
  for (let i = 0; i < MANY; i++) {
    const [groupId, changeId, decisionId, groupName] = [randomUUID(), randomUUID(), randomUUID(), `many-${i}`]
    const mine = { id: changeId, groupId, groupName, fingerprint: change.fingerprint }
    await db().group.create({
      data: { ...(group as unknown as Prisma.GroupUncheckedCreateInput), id: groupId, name: groupName },
    })
    await db().change.create({ data: { ...(change as unknown as Prisma.ChangeUncheckedCreateInput), ...mine } })
    const like = { ...(decision as unknown as Prisma.DecisionUncheckedCreateInput), id: decisionId, changeId }
    await db().decision.create({ data: like })
    await db().approval.create({ data: { ...approval, id: randomUUID(), changeId, decisionId } })
  }
}
