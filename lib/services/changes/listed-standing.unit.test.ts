import { describe, expect, it } from 'vitest'
import type { Outlook } from '@/lib/domain/changes'
import { listedStanding } from './listed-standing'
import type { WayStanding } from './standing'

const outcome = { counts: {}, created: 0, deleted: 0, headline: '' }
const way = (given: number, forbidden: string | null = null): WayStanding => ({
  ...{ needed: 3, missing: 3 - given, oneMore: false, forbidden, early: null },
})
const listed = (inPlace: WayStanding, replace: WayStanding, outlook: Partial<Outlook> = {}) =>
  listedStanding(
    { ways: { 'in-place': inPlace, replace }, timing: {} as never, early: null, unasked: null },
    { outlook: { inPlace: outcome, replace: outcome, uncovered: [], ...outlook }, dueMode: null },
  )

it('of what is approved, and cannot be done so now, the end is that of its approvals, and not of one given now', () => {
  const end = (ends: string) => ({ ends, may: null, from: null, zone: null, policy: null })
  const standing = {
    ways: { 'in-place': { ...way(3), early: end('07:28') }, replace: way(0) },
    ...{ timing: {} as never, early: end('07:30'), unasked: null },
  }
  const outlook = { inPlace: null, replace: outcome, uncovered: [] }
  const of = (dueMode: 'in-place' | null) => listedStanding(standing, { outlook, dueMode })
  expect(of('in-place')).toMatchObject({ due: false, stands: true, early: { ends: '07:28' } })
  expect(of(null)).toMatchObject({ due: false, stands: false, early: { ends: '07:30' } })
})

it('counts approvals that expired, where some are missing', () => {
  const of = (inPlace: WayStanding) =>
    listedStanding(
      {
        ...{ ways: { 'in-place': inPlace, replace: way(0) }, timing: {} as never, early: null, unasked: null },
        uncounted: new Map([
          ['a', 'expired'],
          ['b', 'too-old'],
          ['c', 'over'],
        ]),
      },
      { outlook: { inPlace: outcome, replace: outcome, uncovered: [] }, dueMode: null },
    )
  expect(of(way(1))).toMatchObject({ given: 1, expired: 2 })
  expect(of(way(3))).not.toHaveProperty('expired')
})

describe('the way that is spoken of', () => {
  it.each([
    ['nobody approved', way(0), way(0), { way: 'in-place', given: 0, otherwise: 0 }],
    ['one approves in place', way(1), way(0), { way: 'in-place', given: 1, otherwise: 0 }],
    ['the last one approves replacing', way(1), way(1), { way: 'in-place', given: 1, otherwise: 1 }],
    ['only one approves, replacing', way(0), way(1), { way: 'in-place', given: 0, otherwise: 1 }],
    ['enough approve replacing', way(0), way(3), { way: 'replace', given: 3, otherwise: 0 }],
    ['its policy wants new machines', way(0, 'no'), way(1), { way: 'replace', given: 1, otherwise: 0 }],
  ])('%s', (_, inPlace, replace, expected) => expect(listed(inPlace, replace)).toMatchObject(expected))

  it('is none that can be approved where its policy allows neither', () => {
    const said = listed(way(0), way(0, 'in place only'), { inPlace: null })
    expect(said).toMatchObject({ forbidden: 'in place only', given: 0, otherwise: 0 })
  })
})
