import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import type { Wave } from '../policies'
import { boundOf } from './bound'

const ALL = { labels: { env: 'prod' } }
const WAVES: Wave[] = [
  { name: 'canary', select: { names: ['a', 'b'] }, soak: '1h' },
  { name: 'tenth', size: '10%' },
  { name: 'rest', ownApproval: true },
]
const of = (waves: Wave[], index = 1, select = ALL) => boundOf(select, waves, index)
const edited = (at: number, part: Partial<Wave>) => WAVES.map((wave, i) => (i === at ? { ...wave, ...part } : wave))

test.each<[string, boolean, string]>([
  ['how long it soaks', true, of(edited(1, { soak: '9h' }))],
  ['whether it asks for a word', true, of(edited(1, { ownApproval: true }))],
  ['how long one before it soaks', true, of(edited(0, { soak: '9h' }))],
  ['a wave after it', true, of([...WAVES.slice(0, 2), { name: 'last', size: 1 }])],
  ['the order of a list', true, of(edited(0, { select: { names: ['b', 'a'] } }))],
  ['an empty list', true, of(edited(0, { select: { names: ['a', 'b'], kinds: [] } }))],
  ['its share', false, of(edited(1, { size: '20%' }))],
  ['its groups', false, of(edited(1, { select: { names: ['c'] } }))],
  ['its name', false, of(edited(1, { name: 'few' }))],
  ['groups of one before it', false, of(edited(0, { select: { names: ['a'] } }))],
  ['its order', false, of([WAVES[1]!, WAVES[0]!], 0)],
  ['which groups the policy is for', false, of(WAVES, 1, { labels: { env: '*' } })],
])('%s edited: the same (%s)', (_, same, bound) => expect(bound === of(WAVES)).toBe(same))

it('is another one for each wave of a policy', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<Wave>(...WAVES, { name: 'x' }), { minLength: 1, maxLength: 6 }), (waves) => {
      const bounds = waves.map((_, i) => of(waves, i))
      expect(new Set(bounds).size).toBe(waves.length)
    }),
  )
})
