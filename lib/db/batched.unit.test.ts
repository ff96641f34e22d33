import { expect, test } from 'vitest'
import { batched } from './batched'

/** Statements that end when they are told to. */
function held() {
  const asked: { keys: readonly number[]; answer: () => void; fail: (error: Error) => void }[] = []
  const load = (keys: readonly number[]) =>
    new Promise<number[]>((resolve, reject) =>
      asked.push({ keys, answer: () => resolve(keys.map((key) => key * 10)), fail: reject }),
    )
  return { asked, load }
}

test('one alone is asked at once; what comes meanwhile is asked together, by a statement that begins after it came', async () => {
  const { asked, load } = held()
  const ask = batched(load, { lanes: 1 })
  const answers = [1, 2, 3].map(ask)
  expect(asked.map(({ keys }) => keys)).toEqual([[1]])
  asked[0]!.answer()
  expect(await answers[0]).toBe(10)
  expect(asked.map(({ keys }) => keys)).toEqual([[1], [2, 3]])
  asked[1]!.answer()
  expect(await Promise.all(answers)).toEqual([10, 20, 30])
})

test('so many statements at a time, and so many questions in each', async () => {
  const { asked, load } = held()
  const ask = batched(load, { lanes: 2, most: 2 })
  const answers = [1, 2, 3, 4, 5].map(ask)
  expect(asked.map(({ keys }) => keys)).toEqual([[1], [2]])
  for (let i = 0; i < asked.length; i++) {
    asked[i]!.answer()
    await new Promise(setImmediate)
  }
  expect(asked.map(({ keys }) => keys)).toEqual([[1], [2], [3, 4], [5]])
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50])
})

test('what fails, fails each question of its statement and none after it', async () => {
  const { asked, load } = held()
  const ask = batched(load, { lanes: 1 })
  const first = ask(1)
  const together = Promise.allSettled([ask(2), ask(3)])
  asked[0]!.answer()
  await first
  asked[1]!.fail(new Error('away'))
  expect((await together).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const after = ask(4)
  asked[2]!.answer()
  expect(await after).toBe(40)
})

test('an answer too few is no answer', async () => {
  await expect(batched<number, number>(async () => [])(1)).rejects.toThrow('0 answers to 1 questions')
})
