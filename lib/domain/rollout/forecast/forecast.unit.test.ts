import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fenceposts } from '../fenceposts'
import {
  estimate,
  forecastControlPlane,
  forecastDeployment,
  medianGap,
  medians,
  thinned,
  type DeploymentInput,
  type Draw,
} from './index'

const MINUTE = 60_000
const draw = () => MINUTE
const amount = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
)
const machines = (...names: string[]) =>
  names.map((name, i) => ({
    name,
    createdAt: i * 1000 + 1,
    hasNode: true,
    available: true,
    upToDate: false,
    healthy: true,
  }))
const old = (names: string[], canUpdate = true) => ({
  ...{ name: 'old', createdAt: 0, wanted: false, canUpdate },
  machines: machines(...names),
})
const input = (surge: number | string, unavailable: number | string, names: string[], more: object = {}) => ({
  ...{ replicas: names.length, order: 'Random' as const, now: 1e9, sets: [old(names)] },
  strategy: { type: 'RollingUpdate' as const, maxSurge: surge, maxUnavailable: unavailable },
  ...more,
})
const names = ({ moves }: { moves: { machine: string; work: string }[] }, work: string) =>
  moves.filter((move) => move.work === work).map(({ machine }) => machine)

describe('a MachineDeployment played forward', () => {
  // What real managers did (surge, unavailable, replicas): updated, created and deleted.
  it.each<[string, DeploymentInput, string[], number, string[]]>([
    ['a spare, and the last one goes', input(1, 0, ['a', 'b', 'c']), ['a', 'b'], 1, ['c']],
    ['one less', input(0, 1, ['a', 'b', 'c']), ['a', 'b', 'c'], 0, []],
    ['of one machine none is left', input(1, 0, ['a']), [], 1, ['a']],
    ['oldest first', { ...input(0, 1, ['c', 'b', 'a']), order: 'Oldest' }, ['c', 'b', 'a'], 0, []],
    ['newest first', { ...input(0, 1, ['a', 'b', 'c']), order: 'Newest' }, ['c', 'b', 'a'], 0, []],
    ['replacing', { ...input(1, 0, ['a', 'b']), sets: [old(['a', 'b'], false)] }, [], 2, ['a', 'b']],
    ['whatever anybody says', { ...input(0, 1, ['a']), sets: [{ ...old(['a']), certainReplace: true }] }, [], 1, ['a']],
    ['scaled up besides', { ...input(0, 1, ['a', 'b']), replicas: 3 }, ['a', 'b'], 1, []],
  ])('%s', (_, group, updated, created, deleted) => {
    const forecast = forecastDeployment(group, draw)
    expect(names(forecast, 'update')).toEqual(updated)
    expect(names(forecast, 'create')).toHaveLength(created)
    expect(names(forecast, 'delete')).toEqual(deleted)
    expect(forecast.lowest).toBeGreaterThanOrEqual(Math.min(forecast.floor, group.sets[0]!.machines.length))
  })

  it('says when each begins and ends', () => {
    const { moves, frames, ends, start, most } = forecastDeployment(input(1, 0, ['a', 'b']), draw)
    expect(moves).toEqual([
      { machine: 'm1', work: 'create', from: 0, to: MINUTE },
      { machine: 'a', work: 'update', from: MINUTE, to: 2 * MINUTE },
      { machine: 'b', work: 'delete', from: 2 * MINUTE, to: 3 * MINUTE },
    ])
    // Before anything of it, and with what begins at once.
    expect(frames.map(({ at, available, done, machines }) => [at / MINUTE, available, done, machines])).toEqual([
      [0, 2, 0, 2],
      [0, 2, 0, 3],
      [1, 2, 1, 3],
      [2, 2, 2, 3],
      [3, 2, 2, 2],
    ])
    expect([ends, start, most]).toEqual([3 * MINUTE, 2, 3])
  })

  it('goes on from the middle: what is updating finishes, what is going goes', () => {
    const [a, b, c] = machines('a', 'b', 'c')
    const sets = [
      { ...old([]), machines: [b!, { ...c!, deleting: true }] },
      {
        name: 'new',
        createdAt: 1,
        wanted: true,
        canUpdate: false,
        machines: [{ ...a!, updating: true, available: false }],
      },
    ]
    const forecast = forecastDeployment({ ...input(0, 1, ['a', 'b']), sets }, draw)
    expect(forecast.moves.map(({ machine, work, from }) => [machine, work, from / MINUTE])).toEqual([
      ['c', 'delete', 0],
      ['a', 'update', 0],
      ['b', 'update', 1],
    ])
  })

  it('says why it does not end by itself', () => {
    const onDelete = { ...input(1, 0, ['a']), strategy: { type: 'OnDelete' as const } }
    expect(forecastDeployment(onDelete, draw)).toMatchObject({
      ends: null,
      stalled: expect.stringContaining('OnDelete') as string,
    })
  })

  const ill = (name: string, says?: string) => ({
    ...{ ...machines(name)[0]!, available: false, unhealthy: true },
    ...(says === undefined ? {} : { says }),
  })
  const wanted = (...of: DeploymentInput['sets'][number]['machines']) => ({
    ...{ ...old([]), name: 'new', wanted: true },
    machines: of,
  })
  it.each<[string, number, DeploymentInput['sets'], string[], string]>([
    [
      'all have it, and one was never well',
      1,
      [wanted(ill('x'))],
      [],
      'Every machine has it in the end. It is done when x is available; when that is, nobody knows. x: what it waits for is not known.',
    ],
    [
      'going back, only what is not well is to be changed, and it is the first that is',
      1,
      [{ ...old([]), machines: [ill('x', 'Not Ready.')] }, wanted(...machines('a', 'b', 'c'))],
      ['x'],
      'Every machine has it in the end. It is done when x is available; when that is, nobody knows. x: Not Ready.',
    ],
    [
      'one more may be missing than is not well',
      2,
      [{ ...old([]), machines: [ill('x', 'Not Ready.'), ...machines('y', 'z')] }, wanted(...machines('a', 'b', 'c'))],
      ['x', 'y', 'z'],
      'Every machine has it in the end. It is done when x is available; when that is, nobody knows. x: Not Ready.',
    ],
    [
      'others wait until it is back',
      1,
      [{ ...old([]), machines: [ill('x', 'Not Ready.'), ...machines('y', 'z')] }, wanted(...machines('a', 'b', 'c'))],
      ['x'],
      'x is updated. Before it is available then, 2 more do not begin; when that is, nobody knows. x: Not Ready.',
    ],
    [
      'it has it already, and no other one may be missing',
      1,
      [old(['a', 'b']), wanted(ill('x', 'Not Ready.'))],
      [],
      'Machines that are not available keep it from going on: x: Not Ready.',
    ],
    [
      'all that are not well are named',
      1,
      [old(['a']), wanted(ill('x'), ill('y', 'Not Ready.'), ill('z'))],
      [],
      'Machines that are not available keep it from going on: y: Not Ready. x and z are not available either.',
    ],
    [
      'it has no node, and is passed over',
      1,
      [{ ...old([]), machines: [...machines('a'), { ...ill('x', 'No node.'), hasNode: false }] }],
      ['a'],
      'Machines that are not available keep it from going on: x: No node.',
    ],
  ])('says whether what is not available keeps it: %s', (_, unavailable, sets, updated, stalled) => {
    const replicas = sets.reduce((sum, set) => sum + set.machines.length, 0)
    const forecast = forecastDeployment({ ...input(0, unavailable, []), replicas, sets }, draw)
    expect(names(forecast, 'update')).toEqual(updated)
    expect(forecast).toMatchObject({ ends: null, stalled })
  })

  it('ends with all machines, whatever the durations; never below the floor', () => {
    const group = fc.record({
      sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
      ...{ surge: amount, unavailable: amount },
      able: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      seeds: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 20, maxLength: 20 }),
    })
    fc.assert(
      fc.property(group, ({ sizes, surge, unavailable, able, seeds }) => {
        const sets = sizes.map((size, s) => ({
          ...old(
            Array.from({ length: size }, (_, i) => `s${s}-${i}`),
            able[s],
          ),
          ...{ name: `set${s}`, createdAt: s },
        }))
        const replicas = sizes.reduce((a, b) => a + b)
        let at = 0
        const forecast = forecastDeployment(
          { ...input(surge, unavailable, []), replicas, sets },
          () => seeds[at++ % 20]! * 1000,
        )
        const posts = fenceposts({ type: 'RollingUpdate', maxSurge: surge, maxUnavailable: unavailable }, replicas)
        expect(forecast.stalled).toBeUndefined()
        expect(forecast.lowest).toBeGreaterThanOrEqual(replicas - posts.unavailable)
        expect(forecast.most).toBeLessThanOrEqual(replicas + posts.surge)
        expect(forecast.frames.at(-1)).toMatchObject({ available: replicas, machines: replicas, done: replicas })
        expect(names(forecast, 'create').length).toBe(names(forecast, 'delete').length)
        // Each old machine has one fate.
        const fates = [
          ...names(forecast, 'update'),
          ...names(forecast, 'delete').filter((name) => name.startsWith('s')),
        ]
        expect(new Set(fates).size).toBe(replicas)
      }),
      { numRuns: 10_000 },
    )
  }, 120_000)
})

describe('between the end of one machine and the begin of the next', () => {
  const gap = () => 5_000
  const times = ({ moves }: { moves: { from: number; to: number }[] }) => moves.map(({ from, to }) => [from, to])

  it('the managers take their time: nothing moves before they look', () => {
    const one = { ...input(0, 1, ['a', 'b']) }
    const forecast = forecastDeployment(one, () => 10_000, gap)
    expect(times(forecast)).toEqual([
      [5_000, 15_000],
      [20_000, 30_000],
    ])
    expect(forecast).toMatchObject({ ends: 30_000, lowest: 1, most: 2 })
    // As it stands when it begins, all are there.
    expect(forecast.frames[0]).toEqual({ at: 0, available: 2, machines: 2, done: 0 })
  })

  it('so do those of control planes', () => {
    const two = machines('a', 'b').map((m) => ({ ...m, eligible: true }))
    const state = { replicas: 2, maxSurge: 0 as const, machines: two, canUpdate: new Set(['a', 'b']), now: 1e9 }
    const forecast = forecastControlPlane(state, () => 10_000, gap)
    expect(times(forecast)).toEqual([
      [5_000, 15_000],
      [20_000, 30_000],
    ])
    expect(forecast.ends).toBe(30_000)
    expect(forecast.frames[0]).toMatchObject({ available: 2, machines: 2 })
  })

  it('changes when things happen, and nothing of what happens', () => {
    const groups = fc.record({
      size: fc.integer({ min: 1, max: 6 }),
      surge: fc.integer({ min: 0, max: 3 }),
      unavailable: fc.integer({ min: 0, max: 3 }),
      ms: fc.integer({ min: 1, max: 90_000 }),
      able: fc.boolean(),
    })
    fc.assert(
      fc.property(groups, ({ size, surge, unavailable, ms, able }) => {
        const all = Array.from({ length: size }, (_, i) => `old${i}`)
        const group = { ...input(surge, unavailable, all), sets: [old(all, able)] }
        const [plain, slow] = [forecastDeployment(group, draw), forecastDeployment(group, draw, () => ms)]
        const counts = (f: typeof plain) => (['update', 'create', 'delete'] as const).map((w) => names(f, w).length)
        expect(slow.stalled).toBeUndefined()
        expect(counts(slow)).toEqual(counts(plain))
        expect(slow.lowest).toBeGreaterThanOrEqual(Math.min(slow.floor, size))
        expect(slow.ends!).toBeGreaterThan(plain.ends!)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a control plane played forward', () => {
  const three = machines('a', 'b', 'c').map((m) => ({ ...m, eligible: true }))
  const play = (maxSurge: 0 | 1, able: string[]) =>
    forecastControlPlane({ replicas: 3, maxSurge, machines: three, canUpdate: new Set(able), now: 1e9 }, draw)

  it('without surge: each in place, one after another', () => {
    const forecast = play(0, ['a', 'b', 'c'])
    expect(forecast.moves.map(({ machine, work }) => `${work} ${machine}`)).toEqual([
      'update a',
      'update b',
      'update c',
    ])
    expect(forecast).toMatchObject({ lowest: 2, floor: 2, ends: 3 * MINUTE })
  })

  it('with a surge machine: it first, the last one goes', () => {
    expect(play(1, ['a', 'b', 'c']).moves.map(({ machine, work }) => `${work} ${machine}`)).toEqual([
      'create m1',
      'update a',
      'update b',
      'delete c',
    ])
  })

  it('replaces what the updaters cannot do', () => {
    const forecast = play(0, ['b'])
    expect(names(forecast, 'update')).toEqual(['b'])
    expect(names(forecast, 'delete')).toEqual(['a', 'c'])
    expect(forecast.frames.at(-1)).toMatchObject({ available: 3, machines: 3, done: 3 })
  })

  it('waits for what is coming, unless that is what goes: of a change that was taken back, the spare at once', () => {
    const current = three.map((m) => ({ ...m, upToDate: true }))
    const spare = { ...current[0]!, name: 'd' }
    const taken = (upToDate: boolean, surge: 0 | 1 = 1) =>
      forecastControlPlane(
        {
          ...{ replicas: upToDate ? 4 : 3, maxSurge: surge, machines: [...current, { ...spare, upToDate }] },
          ...{ canUpdate: new Set<string>(), coming: new Set(['d']), now: 0 },
        },
        (work) => (work === 'create' ? 5 * MINUTE : MINUTE),
      )
    expect(taken(false)).toMatchObject({ lowest: 3, ends: MINUTE })
    expect(taken(false).moves.map(({ machine, work, from }) => `${work} ${machine} ${from}`)).toEqual([
      'create d 0',
      'delete d 0',
    ])
    expect(taken(true)).toMatchObject({ lowest: 3, ends: 5 * MINUTE, moves: [{ work: 'create' }] })
    // Where others are outdated as well they are older: it is waited for, and is none that is ill.
    const all = ['a', 'b', 'c', 'd'].map((name) => ({ ...current[0]!, name, upToDate: false }))
    const again = forecastControlPlane(
      {
        ...{ replicas: 3, maxSurge: 1, machines: all.map((m, i) => ({ ...m, createdAt: i })), now: 0 },
        ...{ canUpdate: new Set(['a', 'b', 'c', 'd']), coming: new Set(['d']) },
      },
      draw,
    )
    expect(again.moves.map(({ machine, work }) => `${work} ${machine}`)).toEqual([
      ...['create d', 'update a', 'update b', 'update c', 'delete d'],
    ])
  })

  it('scales down an ill one: it is the one that goes', () => {
    const current = three.map((m) => ({ ...m, upToDate: true }))
    const ill = { ...current[0]!, healthy: false }
    const forecast = forecastControlPlane(
      { replicas: 2, maxSurge: 1, machines: [ill, ...current.slice(1)], canUpdate: new Set(), now: 0 },
      draw,
    )
    expect(forecast.stalled).toBeUndefined()
    expect(names(forecast, 'delete')).toEqual(['a'])
  })

  it('says what it waits for', () => {
    const ill = three.map((m) => ({ ...m, healthy: m.name === 'a' }))
    const forecast = forecastControlPlane(
      { replicas: 3, maxSurge: 0, machines: ill, canUpdate: new Set(), now: 0 },
      draw,
    )
    expect(forecast.stalled).toContain('not healthy')
  })
})

describe('how long it takes', () => {
  const durations = { update: [1, 2, 3, 4].map((n) => n * MINUTE), create: [MINUTE], delete: [MINUTE] }

  it('lies between what was measured, the same at every look', () => {
    const play = (drawn: Draw) => forecastDeployment(input(0, 1, ['a', 'b', 'c', 'd']), drawn)
    const once = estimate(play, durations)!
    expect(once).toEqual(estimate(play, durations))
    expect(once.p50).toBeGreaterThan(4 * MINUTE)
    expect(once.p90).toBeGreaterThan(once.p50)
    expect(once.p90).toBeLessThanOrEqual(16 * MINUTE)
    expect(medians(durations)('update')).toBe(2 * MINUTE)
    // Step by step, so that one which takes its time within what was measured is not late.
    expect(once.by).toHaveLength(4)
    expect(once.by).toEqual([...once.by!].sort((a, b) => a - b))
    expect(once.by![0]).toBe(4 * MINUTE)
    expect(once.by!.at(-1)).toBe(once.p90)
  })

  it('holds what lies between them', () => {
    const play = (drawn: Draw, gap?: () => number) => forecastDeployment(input(0, 1, ['a', 'b', 'c']), drawn, gap)
    const measured = { update: [11_000], create: [1], delete: [1], gap: [3_000] }
    expect(estimate(play, measured)).toMatchObject({ p50: 42_000, p90: 42_000, by: [14_000, 28_000, 42_000] })
    expect(medianGap(measured)()).toBe(3_000)
  })

  it('is not said where it does not end by itself', () => {
    const onDelete = { ...input(1, 0, ['a']), strategy: { type: 'OnDelete' as const } }
    expect(estimate((drawn) => forecastDeployment(onDelete, drawn), durations)).toBeNull()
  })
})

it('a dip is never thinned away', () => {
  const frames = Array.from({ length: 1000 }, (_, at) => ({ at, available: at === 517 ? 3 : 9, machines: 9, done: 0 }))
  const few = thinned(frames, 50)
  expect(few.length).toBeLessThanOrEqual(50)
  expect(few.map((frame) => frame.available)).toContain(3)
  expect([few[0], few.at(-1)]).toEqual([frames[0], frames.at(-1)])
})
