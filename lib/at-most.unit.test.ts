import { expect, test } from 'vitest'
import { atMost } from './at-most'

test('no more than so many run at once, in their order; one that fails makes room as well', async () => {
  const limited = atMost(3)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const all = Array.from({ length: 8 }, (_, i) =>
    limited(async () => {
      begun.push(i)
      await new Promise<void>((resolve) => (ends[i] = resolve))
      if (i % 2) throw new Error(`${i}`)
      return i
    }).catch((error: Error) => error.message),
  )
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([0, 1, 2])
  ends[1]!()
  ends[0]!()
  await settle()
  expect(begun).toEqual([0, 1, 2, 3, 4])
  for (let i = 2; i < 8; i++) {
    ends[i]!()
    await settle()
  }
  expect(await Promise.all(all)).toEqual([0, '1', 2, '3', 4, '5', 6, '7'])
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})
