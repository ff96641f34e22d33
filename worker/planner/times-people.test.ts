import { putOffsOf, triesIn } from '@/lib/services/changes/tries'
import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, NOT_NOW, STOPPED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import * as ways from '@/lib/services/changes/cannot-be'
import { standingsOf, type ChangeStanding } from '@/lib/services/changes/standing'
import { getChange } from '@/lib/services/changes/get-change'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { restoreTimes } from '@/lib/services/changes/restore-times'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { recordAndApply } from '@/lib/services/changes/record'
import { systemCtx } from '@/lib/services/context'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import * as foretelling from '@/lib/services/forecast/foretell'
import { annotations, audited, expectHeld, failure, inputFor, stateOf } from '@/testenv/deciding'
import { planeRows, said, saysOf } from '@/testenv/plane'
import { MD, type Held } from '@/testenv/held'
import { requireInTime } from '../gate/decisions'
import { admit } from './admit'
import { ada, approvals, bo, decisions, FROZEN, lifted, person, row, says, timedCluster } from '@/testenv/timed'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { at, view, look, running } = timedCluster()

describe('what people said holds, whatever the calendar and a laxer policy say', () => {
  const itself = { approvals: 0, strategy: 'replace' as const }

  test('rejected, approved again and taken back: it does not go by itself', async () => {
    const held = await at.held()
    await rejectChange(bo, { changeId: held.change.id, fingerprint: held.change.fingerprint })
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    await withdrawApproval(ada, { changeId: held.change.id })
    await lifted()
    await says(held, itself)
    await goInTime(await view())
    await expectHeld(held)
    expect((await decisions(held)).map(({ mode }) => mode)).toEqual(['reject'])
  })

  test('held by a freeze, and the approval taken back: it does not go on by itself', async () => {
    const held = await running()
    await says(held, FROZEN)
    await holdToTimes(await view())
    await look(held)
    await withdrawApproval(ada, { changeId: held.change.id })
    await lifted()
    await says(held, itself)
    await goInTime(await view())
    await expectHeld(held)
    // Approved by somebody, it was no policy's that asks nobody.
    await db().change.update({ where: { id: held.change.id }, data: { dueMode: 'replace' } })
    await goInTime(await view())
    await expectHeld(held)
  })

  test.each([
    ['its time has come', FROZEN],
    ['nobody is asked', {}],
  ])('rejected in the very moment in which %s: the rejection stands', async (_, rules) => {
    const held = await at.held()
    const { id: changeId, fingerprint } = held.change
    if (rules === FROZEN) {
      await says(held, FROZEN)
      await approveChange(ada, inputFor(held))
      await lifted()
    } else await says(held, itself)
    const seen = vi.spyOn(foretelling, 'foretell').mockImplementationOnce(async () => {
      await rejectChange(bo, { changeId, fingerprint })
      return null
    })
    try {
      if (rules === FROZEN) await goInTime(await view())
      else await admit(await view(), held.change.groupId)
    } finally {
      seen.mockRestore()
    }
    await expectHeld(held)
    expect((await decisions(held)).map(({ mode, state }) => [mode, state])).toEqual([['reject', 'accepted']])
  })

  test('what is not allowed so any more waits for people, and is not called due', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    await lifted()
    await says(held, { strategy: 'in-place-only' })
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  })

  test('a control plane that would lose a machine by now, which nobody confirmed, waits for people', async () => {
    const held = await at.held('KubeadmControlPlane')
    await planeRows(held, ['a', 'b', 'c'])
    const { id: changeId, outlook } = held.change
    const loses = outlook as { replace: object }
    const nothing = { counts: {}, created: 0, deleted: 0, headline: '' }
    const set = (inPlace: object) =>
      db().change.update({ where: { id: changeId }, data: { outlook: { ...loses, inPlace } } })
    await says(held, FROZEN)
    await set(nothing)
    await approveChange(ada, inputFor(held, 'in-place'))
    await set({ ...nothing, deleted: 1 })
    await lifted()
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
    expect(await decisions(held)).toEqual([])
  })

  test('a control plane of which a member is ill by now, which nobody confirmed, waits for people', async () => {
    const held = await at.held('KubeadmControlPlane')
    const [id] = await planeRows(held, ['a', 'b', 'c'])
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held, 'in-place'))
    await saysOf(id!, said({ EtcdMemberHealthy: 'False' }))
    await lifted()
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
    const event = await db().auditEvent.findFirstOrThrow({
      where: { action: 'change.not-due', targetId: held.change.id },
    })
    expect(event.reason).toContain('Nobody has confirmed what is known by now: The etcd member of a is not healthy')
  })

  test('nobody is asked about a control plane only while nothing stands against it', async () => {
    const held = await at.held('KubeadmControlPlane')
    const [id] = await planeRows(held, ['a', 'b', 'c'])
    const { replace } = held.change.outlook as { replace: object }
    const inPlace = { counts: { 'in-place': 3 }, created: 0, deleted: 0, headline: '' }
    await db().change.update({ where: { id: held.change.id }, data: { outlook: { replace, inPlace } } })
    await saysOf(id!, said({ EtcdMemberHealthy: 'Unknown' }))
    await says(held, { approvals: 0 })
    await admit(await view(), held.change.groupId)
    expect(await decisions(held)).toEqual([])
    const { id: changeId, fingerprint } = held.change
    const wish = { changeId, fingerprint, mode: 'in-place', by: 'policy', typedName: held.name } as const
    expect((await failure(recordAndApply(systemCtx('policy'), wish))).message).toContain('somebody has to look')
    expect(await decisions(held)).toEqual([])
  })

  describe('how many machines are wanted', () => {
    const replicasOf = async (held: Held) =>
      (await at.cluster.admin.get(MD, held.name, held.namespace)).spec as unknown as { replicas: number }
    const want = (held: Held, replicas: number) =>
      db().change.update({
        where: { id: held.change.id },
        data: { outlook: { ...(held.change.outlook as object), replicas } },
      })

    test('approved for later, and fewer by then: more would be deleted than was shown, so it waits for people', async () => {
      const held = await at.held()
      await says(held, FROZEN)
      await want(held, 4)
      await approveChange(ada, inputFor(held))
      await want(held, 3)
      // Its page says so at once, and not that it goes when its time comes.
      const { ways, uncounted } = (await standingsOf([await getChange(ada, { id: held.change.id })])).get(
        held.change.id,
      ) as ChangeStanding
      expect(ways[inputFor(held).mode]).toMatchObject({ needed: 1, missing: 1 })
      expect([...uncounted.values()]).toEqual(['fewer'])
      await lifted()
      await goInTime(await view())
      await expectHeld(held)
      expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
      expect(await decisions(held)).toEqual([])
    })

    test('approved for later, more for a while, and as many as were shown when it goes: it goes', async () => {
      const held = await at.held()
      const { replicas } = await replicasOf(held)
      await says(held, FROZEN)
      await want(held, replicas)
      await approveChange(ada, inputFor(held))
      await want(held, replicas + 2)
      await lifted()
      await goInTime(await view())
      expect((await decisions(held)).map(({ state }) => state)).toEqual(['accepted'])
    })

    test('of two who approve, the first saw more: that one is asked again', async () => {
      const held = await at.held()
      await says(held, { approvals: 2 })
      await want(held, 4)
      await approveChange(ada, { ...inputFor(held), replicas: 4 })
      await want(held, 1)
      expect(await approveChange(bo, { ...inputFor(held), replicas: 1 })).toMatchObject({
        state: 'gathering',
        missing: 1,
      })
      expect(await approvals(held)).toEqual(['ada fewer', 'bo'])
      const { timeline } = await getChange(ada, { id: held.change.id })
      expect(timeline.map(({ text }) => text).join('\n')).toContain('The approval of Ada is over: fewer machines')
      const event = await db().auditEvent.findFirst({ where: { targetId: held.change.id }, orderBy: { id: 'desc' } })
      expect(event?.details).toMatchObject({ overForFewerMachines: ['Ada (ada)'] })
      expect(await approveChange(ada, { ...inputFor(held), replicas: 1 })).toMatchObject({ state: 'accepted' })
    })

    test('what asks nobody goes with as many as are wanted then', async () => {
      const held = await at.held()
      const { replicas } = await replicasOf(held)
      await says(held, { approvals: 0, strategy: 'replace' })
      await want(held, replicas + 1)
      await admit(await view(), held.change.groupId)
      expect((await decisions(held)).map(({ state }) => state)).toEqual(['accepted'])
    })
  })

  test('let go again before the planner has seen the hold: it goes on by itself', async () => {
    const held = await running()
    await says(held, FROZEN)
    await holdToTimes(await view())
    await lifted()
    await holdToTimes(await view())
    expect((await decisions(held))[0]).toMatchObject({ awaitsTime: true })
    await look(held)
    expect(await approvals(held)).toEqual(['ada'])
    await goInTime(await view())
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided', 'accepted'])
  })

  test('what cannot be reached in that moment is due again, ever more seldom', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    await db().approval.updateMany({ where: { changeId: held.change.id }, data: { at: new Date(Date.now() - 60_000) } })
    await lifted()
    const down = vi.spyOn(ways, 'cannotBe').mockResolvedValue('the gate is being restarted')
    try {
      await goInTime(await view())
      expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
      // Not before a while is over.
      await goInTime(await view())
      expect(await decisions(held)).toHaveLength(1)
      const before = new Date(Date.now() - 31_000)
      await db().decision.updateMany({ where: { changeId: held.change.id }, data: { voidedAt: before } })
      await goInTime(await view())
    } finally {
      down.mockRestore()
    }
    const [one, ...others] = await decisions(held)
    expect([one!.state, one!.awaitsTime, triesIn(putOffsOf(one!)), others]).toEqual(['voided', true, 2, []])
    expect(await approvals(held)).toEqual(['ada'])
    await expectHeld(held)
  })
})

describe('letting one change go outside its times', () => {
  const input = (held: Held, reason?: string) => ({
    changeId: held.change.id,
    fingerprint: held.change.fingerprint,
    ...(reason === undefined ? {} : { reason }),
  })

  test('by a named person with a reason: what is approved goes at once, and is held no more', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    expect((await failure(overrideTimes(person('op', 'operator'), input(held, 'x')))).code).toBe('forbidden')
    expect((await failure(overrideTimes(bo, input(held)))).message).toContain('Say why')
    expect((await failure(overrideTimes(bo, input(held, '  ')))).message).toContain('Say why')
    await expectHeld(held)
    await overrideTimes(bo, input(held, 'CVE-2026-1, today'))
    expect(await row(held)).toMatchObject({ state: 'approved', overrideBy: 'Bo', overrideReason: 'CVE-2026-1, today' })
    await look(held)
    await holdToTimes(await view())
    expect(await annotations(held)).not.toHaveProperty([HELD])
    expect(await audited(held)).toContain('change.override ok')
    // Taken back, its freeze holds what has not begun.
    await restoreTimes(bo, { changeId: held.change.id })
    await holdToTimes(await view())
    expect((await annotations(held))[HELD]).toContain(STOPPED + NOT_NOW)
    expect((await failure(restoreTimes(bo, { changeId: held.change.id }))).code).toBe('conflict')
  })

  test('takes the place of no approval, and is of no use where nothing but approvals holds it', async () => {
    const held = await at.held()
    expect((await failure(overrideTimes(bo, input(held, 'now')))).message).toContain('its time is now')
    await says(held, FROZEN)
    await overrideTimes(bo, input(held, 'now'))
    await goInTime(await view())
    await expectHeld(held)
    expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'accepted' })
  })

  test('is of the change that was looked at', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    const other = { ...input(held, 'now'), fingerprint: 'f'.repeat(64) }
    expect((await failure(overrideTimes(bo, other))).message).toContain('changed while you were looking')
  })
})

describe('paused by somebody', () => {
  const id = ({ change }: Held) => ({ changeId: change.id })
  const op = person('op', 'operator')

  test('nothing more begins; resumed it goes on with what it was approved with', async () => {
    const held = await running()
    await pauseChange(op, { ...id(held), reason: 'the dashboards are red' })
    await holdToTimes(await view())
    expect((await annotations(held))[HELD]).toBe('Stopped by Drydock: not now: paused by Op (the dashboards are red)')
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace', pausedBy: 'Op' })
    expect(await approvals(held)).toEqual(['ada'])
    await goInTime(await view())
    await expectHeld(held)
    expect((await failure(requireInTime(await row(held), {}))).message).toContain('paused by Op')
    expect((await failure(pauseChange(op, id(held)))).message).toBe('Op has paused it already.')
    expect((await failure(resumeChange(op, id(held)))).code).toBe('forbidden')
    await resumeChange(ada, id(held))
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['voided', 'accepted'])
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'running', pausedAt: null })
    expect(await audited(held)).toEqual(expect.arrayContaining(['change.paused ok', 'change.resumed ok']))
    expect((await failure(resumeChange(ada, id(held)))).code).toBe('conflict')
  })

  test('a pause and a freeze do not release each other, and nobody overrides a pause', async () => {
    const held = await running()
    await says(held, FROZEN)
    await pauseChange(op, id(held))
    await holdToTimes(await view())
    await look(held)
    const why = { ...id(held), fingerprint: held.change.fingerprint, reason: 'now' }
    await overrideTimes(bo, why)
    await goInTime(await view())
    await expectHeld(held)
    await restoreTimes(bo, id(held))
    await resumeChange(ada, id(held))
    await goInTime(await view())
    await expectHeld(held)
    await pauseChange(op, id(held))
    await lifted()
    await goInTime(await view())
    await expectHeld(held)
    await resumeChange(ada, id(held))
    expect(await stateOf(held)).toBe('approved')
  })

  test('who looked at a pause that was resumed since does not resume the next one; why it is resumed is in the audit', async () => {
    const held = await running()
    await pauseChange(op, id(held))
    const pausedAt = (await row(held)).pausedAt!.toISOString()
    await resumeChange(ada, { ...id(held), pausedAt, reason: 'green again' })
    await pauseChange(bo, { ...id(held), reason: 'the disks are full' })
    const stale = await failure(resumeChange(ada, { ...id(held), pausedAt }))
    expect(stale).toMatchObject({ code: 'conflict', message: 'It was resumed since, and Bo paused it once more.' })
    expect((await row(held)).pausedBy).toBe('Bo')
    const event = await db().auditEvent.findFirst({ where: { targetId: held.change.id, action: 'change.resumed' } })
    expect(event).toMatchObject({ reason: 'green again' })
  })

  test('what is approved anew meanwhile waits for somebody to resume it; a rejection ends the pause', async () => {
    const held = await running()
    await pauseChange(op, id(held))
    await holdToTimes(await view())
    await look(held)
    expect(await approveChange(bo, inputFor(held))).toMatchObject({ state: 'gathering', timing: { why: 'paused' } })
    await expectHeld(held)
    await rejectChange(bo, { ...id(held), fingerprint: held.change.fingerprint })
    expect(await row(held)).toMatchObject({ state: 'rejected', dueMode: null, pausedAt: null })
  })

  test('what waits for people, or was let go by others, is not paused here', async () => {
    const held = await at.held()
    expect((await failure(pauseChange(op, id(held)))).message).toContain('Nothing of it was let go here')
    await db().change.update({ where: { id: held.change.id }, data: { state: 'running' } })
    expect((await failure(pauseChange(op, id(held)))).code).toBe('conflict')
    expect((await failure(pauseChange(person('vi', 'viewer'), id(held)))).code).toBe('forbidden')
  })
})

test('a pause holds also where no policy can be read', async () => {
  const held = await running()
  await db().rolloutPolicy.create({ data: { name: 'odd', spec: { waves: 1 } } })
  await pauseChange(person('op', 'operator'), { changeId: held.change.id })
  await holdToTimes(await view())
  await expectHeld(held)
  expect((await failure(requireInTime(await row(held), {}))).message).toContain('paused by Op')
})
