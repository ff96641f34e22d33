import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { annotations, audited, expectHeld, failure, inputFor, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { ada, approvals, bo, cy, person, row, says, timedCluster } from '@/testenv/timed'
import { requireInTime } from '../gate/decisions'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { at, view, look, running, slow } = timedCluster()

describe('taken back after it was let go', () => {
  const id = ({ change }: Held) => ({ changeId: change.id })

  test('nothing more begins at once, its group is held again, and it waits for people; what others said stands', async () => {
    const held = await slow()
    await says(held, { approvals: 2 })
    await approveChange(bo, inputFor(held))
    await approveChange(ada, inputFor(held))
    await look(held)
    await withdrawApproval(ada, id(held))
    expect(await row(held)).toMatchObject({ pausedBy: 'Ada', pausedUntilHeld: true })
    expect((await failure(requireInTime(await row(held), {}))).message).toContain('Ada took the approval back')
    expect((await failure(resumeChange(bo, id(held)))).message).toContain('It is being held again')
    expect((await failure(pauseChange(person('op', 'operator'), id(held)))).code).toBe('conflict')
    await holdToTimes(await view())
    expect((await annotations(held))[HELD]).toBe('Stopped by Drydock: not now: Ada took the approval back')
    await look(held)
    const now = { state: 'waiting', dueMode: null, pausedBy: null, pausedAt: null, pausedUntilHeld: false }
    expect(await row(held)).toMatchObject(now)
    expect(await approvals(held)).toEqual(['bo', 'ada withdrawn'])
    expect((await db().approval.findFirstOrThrow({ where: { actorId: 'bo', ...id(held) } })).begun).toBe(false)
    await goInTime(await view())
    await expectHeld(held)
    expect(await audited(held)).toEqual(expect.arrayContaining(['approval.withdrawn ok', 'change.stopped ok']))
    await approveChange(ada, inputFor(held))
    expect(await stateOf(held)).toBe('approved')
  })

  test('a pause by somebody is held first, and stays', async () => {
    const held = await slow()
    await approveChange(ada, inputFor(held))
    await look(held)
    await pauseChange(person('op', 'operator'), id(held))
    expect((await failure(withdrawApproval(ada, id(held)))).message).toContain('Op has paused it')
    await holdToTimes(await view())
    await look(held)
    await withdrawApproval(ada, id(held))
    await resumeChange(bo, id(held))
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  })

  test('is not approved anew before it is held', async () => {
    const held = await slow()
    await approveChange(ada, inputFor(held))
    await withdrawApproval(ada, id(held))
    expect((await failure(approveChange(bo, inputFor(held)))).message).toContain('Somebody was faster')
    await holdToTimes(await view())
    await look(held)
    expect(await stateOf(held)).toBe('waiting')
  })
})

describe('let go under somebody’s own pause', () => {
  const theirs = (held: Held, value: string | null) =>
    at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations: { [PAUSED]: value } } })
  const paused = (held: Held, paused: boolean) =>
    db().group.update({ where: { id: held.change.groupId }, data: { paused, held: null } })
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
    return db().approval.updateMany({ where: { changeId: held.change.id }, data })
  }

  test('an approval that expires before they take it away does not count any more: it is held, and waits', async () => {
    const held = await slow()
    await approved(held)
    await holdToTimes(await view())
    expect(await annotations(held)).not.toHaveProperty([HELD])
    await older(held)
    await holdToTimes(await view())
    const words = 'Stopped by Drydock: not now: its approval expired before anything began'
    expect(await annotations(held)).toMatchObject({ [HELD]: words, [PAUSED]: 'night shift' })
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null, pausedAt: null, pausedUntilHeld: false })
    expect((await failure(theirs(held, null))).message).toContain('Drydock holds this until somebody approves it')
    expect(await audited(held)).toEqual(expect.arrayContaining(['approval.expired ok', 'change.stopped ok']))
  })

  test('what policies say of one cannot be known: others are held all the same', async () => {
    const [unknown, other] = [await slow(), await running()]
    await approved(unknown)
    await older(unknown)
    await savePolicy(cy, { name: 'by-labels', spec: { select: { labels: { tier: 'prod' } }, approvals: 2 } })
    await pauseChange(bo, { changeId: other.change.id })
    await holdToTimes(await view())
    expect(await annotations(other)).toHaveProperty([HELD])
    expect(await annotations(unknown)).not.toHaveProperty([HELD])
  })

  test('a pause of the whole Cluster is one', async () => {
    const held = await slow()
    await says(held, { expiresAfter: '1h' })
    const { id, namespace, workloadCluster: name, clusterId } = held.change
    const rest = { labels: {}, provider: 'cluster.x-k8s.io', phase: 'Provisioned' }
    await db().workloadCluster.upsert({
      where: { clusterId_namespace_name: { clusterId, namespace, name } },
      create: { id, clusterId, namespace, name, paused: true, ...rest },
      update: { paused: true },
    })
    await approveChange(ada, inputFor(held))
    await look(held)
    await older(held)
    await holdToTimes(await view())
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
    await holdToTimes(await view())
    expect(await annotations(held)).not.toHaveProperty([HELD])
  })

  test('begun since, it does not expire', async () => {
    const held = await slow()
    await approved(held)
    const step = { machineId: randomUUID(), machineName: 'm', state: 'updating', startedAt: new Date() }
    await db().machineProgress.create({ data: { changeId: held.change.id, ...step } })
    await older(held)
    await holdToTimes(await view())
    expect(await annotations(held)).not.toHaveProperty([HELD])
  })
})
