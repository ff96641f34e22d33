import { expect, it } from 'vitest'
import { refineBySkips } from './refine'

const sets = (...outcomes: string[]) =>
  outcomes.map((outcome) => ({
    managed: true,
    image: {
      state: 'unknown' as const,
      outcome: outcome as never,
      cause: 'none' as const,
      reason: '',
      current: 'ami-x',
      wanted: 'ami-new' as string | null,
    },
  }))
const counts = (total: number, skipped: number) => ({
  total,
  skipped,
  reconciled: total - skipped,
  degraded: 0,
  controlPlaneDegraded: 0,
  errors: null,
})
const LISTED = { platform: 'AWS', listed: true }
const states = (list: ReturnType<typeof sets>, skipped: number, settled = true) =>
  refineBySkips(list, counts(list.length, skipped), settled, LISTED).map((s) => s.image.state)

it('tells an old image from one’s own where the number of skipped sets leaves no doubt', () => {
  expect(states(sets('undecided', 'undecided'), 0)).toEqual(['outdated', 'outdated'])
  expect(states(sets('undecided', 'undecided'), 2)).toEqual(['custom', 'custom'])
  expect(states(sets('undecided', 'undecided'), 1)).toEqual(['unknown', 'unknown'])
  expect(states(sets('undecided', 'skip'), 1)).toEqual(['outdated', 'unknown'])
  expect(states(sets('undecided'), 0, false)).toEqual(['unknown'])
})

it.each([
  ['VSphere', /vCenter says that the template holds/, 'ami-new'],
  ['AWS', /Marketplace/, null],
])('calls nothing outdated that the operator has just left as it is on %s', (platform, reason, wanted) => {
  const [one] = refineBySkips(sets('undecided'), counts(1, 0), true, { platform, listed: false })
  expect(one!.image).toMatchObject({ state: 'unknown', outcome: 'unchanged', wanted })
  expect(one!.image.reason).toMatch(reason)
})

it('takes what is skipped for no image of one’s own where it may be one of the Marketplace', () => {
  for (const listed of [true, false]) {
    const [one] = refineBySkips(sets('undecided'), counts(1, 1), true, { platform: 'AWS', listed })
    expect(one!.image).toMatchObject({ state: 'custom', outcome: 'skip' })
    expect(one!.image.reason).toMatch(/Marketplace/)
  }
})

it('blames no set for what may be another’s of which it is not known what it should have', () => {
  const [one, ...others] = sets('undecided', 'undecided', 'undecided')
  const list = [{ ...one!, image: { ...one!.image, wanted: null } }, ...others]
  expect(states(list.slice(0, 2), 1)).toEqual(['unknown', 'unknown'])
  expect(states(list, 2)).toEqual(['unknown', 'unknown', 'unknown'])
  expect(states(list, 0)).toEqual(['unknown', 'outdated', 'outdated'])
  expect(states(list, 3)).toEqual(['unknown', 'custom', 'custom'])
})
