import { setImmediate as soon } from 'node:timers/promises'
import { expect, test } from 'vitest'
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
