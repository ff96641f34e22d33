import { afterEach, describe, expect, test, vi } from 'vitest'
import { ServiceError } from '../errors'
import type { DecisionDto } from './change-row'
import { decideEach } from './decide-each'

const many = (n: number) => Array.from({ length: n }, (_, i) => ({ changeId: `c${i}` }))
const made = { id: 'd', calls: [], state: 'accepted' } as unknown as DecisionDto
afterEach(() => void vi.useRealTimers())

describe('one after the other, a few at once', () => {
  test('never more than four, each once, and answered in their order', async () => {
    let [now, most] = [0, 0]
    const seen: string[] = []
    const results = await decideEach(many(30), async ({ changeId }) => {
      most = Math.max(most, ++now)
      seen.push(changeId)
      await Promise.resolve()
      now--
      return made
    })
    expect(most).toBe(4)
    expect([...seen].sort()).toEqual(
      many(30)
        .map(({ changeId }) => changeId)
        .sort(),
    )
    expect(results.map(({ changeId }) => changeId)).toEqual(many(30).map(({ changeId }) => changeId))
    expect(results[0]!.decision).not.toHaveProperty('calls')
  })

  test('what one fails at is told of that one, and no text of an unknown error', async () => {
    const results = await decideEach(many(3), ({ changeId }) => {
      if (changeId === 'c0') throw new ServiceError('conflict', 'No.', { hint: 'Look.' })
      if (changeId === 'c1') return Promise.reject(new Error('password=x'))
      return Promise.resolve(made)
    })
    expect(results[0]!.failure).toEqual({ code: 'conflict', message: 'No.', hint: 'Look.' })
    expect(results[1]!.failure).toMatchObject({ code: 'internal', message: 'Something in Drydock went wrong.' })
    expect(JSON.stringify(results)).not.toContain('password')
    expect(results[2]!.decision?.state).toBe('accepted')
    expect(results.map(({ outcome }) => outcome)).toEqual(['refused', 'unanswered', 'decided'])
  })

  test.each([
    ['decided', { state: 'applying' }],
    ['refused', { state: 'voided', error: 'Another.' }],
    ['refused', { state: 'failed', error: 'Denied.', noAnswer: false }],
    ['unanswered', { state: 'failed', error: 'It did not answer.', noAnswer: true }],
  ] as const)('%s: %o', async (outcome, decision) => {
    const results = await decideEach(many(1), () => Promise.resolve({ ...made, ...decision }))
    expect(results).toMatchObject([{ outcome, decision }])
  })

  test('after a while nothing more is begun, and that is said', async () => {
    vi.useFakeTimers()
    const begun: string[] = []
    const slow = ({ changeId }: { changeId: string }) => {
      begun.push(changeId)
      if (begun.length === 4) vi.advanceTimersByTime(1001)
      return Promise.resolve(made)
    }
    const results = await decideEach(many(9), slow, { enoughMs: 1000 })
    expect(begun).toHaveLength(4)
    expect(results).toHaveLength(9)
    expect(results[8]).toMatchObject({
      outcome: 'not-begun',
      failure: { code: 'unavailable', hint: 'Nothing was decided on it. Try it again.' },
    })
  })
})
