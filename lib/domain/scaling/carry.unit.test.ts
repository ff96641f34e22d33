import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { carry, type SetSize } from './carry'

const set = (over: Partial<SetSize> = {}): SetSize => ({
  ...{ name: 'old', createdAt: '2026-01-01T00:00:00Z', replicas: 3, has: 3, told: 3, scaled: undefined },
  ...{ wished: false, moves: false, disabled: false, ...over },
})
const fresh = (over: Partial<SetSize> = {}) =>
  set({ name: 'new', createdAt: '2026-02-01T00:00:00Z', wished: true, replicas: 1, has: 1, ...over })

/** As the API server would have it afterwards. */
function after(wanted: number, sets: readonly SetSize[]): SetSize[] {
  const next = carry(wanted, sets)
  if (next.do !== 'scale') return [...sets]
  return sets.map((one) =>
    one.name === next.set ? { ...one, replicas: next.replicas, has: next.replicas, scaled: next.mark } : one,
  )
}

describe('what a held group wants goes to the machine set that it has', () => {
  test.each<[string, number, SetSize[], ReturnType<typeof carry>]>([
    ['nothing differs', 3, [set()], { do: 'nothing' }],
    ['more', 5, [set()], { do: 'scale', set: 'old', from: 3, replicas: 5, mark: '+2 of 3 at 5' }],
    ['fewer', 1, [set()], { do: 'scale', set: 'old', from: 3, replicas: 1, mark: '-2 of 3 at 1' }],
    ['carried already', 5, [set({ replicas: 5, scaled: '+2 of 3 at 5' })], { do: 'nothing' }],
    ['and more again', 6, [set({ replicas: 5, scaled: '+2 of 3 at 5' })], { do: 'scale', set: 'old', from: 5, replicas: 6, mark: '+3 of 3 at 6' }],
    ['and back', 3, [set({ replicas: 5, scaled: '+2 of 3 at 5' })], { do: 'scale', set: 'old', from: 5, replicas: 3, mark: '+0 of 3 at 3' }],
    ['a mark from before the last release', 6, [set({ replicas: 5, told: 5, scaled: '+2 of 3 at 5' })], { do: 'scale', set: 'old', from: 5, replicas: 6, mark: '+1 of 5 at 6' }],
    ['a mark that somebody wrote', 4, [set({ scaled: 'many' })], { do: 'scale', set: 'old', from: 3, replicas: 4, mark: '+1 of 3 at 4' }],
    ['from none', 3, [set({ replicas: 0, has: 0, told: 0 })], { do: 'scale', set: 'old', from: 0, replicas: 3, mark: '+3 of 0 at 3' }],
    ['from none, where what it was told is of before', 3, [set({ replicas: 0, has: 0, told: 3 })], { do: 'scale', set: 'old', from: 0, replicas: 3, mark: '+0 of 3 at 3' }],
    ['to none', 0, [set()], { do: 'scale', set: 'old', from: 3, replicas: 0, mark: '-3 of 3 at 0' }],
    ['in the middle: to those that wait, beside the spare', 5, [set({ replicas: 2, has: 2 }), fresh({ replicas: 2, told: 3 })], { do: 'scale', set: 'old', from: 2, replicas: 4, mark: '+2 of 3 at 4' }],
    ['in the middle, nothing differs: the spare stays', 3, [set(), fresh({ told: 3 })], { do: 'nothing' }],
    ['in the middle, fewer than it has of the old: no others go', 0, [set({ replicas: 2 }), fresh({ replicas: 2, told: 3 })], { do: 'scale', set: 'old', from: 2, replicas: 0, mark: '-2 of 3 at 0' }],
    ['in the middle, the last ones: the one too many stays', 3, [set({ replicas: 0, has: 0 }), fresh({ replicas: 4, told: 3 })], { do: 'nothing' }],
    ['in the middle of another change: where most are', 4, [set({ replicas: 2 }), set({ name: 'b', replicas: 1 })], { do: 'scale', set: 'old', from: 2, replicas: 3, mark: '+1 of 3 at 3' }],
    ['nothing is made in the revision that waits', 2, [set({ replicas: 0, told: 0 }), fresh({ replicas: 0, told: 0 })], { do: 'wait', why: 'It has no machines, and of which revision new ones would be is not decided.' }],
    ['machines go over at this moment', 5, [set({ replicas: 2, has: 3, moves: true }), fresh({ told: 3 })], { do: 'wait', why: 'Machines that have begun are finished first.' }],
    ['in the middle of an update in place, fewer are not deleted', 1, [set({ replicas: 2, has: 2, moves: true }), fresh({ told: 3 })], { do: 'wait', why: 'In the middle of an update in place Cluster API would update machines instead of deleting them.' }],
    ['and more do not', 5, [set({ replicas: 2, has: 2, moves: true }), fresh({ told: 3 })], { do: 'scale', set: 'old', from: 2, replicas: 4, mark: '+2 of 3 at 4' }],
    ['a mark of before a release that nobody scaled', 1, [set({ replicas: 1, has: 1, told: 1, scaled: '+2 of 1 at 3' })], { do: 'nothing' }],
    ['one that was emptied here is filled again, not the new one', 6, [set({ replicas: 0, has: 0, told: 6, scaled: '-3 of 6 at 0' }), fresh({ replicas: 3, has: 3, told: 6 })], { do: 'scale', set: 'old', from: 0, replicas: 3, mark: '+0 of 6 at 3' }],
    ['OnDelete', 5, [set({ disabled: true })], { do: 'wait', why: 'By its strategy (OnDelete), machine set old makes no machines any more.' }],
    ['OnDelete, fewer', 2, [set({ disabled: true })], { do: 'scale', set: 'old', from: 3, replicas: 2, mark: '-1 of 3 at 2' }],
    ['nothing is wanted of nothing', 0, [set({ replicas: 0, has: 0, told: 0 }), fresh({ replicas: 0, has: 0, told: 0 })], { do: 'nothing' }],
    ['no machine set', 5, [], { do: 'wait', why: 'It has no machines, and of which revision new ones would be is not decided.' }],
    ['never told', 5, [set({ told: null })], { do: 'wait', why: 'Machine set old does not say how many machines were wanted when it was held.' }],
  ])('%s', (_, wanted, sets, expected) => expect(carry(wanted, sets)).toEqual(expected)) // prettier-ignore

  const size = fc.integer({ min: 0, max: 20 })
  const groups = fc
    .record({ old: size, other: size, fresh: size, told: size })
    .map(({ old, other, fresh: n, told }) => [
      set({ replicas: old, has: old, told }),
      set({ name: 'older', createdAt: '2025-01-01T00:00:00Z', replicas: other, has: other, told }),
      fresh({ replicas: n, has: n, told }),
    ])
  const total = (sets: readonly SetSize[]) => sets.reduce((sum, { replicas }) => sum + replicas, 0)

  test('whatever is wanted one after the other, it comes to the same as the last alone, and once', () => {
    fc.assert(
      fc.property(groups, fc.array(size, { minLength: 1, maxLength: 6 }), (sets, wants) => {
        const settled = (want: number, now: SetSize[]) => [1, 2, 3].reduce((was) => after(want, was), now)
        const all = wants.reduce((now, want) => settled(want, now), sets)
        expect(total(all)).toBe(total(settled(wants.at(-1)!, sets)))
        expect(settled(wants.at(-1)!, all)).toEqual(all)
      }),
    )
  })

  test('it settles, and never makes machines of what waits while others are there', () => {
    fc.assert(
      fc.property(groups, size, (sets, want) => {
        let now = sets
        for (let i = 0; i < 4; i++) now = after(want, now)
        expect(carry(want, now).do).not.toBe('scale')
        if (sets[0]!.replicas + sets[1]!.replicas > 0) expect(now[2]!.replicas).toBeLessThanOrEqual(sets[2]!.replicas)
      }),
    )
  })
})
