import { describe, expect, it } from 'vitest'
import { Play } from './testing/play'
import { planRollout, questions, type RolloutState } from './index'

const rolling = (maxSurge: number | string, maxUnavailable: number | string) =>
  ({ type: 'RollingUpdate', maxSurge, maxUnavailable }) as const
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const m = (...numbers: number[]) => numbers.map((n) => `m${n}`)

describe('where rollouts end', () => {
  it.each([
    { replicas: 3, surge: 1, unavailable: 0, regular: m(4, 5, 6), inPlace: m(1, 2, 4) },
    { replicas: 3, surge: 0, unavailable: 1, regular: m(4, 5, 6), inPlace: m(1, 2, 3) },
    { replicas: 6, surge: 3, unavailable: 1, regular: m(...range(7, 12)), inPlace: m(...range(1, 6)) },
    { replicas: 6, surge: 1, unavailable: 3, regular: m(...range(7, 12)), inPlace: m(...range(1, 6)) },
    { replicas: 6, surge: 10, unavailable: 0, regular: m(...range(7, 12)), inPlace: m(1, 2, 3, 4, 5, 7) },
    { replicas: 6, surge: 0, unavailable: 10, regular: m(...range(7, 12)), inPlace: m(...range(1, 6)) },
  ])('$replicas replicas, surge $surge, unavailable $unavailable', (row) => {
    const { replicas } = row
    const scenario = { replicas, strategy: rolling(row.surge, row.unavailable), sets: [range(1, replicas)] }
    for (const mode of ['production', 'harness'] as const) {
      const regular = new Play({ ...scenario, inPlace: false, mode }).run(50)
      expect(regular.names(1).sort()).toEqual([...row.regular].sort())
      const inPlace = new Play({ ...scenario, inPlace: true, mode }).run(50)
      expect(inPlace.names(1).sort()).toEqual([...row.inPlace].sort())
    }
  })

  it('moves machines on when the spec changes again in the middle', () => {
    const scenario = { replicas: 6, strategy: rolling(3, 1) }
    const regular = new Play({ ...scenario, sets: [range(4, 6), range(7, 9)], inPlace: false }).run(50)
    expect(regular.names(2)).toEqual(m(...range(10, 15)))
    const inPlace = new Play({ ...scenario, sets: [range(4, 6), range(1, 3)], inPlace: true }).run(50)
    expect(inPlace.names(2).sort()).toEqual(m(...range(1, 6)))
  })

  it('OnDelete replaces what the user deletes, and never asks', () => {
    const scenario = { replicas: 6, strategy: { type: 'OnDelete' }, sets: [range(1, 6)] } as const
    const play = new Play({ ...scenario, sets: [range(1, 6)], inPlace: true, userUnavailable: 2 }).run(100)
    expect(play.names(1)).toEqual(m(...range(7, 12)))
    expect(questions(new Play({ ...scenario, sets: [range(1, 6)], inPlace: true }).state())).toEqual([])
  })
})

const base: RolloutState = {
  replicas: 3,
  strategy: rolling(1, 0),
  current: { name: 'ms2', createdAt: 2, spec: 0, status: 0, available: 0, upToDate: 0, revision: 1 },
  olds: [{ name: 'ms1', createdAt: 1, spec: 3, status: 3, available: 3, upToDate: 0, eligible: true }],
  pendingMoves: [],
  updating: false,
  inPlaceUpdates: true,
}
const old = (change: Partial<RolloutState['olds'][number]>) => [{ ...base.olds[0]!, ...change }]
const current = (change: Partial<RolloutState['current']>) => ({ ...base.current, ...change })

describe('one pass', () => {
  it('keeps one spare where nothing else could move', () => {
    const plan = planRollout(base, new Set(['ms1']))
    expect(plan.current).toMatchObject({
      replicas: 1,
      receiveFrom: ['ms1'],
      notes: [
        '3 current Machines < 3 MachineDeployment spec.replicas + 1 maxSurge',
        'surge 1 allowed to create availability for in-place updates',
      ],
    })
    expect(plan.olds[0]).toMatchObject({
      replicas: 3,
      moveTo: 'ms2',
      disableMachineCreate: false,
      notes: ['should scale down by moving Machines to MachineSet ms2'],
    })
  })

  it('moves at once where machines may be unavailable, and drops the surge', () => {
    const plan = planRollout(
      { ...base, replicas: 6, strategy: rolling(3, 1), olds: old({ spec: 6, status: 6, available: 6 }) },
      new Set(['ms1']),
    )
    expect(plan.current.replicas).toBe(0)
    expect(plan.olds[0]).toMatchObject({
      from: 6,
      replicas: 5,
      notes: [
        '6 available replicas > 5 minimum available replicas',
        'should scale down by moving Machines to MachineSet ms2',
      ],
    })
  })

  it('counts a moved machine once', () => {
    const moved = { ...base, current: current({ spec: 1, status: 2, available: 1, upToDate: 1 }), pendingMoves: ['m1'] }
    const first = planRollout({ ...moved, olds: old({ spec: 2, status: 2, available: 2 }) }, new Set(['ms1']))
    expect(first.current).toMatchObject({ replicas: 2, acknowledged: ['m1'] })
    expect(first.current.notes[0]).toBe('acknowledge Machines m1 moved from an old MachineSet')
    const again = {
      ...moved,
      current: current({ spec: 2, status: 2, available: 1, upToDate: 1, acknowledged: ['m1'] }),
    }
    const second = planRollout({ ...again, olds: old({ spec: 2, status: 2, available: 2 }) }, new Set(['ms1']))
    expect(second.current).toMatchObject({ replicas: 2, acknowledged: ['m1'] })
  })

  it.each([
    ['the gate is off', { inPlaceUpdates: false }, []],
    ['the current set is full', { current: current({ spec: 3, status: 3, available: 3, upToDate: 3 }) }, []],
    ['the old set is empty', { olds: old({ spec: 0, status: 0, available: 0 }) }, []],
    ['the old set must be replaced', { olds: old({ eligible: false }) }, []],
    ['nothing speaks against it', {}, ['ms1']],
  ])('asks nobody unless needed: %s', (_, change, expected) => {
    expect(questions({ ...base, ...change })).toEqual(expected)
  })

  it('makes annotations anew in production, and keeps them in the harness', () => {
    const full = {
      ...base,
      current: current({ spec: 3, status: 3, available: 3, upToDate: 3, receiveFrom: ['ms1'] }),
      olds: old({ spec: 1, status: 1, available: 1, moveTo: 'ms2' }),
    }
    expect(planRollout(full).olds[0]?.moveTo).toBeUndefined()
    expect(planRollout(full).olds[0]?.replicas).toBe(0)
    expect(planRollout(full, new Set(), 'harness').olds[0]?.moveTo).toBe('ms2')
  })

  it('lets one unavailable old machine go where nothing else can move', () => {
    const stuck = {
      ...base,
      current: current({ spec: 1, status: 1, available: 1, upToDate: 1 }),
      olds: old({ spec: 3, status: 3, available: 1 }),
    }
    const plan = planRollout(stuck, new Set())
    expect(plan.olds[0]?.replicas).toBe(2)
    expect(plan.current.notes).toContain(
      'scaling down by 1 to unblock rollout stuck due to unavailable Machine on oldMS',
    )
  })

  it('scales old sets oldest first, unavailable machines before available ones', () => {
    const plan = planRollout({
      ...base,
      strategy: rolling(0, 1),
      replicas: 6,
      olds: [
        { name: 'b', createdAt: 2, spec: 3, status: 3, available: 3, upToDate: 0, eligible: true },
        { name: 'a', createdAt: 1, spec: 3, status: 3, available: 2, upToDate: 0, eligible: true },
      ],
    })
    expect(plan.olds.map((set) => [set.name, set.replicas])).toEqual([
      ['a', 2],
      ['b', 3],
    ])
  })
})
