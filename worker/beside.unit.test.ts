import { setImmediate as soon } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Beside, besides } from './beside'

/** Works that go on until they are told to end. */
function works() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => {
    begun.push(name)
    return new Promise<void>((resolve) => ends.set(name, resolve))
  }
  return { begun, work, end: (name: string) => ends.get(name)!() }
}
const OPTIONS = { ms: 1, atOnce: 2 }

test('one that hangs keeps the next ones waiting for a moment, is left alone, and so many hang at most', async () => {
  const beside = new Beside(OPTIONS)
  const { begun, work, end } = works()
  const all = beside.each(['a', 'b', 'c'], String, work)
  while (begun.length < 2) await soon()
  end('a')
  while (begun.length < 3) await soon()
  end('c')
  while (!(await beside.begin('c', () => Promise.resolve()))) await soon()
  expect(await beside.begin('b', () => work('b'))).toBe(false)
  end('b')
  await all
  expect(begun).toEqual(['a', 'b', 'c'])
})

test('what is left when newer ones come is theirs', async () => {
  const beside = new Beside(OPTIONS)
  const { begun, work, end } = works()
  const older = beside.each(['a', 'b'], String, work)
  await beside.each(['c'], String, (name) => Promise.resolve(void begun.push(name)))
  end('a')
  await older
  expect(begun).toEqual(['a', 'c'])
})

test('those that newer ones kept from it come before those that were begun', async () => {
  const beside = new Beside(OPTIONS)
  const { begun, work, end } = works()
  const older = beside.each(['a', 'b', 'c'], String, work)
  while (begun.length < 2) await soon()
  end('a')
  end('b')
  await Promise.resolve()
  const newer = beside.each(['a', 'b', 'c'], String, work)
  while (begun.length < 4) await soon()
  expect(begun).toEqual(['a', 'b', 'c', 'a'])
  end('c')
  while (begun.length < 5) await soon()
  for (const name of ['a', 'b']) end(name)
  await Promise.all([older, newer])
})

test('it has ended when it may begin again', async () => {
  const beside = new Beside(OPTIONS)
  const { begun, work, end } = works()
  const again = vi.fn(() => void beside.begin('a', () => work('a')))
  const whole = beside.begin('a', () => work('a'), again)
  end('a')
  await whole
  expect([again.mock.calls.length, begun]).toEqual([1, ['a', 'a']])
  end('a')
})

test('one that fails keeps no other one from it, and is told when all have ended', async () => {
  const done: string[] = []
  const work = (name: string) =>
    name === 'a' ? Promise.reject(new Error('refused')) : Promise.resolve(void done.push(name))
  await expect(new Beside().each(['a', 'b'], String, work)).rejects.toThrow('refused')
  expect(done).toEqual(['b'])
})

test('none begins once it was stopped, and each view has its own', async () => {
  const done: string[] = []
  let stopped = false
  const work = (name: string) => {
    stopped = true
    return Promise.resolve(void done.push(name))
  }
  await new Beside().each(['a', 'b'], String, work, () => stopped)
  expect(done).toEqual(['a'])
  const of = besides()
  const view = {}
  expect([of(view) === of(view), of(view) === of({})]).toEqual([true, false])
})
