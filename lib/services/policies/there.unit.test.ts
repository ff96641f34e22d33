import { expect, test, vi } from 'vitest'
import { whatIsThere } from './there'

test('what many policies are held against is read once, and only what is asked for', async () => {
  const count = vi.fn().mockResolvedValue(2)
  const findMany = vi.fn().mockResolvedValue([{ name: 'a' }])
  const there = whatIsThere({ user: { count }, updater: { findMany } } as never)
  expect(await Promise.all([there.people(), there.people()])).toEqual([2, 2])
  expect(await there.people()).toBe(2)
  expect(count).toHaveBeenCalledTimes(1)
  expect(findMany).not.toHaveBeenCalled()
  expect([...(await there.updaters())]).toEqual(['a'])
})
