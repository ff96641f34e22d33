import { expect, it } from 'vitest'
import { hullSentence, type HullCell } from '@/lib/domain/hull'
import { withSpares } from './change-hulls'

const cell = (name: string, mark: HullCell['mark']): HullCell => ({ id: name, name, mark })
const hull = {
  total: 3,
  cells: [cell('a', 'up-to-date'), cell('b', 'replace'), cell('c', 'replace')],
  counts: [
    { mark: 'replace' as const, count: 2 },
    { mark: 'up-to-date' as const, count: 1 },
  ],
}
const of = (replace: object) =>
  hullSentence(
    withSpares(hull, {
      ...{ state: 'waiting', decision: null },
      outlook: {
        inPlace: null,
        uncovered: [],
        replace: { counts: {}, created: 0, deleted: 0, headline: '', ...replace },
      },
    }).counts,
  )

it('what only goes, and gets none in its place, is to be deleted, and not replaced', () => {
  expect(of({ counts: { 'up-to-date': 1 }, deleted: 2, removed: 2 })).toBe('3 machines: 2 to be deleted, 1 up to date.')
  expect(of({ counts: { replace: 1, 'up-to-date': 1 }, created: 1, deleted: 2, removed: 1 })).toContain('2 replace')
  // It moves nothing.
  expect(of({ counts: { blocked: 2, 'up-to-date': 1 } })).toContain('2 replace')
})

it('a spare is drawn where one is to come, and not where it is there already', () => {
  const replace = { counts: { replace: 3 }, created: 3, deleted: 3, headline: '' }
  const total = (inPlace: object) =>
    withSpares(hull, {
      ...{ state: 'waiting', decision: null },
      outlook: { uncovered: [], replace, inPlace: { ...replace, counts: { 'in-place-with-spare': 2 }, ...inPlace } },
    }).total
  expect(total({ created: 1, deleted: 1, spare: 1 })).toBe(4)
  expect(total({ created: 0, deleted: 1, removed: 1, forSpares: 1 })).toBe(3)
})

it('what is drawn besides takes nothing away from what is known of those that are there', () => {
  const current = { failed: 1, updating: 0 }
  const replace = { counts: { replace: 2 }, ...{ created: 3, deleted: 2, added: 1 }, headline: '' }
  const outlook = { inPlace: null, uncovered: [], replace }
  expect(withSpares({ ...hull, current }, { state: 'waiting', decision: null, outlook })).toMatchObject({
    total: 4,
    current,
  })
})

it('of those of which one goes for a spare, and nobody knows which, as many are counted as everywhere else', () => {
  const each = { total: 3, cells: null, counts: [{ mark: 'in-place-with-spare' as const, count: 3 }] }
  const replace = { counts: { replace: 3 }, created: 3, deleted: 3, headline: '' }
  const said = (inPlace: object) => {
    const outlook = {
      uncovered: [],
      replace,
      inPlace: { ...replace, counts: { 'in-place-with-spare': 2 }, ...inPlace },
    }
    return hullSentence(withSpares(each, { state: 'waiting', decision: null, outlook }).counts)
  }
  expect(said({ created: 1, deleted: 1, spare: 1 })).toBe(
    '4 machines: 1 replace, 2 in place, with a spare, 1 not there yet.',
  )
  expect(said({ created: 0, deleted: 1, removed: 1, forSpares: 1 })).toBe(
    '3 machines: 1 to be deleted, 2 in place, with a spare.',
  )
})
