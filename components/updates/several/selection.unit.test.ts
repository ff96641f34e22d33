import { describe, expect, test } from 'vitest'
import { MOST_AT_ONCE } from '@/lib/domain/changes/at-once'
import { droppedWords } from './bar'
import { allWords } from './boxes'
import { asked, between, choose, mayReplace, reconcile, type Listing } from './selection'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
/** Newest first: the name says when it was written. */
const row = (minute: number, fingerprint = 'f') => ({
  ...{
    id: `id-${minute}`,
    clusterName: 'm',
    workloadCluster: 'w',
    groupName: `g-${minute}`,
    detectedAt: at(minute),
    fingerprint,
  },
  outlook: { replicas: 3 },
})
const only = (minute: number) => ({ ...row(minute), outlook: { replicas: 3, only: 'in-place' as const } })
const list = (minutes: number[], more = false, page = 'one'): Listing => ({
  page,
  rows: minutes.map((m) => row(m)),
  more,
})
const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id)

describe('choosing', () => {
  test('one, some, and none; what was chosen keeps what it was', () => {
    const listing = list([5, 4, 3])
    const one = choose([], listing, [row(4)], true)
    expect(one).toEqual([
      {
        id: 'id-4',
        fingerprint: 'f',
        replicas: 3,
        name: 'm / w / g-4',
        detectedAt: at(4),
        page: 'one',
        replaces: true,
      },
    ])
    const all = choose(one, listing, [row(5), row(4, 'g'), row(3)], true)
    expect(ids(all)).toEqual(['id-4', 'id-5', 'id-3'])
    expect(all[0]!.fingerprint).toBe('f')
    expect(ids(choose(all, listing, [row(5), row(4)], false))).toEqual(['id-3'])
  })

  test('what waits for nobody is none of the rows, and drops out when it comes to that', () => {
    expect(ids(asked([row(5), row(4)], ['id-4']))).toEqual(['id-5'])
    const chosen = choose([], list([5, 4]), [row(5), row(4)], true)
    const { kept, dropped } = reconcile(chosen, { ...list([5, 4]), rows: asked([row(5), row(4)], ['id-4']) })
    expect([ids(kept), ids(dropped)]).toEqual([['id-5'], ['id-4']])
  })

  test('replacing is a way of one of them, or of none', () => {
    const listing = { ...list([]), rows: [only(5), row(4)] }
    expect(mayReplace(choose([], listing, [only(5), row(4)], true))).toBe(true)
    expect(mayReplace(choose([], listing, [only(5)], true))).toBe(false)
  })

  test('never more than are decided at once', () => {
    const rows = Array.from({ length: MOST_AT_ONCE + 20 }, (_, i) => row(1000 - i))
    expect(choose([], { page: 'one', rows, more: false }, rows, true)).toHaveLength(MOST_AT_ONCE)
  })

  test('choosing all says what it does, also where other pages leave no room for it', () => {
    expect(allWords(25, 50, 50)).toBe('Select all 25 on this page')
    expect(allWords(60, 50, 50)).toBe('Select the first 50 on this page')
    expect(allWords(25, 25, 50)).toBe('Select all 25 on this page')
    expect(allWords(25, 10, 50)).toMatch(
      /^Select 10 of the 25 on this page: .* makes 50, as many as are decided at once$/,
    )
    expect(allWords(25, 0, 50)).toBe(
      'None of this page can be selected: other pages have 50, as many as are decided at once',
    )
  })

  test('from one to another, either way; from one that is gone, that one alone', () => {
    const { rows } = list([5, 4, 3, 2])
    expect(ids(between(rows, 'id-4', 'id-2'))).toEqual(['id-4', 'id-3', 'id-2'])
    expect(ids(between(rows, 'id-2', 'id-4'))).toEqual(['id-4', 'id-3', 'id-2'])
    expect(ids(between(rows, 'gone', 'id-3'))).toEqual(['id-3'])
    expect(ids(between(rows, null, 'id-3'))).toEqual(['id-3'])
  })
})

describe('the list changes by itself', () => {
  const chosen = choose([], list([5, 4, 3]), [row(5), row(3)], true)

  test('what stands there as before stays, and nothing is made anew', () => {
    const { kept, dropped } = reconcile(chosen, list([6, 5, 4, 3]))
    expect(kept).toBe(chosen)
    expect(dropped).toEqual([])
  })

  test('what is gone, or another change by now, drops out', () => {
    expect(ids(reconcile(chosen, list([4, 3])).dropped)).toEqual(['id-5'])
    const other = { ...list([]), rows: [row(5), row(3, 'other')] }
    expect(ids(reconcile(chosen, other).dropped)).toEqual(['id-3'])
    expect(ids(reconcile(chosen, list([])).dropped)).toEqual(['id-5', 'id-3'])
  })

  test('what newer ones pushed to the next page stays; in its middle it does not', () => {
    expect(reconcile(chosen, list([7, 6, 5], true)).dropped).toEqual([])
    expect(ids(reconcile(chosen, list([7, 6, 5], false)).dropped)).toEqual(['id-3'])
    expect(ids(reconcile(chosen, list([5, 4, 2], true)).dropped)).toEqual(['id-3'])
  })

  test('another page says nothing of it', () => {
    expect(reconcile(chosen, list([2, 1], false, 'two')).dropped).toEqual([])
  })

  test('who dropped out is said', () => {
    expect(droppedWords(['a'])).toBe('Not selected any more: a. It does not wait any more as selected.')
    expect(droppedWords(['a', 'b', 'c', 'd', 'e'])).toBe(
      'Not selected any more: a, b, c and 2 more. They do not wait any more as selected.',
    )
  })
})
