import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { delayAfter, kindOf, KINDS, sentenceOf } from '.'

it('is tried again later and later, and at least every half hour', () => {
  expect([1, 2, 3, 20].map(delayAfter)).toEqual([5_000, 10_000, 20_000, 1_800_000])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), (n) => {
      expect(delayAfter(n + 1)).toBeGreaterThanOrEqual(delayAfter(n))
      expect(delayAfter(n)).toBeLessThanOrEqual(1_800_000)
    }),
  )
})

test.each(KINDS)('%s is a sentence about what it is about', (kind) => {
  const words = sentenceOf(kind, 'MachineDeployment prod/workers-a', '2026-11-20T08:30:00.000Z')
  expect(words).toMatch(/^[A-Z].*\.$/)
  if (kind !== 'test') expect(words).toContain('prod/workers-a')
  if (/hold|silent/.test(kind)) expect(words).toContain('since 2026-11-20 08:30 UTC')
  expect(sentenceOf(kind, 'x', null)).not.toContain('since')
})

test('what is not worth a message has no kind', () => {
  expect(kindOf('change.approved')).toBeNull()
  expect(kindOf('hold.dangerous')).toBe('hold-dangerous')
})

it('says of a pool that it is paused: what waits for its nodes may be younger', () => {
  expect(sentenceOf('hold-old', 'MachineConfigPool gpu', '2026-11-20T08:30:00.000Z')).toMatch(
    / has been paused since 2026/,
  )
})

it('says of what is not paused that it waits: the group goes on as it is', () => {
  const words = sentenceOf('hold-old', 'MachineDeployment prod/w', '2026-11-20T08:30:00.000Z', true)
  expect(words).toBe('MachineDeployment prod/w has waited since 2026-11-20 08:30 UTC: its hold waits for somebody.')
})

test('of what began unapproved it says whether those are nodes or machines', () => {
  expect(sentenceOf('begun-unapproved', 'MachineConfigPool gpu', null)).toMatch(/^Nodes of MachineConfigPool gpu began/)
  expect(sentenceOf('begun-unapproved', 'MachineDeployment n/w', null)).toMatch(
    /^Machines of MachineDeployment n\/w were/,
  )
})
