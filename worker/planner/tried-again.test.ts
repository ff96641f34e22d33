import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { KubeError } from '@/lib/kubernetes/types'
import { applyDecision } from '@/lib/services/changes/apply'
import { callsOf, decisionDto } from '@/lib/services/changes/change-row'
import { getChange } from '@/lib/services/changes/get-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { kubeClientFor } from '@/lib/services/clusters/connection'
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
/** In seconds, by quarters of a minute: some have gone by as it is read. */
const pauseOf = async (held: Held) =>
  Math.round(((await newest(held)).claimedUntil!.getTime() - Date.now()) / 15_000) * 15
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

/** What the API server says when it cannot, and what somebody says who does not let it. */
const answer = (code: number, message: string) => new KubeError(code, { kind: 'Status', code, message }, 'PATCH')
const DENIED = 'admission webhook "x" denied the request: try again later'
const CALLED = 'Internal error occurred: failed calling webhook "x": Post "https://x": connection refused'
const STORED = 'The API server may have stored it'

describe('what goes by the clock, and the API server answers once that it cannot', () => {
  /** Its time comes, and every call of this kind is answered so. */
  async function answered(method: 'get' | 'patch', error: KubeError): Promise<Held> {
    const held = await slow()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    await lifted()
    await failing(method, error, async () => goInTime(await view()))
    return held
  }
  async function failing(method: 'get' | 'patch', error: KubeError, during: () => Promise<unknown>): Promise<void> {
    const client = await kubeClientFor(at.clusterId)
    const real = client[method]
    client[method] = () => Promise.reject(error)
    await during().finally(() => (client[method] = real as never))
  }
  const minuteAgo = (held: Held) =>
    db().decision.updateMany({ where: { changeId: held.change.id }, data: { voidedAt: new Date(Date.now() - 61_000) } })

  test.each<['get' | 'patch', number, string]>([
    ['get', 429, 'the server has received too many requests'],
    ['get', 500, 'etcdserver: request timed out'],
    ['get', 502, 'Bad Gateway'],
    ['get', 503, 'the server is currently unable to handle the request'],
    ['get', 504, 'the request timed out'],
    ['patch', 429, 'the server has received too many requests'],
    ['patch', 500, CALLED],
  ])('to a %s, with %i (%s): it is due again, ever more seldom, and goes by itself', async (method, code, message) => {
    const held = await answered(method, answer(code, message))
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    const [first] = await decisions(held)
    expect(first).toMatchObject({ state: 'voided', awaitsTime: true, sentAt: null })
    expect(first!.error).toBe(
      `The API server answered with ${code}. Nothing was released; it is tried again by itself.`,
    )
    expect(decisionDto(first!).triedAt).toBe(first!.voidedAt!.toISOString())
    expect(await audited(held)).toContain('decision.failed failed')
    // Not at once.
    await goInTime(await view())
    expect(await decisions(held)).toHaveLength(1)
    await minuteAgo(held)
    await goInTime(await view())
    expect((await decisions(held)).map(({ state }) => state)).toEqual(['accepted'])
    const { timeline } = await getChange(ada, { id: held.change.id })
    expect(timeline.map(({ text }) => text)).toContain(`Its time had come. ${first!.error}`)
  })

  test('what may not be read (403) is due again as well, and says so', async () => {
    const held = await answered('get', answer(403, 'forbidden'))
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    expect((await newest(held)).error).toMatch(
      /^Drydock may not read what has to be compared\. Nothing was released; it is/,
    )
  })

  test('people are told the first time, and not each time that it is tried again', async () => {
    const held = await answered('get', answer(503, 'try later'))
    for (let times = 0; times < 2; times++) {
      // The pauses grow.
      await db().decision.updateMany({
        where: { changeId: held.change.id },
        data: { voidedAt: new Date(Date.now() - 10 * 60_000) },
      })
      await failing('get', answer(503, 'try later'), async () => goInTime(await view()))
    }
    expect(await decisions(held)).toHaveLength(1)
    const failed = (await audited(held)).filter((entry) => /decision\.(failed|put-off)/.test(entry))
    expect(failed).toEqual(['decision.failed failed'])
  })

  test('frozen again by then, it does not go on the strength of what was so before', async () => {
    const held = await answered('get', answer(503, 'try later'))
    await says(held, FROZEN)
    await minuteAgo(held)
    await goInTime(await view())
    await expectHeld(held)
    expect(await decisions(held)).toHaveLength(1)
  })

  test.each([
    [403, 'forbidden'],
    [422, 'maxSurge is invalid'],
    [429, DENIED],
    [500, DENIED],
    [501, 'not implemented'],
  ])('refused with %i (%s), it is for people', async (code, message) => {
    const held = await answered('patch', answer(code, message))
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
    expect(await newest(held)).toMatchObject({ state: 'failed' })
  })

  test.each([500, 502, 503, 504])(
    'where it may have been stored (%i), that is found out first, and what was answered is on record',
    async (code) => {
      const held = await answered('patch', answer(code, STORED))
      const { id, state, sentAt } = await newest(held)
      expect([state, sentAt]).toEqual(['applying', expect.any(Date)])
      expect([await stateOf(held), await pauseOf(held)]).toEqual(['approved', 15])
      expect(callsOf(await newest(held))).toMatchObject([{ method: 'PATCH', code, answer: STORED }])
      const again = async () => {
        await db().decision.update({ where: { id }, data: { claimedUntil: new Date(0) } })
        await applyDecision(id, 'worker')
      }
      const fails = async () => void (await expect(again()).rejects.toThrow(LOST))
      await failing('get', answer(503, 'try later'), fails)
      await failing('patch', answer(429, 'too many requests'), fails)
      expect(await newest(held)).toMatchObject({ state: 'applying', attempts: 3 })
      // Of endless tries the last ones.
      const many = Array.from({ length: 30 }, () => callsOf({ calls: [{ at: '2026-01-01' }] } as never)[0]!)
      await db().decision.update({ where: { id }, data: { calls: many as never, attempts: 30 } })
      await failing('patch', answer(503, 'try later'), fails)
      expect(callsOf(await newest(held))).toHaveLength(20)
      await again()
      await expectReleased(held, id)
    },
  )

  test('changed by somebody else all the time, it is due again', async () => {
    const held = await answered('patch', answer(409, 'the object has been modified'))
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    expect((await newest(held)).error).toMatch(
      /is being changed by somebody else all the time\. Nothing was released; it/,
    )
  })
})

test('what a person sent, and the API server answers that it cannot, is left to that person', async () => {
  const held = await slow()
  const client = await kubeClientFor(at.clusterId)
  const { get } = client
  client.get = () => Promise.reject(answer(503, 'try later'))
  const made = await approveChange(ada, inputFor(held)).finally(() => (client.get = get))
  expect(made).toMatchObject({ state: 'failed', answer: null })
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
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
