import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { decisionDto } from '@/lib/services/changes/change-row'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { audited, expectHeld, expectReleased, failure, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { lostAnswer, unread } from '@/testenv/lost-answer'
import { ada, bo, decisions, FROZEN, lifted, row, says, timedCluster } from '@/testenv/timed'
import { goInTime } from './times'

useTestDatabase()
const { at, view, slow } = timedCluster()

/** Its time comes, it is sent, and the cluster does not answer from then on. */
async function inItsTime(): Promise<Held & { again(): Promise<void> }> {
  const held = await slow()
  await says(held, FROZEN)
  await approveChange(ada, inputFor(held))
  await lifted()
  const { again } = await lostAnswer(at.clusterId, held, async () => goInTime(await view()))
  return { ...held, again }
}
const newest = async (held: Held) => (await decisions(held)).at(-1)!
/** For how long nobody tries it, in seconds. */
const pauseOf = async (held: Held) => Math.round(((await newest(held)).claimedUntil!.getTime() - Date.now()) / 1000)
const LOST = /the answer to a patch of .* was lost/

describe('what goes by the clock, was sent, and was answered by nobody', () => {
  test('goes on being tried for as long as the cluster is away, ever more seldom, and is released when it is back', async () => {
    const held = await inItsTime()
    const pauses: number[] = [await pauseOf(held)]
    await unread(at.clusterId, async () => {
      for (let times = 0; times < 6; times++) {
        await expect(held.again()).rejects.toThrow(LOST)
        pauses.push(await pauseOf(held))
      }
    })
    expect(pauses).toEqual([15, 30, 60, 120, 240, 300, 300])
    const { state, error, id, attempts } = await newest(held)
    expect([state, error, attempts]).toEqual(['applying', null, 7])
    expect(decisionDto(await newest(held)).unanswered).toBe(7)
    expect(await audited(held)).not.toContain('decision.failed failed')
    await held.again()
    await expectReleased(held, id)
    expect(decisionDto(await newest(held)).unanswered).toBeNull()
  })

  test('the same where its answer is lost once more', async () => {
    const held = await inItsTime()
    await db().decision.update({ where: { id: (await newest(held)).id }, data: { attempts: 8 } })
    await lostAnswer(at.clusterId, held, async () => expect(held.again()).rejects.toThrow(LOST))
    await held.again()
    expect((await newest(held)).state).toBe('accepted')
  })

  test('and where policies cannot be known by then', async () => {
    const held = await inItsTime()
    const { id } = await db().rolloutPolicy.create({ data: { name: 'odd', spec: { windows: 1 } } })
    await expect(held.again()).rejects.toThrow(LOST)
    expect((await newest(held)).state).toBe('applying')
    await db().rolloutPolicy.delete({ where: { id } })
    await held.again()
    expect((await newest(held)).state).toBe('accepted')
  })

  test('paused meanwhile, it is not sent again', async () => {
    const held = await inItsTime()
    await unread(at.clusterId, async () => {
      await expect(held.again()).rejects.toThrow(LOST)
      const { message, more } = await failure(withdrawApproval(ada, { changeId: held.change.id }))
      expect(message).toBe('It was sent to the cluster, and whether that took it is not known yet: it is tried again.')
      expect(more.hint).toMatch(/^Pause it instead/)
      await pauseChange(bo, { changeId: held.change.id })
    })
    await held.again()
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace', pausedBy: 'Bo' })
  })
})

test('what a person sent is left to people after five tries, and says that the cluster did not answer', async () => {
  const held = await slow()
  const { again } = await lostAnswer(at.clusterId, held, () => approveChange(ada, inputFor(held)))
  await unread(at.clusterId, async () => {
    for (let times = 0; times < 4; times++) await again().catch(() => undefined)
  })
  const { state, error, attempts } = await newest(held)
  expect([state, attempts, await stateOf(held)]).toEqual(['failed', 5, 'waiting'])
  expect(error).toMatch(/^The cluster did not answer, so it is not known whether it took the decision/)
})
