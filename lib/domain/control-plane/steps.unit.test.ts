import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextStep, sparesOf, stepWords, throughOf, waitsForSomebody, type StepMachine } from './steps'

const old = (over: Partial<StepMachine> = {}): StepMachine => ({ old: true, through: null, out: false, ...over })
const updated = old({ through: 'updated' })
const out = old({ out: true })
const made: StepMachine = { old: false, through: 'made', out: false }
const coming: StepMachine = { old: false, through: null, out: false }

describe('how many were dealt with', () => {
  test.each<[string, StepMachine[], number]>([
    ['nothing yet', [old(), old(), old()], 0],
    ['one updated', [updated, old(), old()], 1],
    ['one made, none gone', [old(), old(), old(), made], 0],
    ['one made, one gone', [out, old(), old(), made], 1],
    ['one gone, and none in its place yet', [out, old(), old(), coming], 0],
    ['one more was made already', [out, old(), old(), made, made], 1],
    ['in place with a spare: updated, and the last one goes', [updated, updated, out, made], 3],
    ['updated, and deleted since', [old({ through: 'updated', out: true }), old(), made], 1],
  ])('%s', (_, machines, n) => expect(throughOf(machines)).toBe(n))

  test('never more than there are, and no step takes one away', () => {
    const kinds = [old(), updated, out, made, coming]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...kinds), { maxLength: 12 }), (machines) => {
        const n = throughOf(machines)
        expect(n).toBeLessThanOrEqual(machines.filter((m) => m.old).length)
        expect(throughOf([...machines, made])).toBeGreaterThanOrEqual(n)
        const i = machines.findIndex((m) => m.old && !m.out && m.through === null)
        if (i >= 0) expect(throughOf(machines.with(i, updated))).toBe(n + 1)
      }),
    )
  })
})

test('a spare is one that was made, and for which none is gone yet', () => {
  expect([[], [old(), updated], [old(), made], [old(), coming], [out, made]].map(sparesOf)).toEqual([0, 0, 1, 0, 0])
})

test('it does not wait before what is only deleted for its spare; before anything else it does', () => {
  const of = (through: number) => waitsForSomebody({ ...{ steps: through, through, of: 3 }, spared: 1 })
  expect([1, 2, 3].map(of)).toEqual([true, false, false])
})

test('it waits when what was allowed is done and something is left; the next step always lets one go', () => {
  const n = fc.nat({ max: 9 })
  fc.assert(
    fc.property(fc.option(n), n, n, (steps, through, of) => {
      const waits = waitsForSomebody({ steps, through, of })
      expect(waits).toBe(steps !== null && steps <= through && through < of)
      expect(waitsForSomebody({ steps: nextStep({ through }), through, of })).toBe(false)
      expect(waitsForSomebody({ steps: null, through, of })).toBe(false)
      if (through + 1 < of)
        expect(waitsForSomebody({ steps: nextStep({ through }), through: through + 1, of })).toBe(true)
    }),
  )
  expect(stepWords({ done: 1, of: 3 })).toBe('1 of 3 machines, as approved; the next one waits for somebody')
})
