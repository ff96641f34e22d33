import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { Clock } from './clock'
import { log } from './log'

const asking = (aheadS: number, asked: number[] = []) => {
  const query = () => {
    asked.push(Date.now())
    return Promise.resolve({ rows: [{ now: new Date(Date.now() - aheadS * 1000) }] })
  }
  return new Clock({ query } as unknown as Pick<Pool, 'query'>, log)
}

test.each([
  [600, 'is 600 s ahead of the database'],
  [-90, 'is 90 s behind the database'],
  [20, null],
  [-20, null],
])('a clock that is %i s ahead: %s', async (ahead, words) => {
  const clock = asking(ahead)
  await clock.look()
  if (words) expect(clock.wrong).toContain(words)
  else expect(clock.wrong).toBeNull()
})

test('it looks now and then, not at each tick', async () => {
  const asked: number[] = []
  const clock = asking(0, asked)
  await clock.look()
  await clock.look()
  expect(asked).toHaveLength(1)
})
