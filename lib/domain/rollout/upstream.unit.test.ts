import { describe, expect, it } from 'vitest'
import {
  inHarnessOrder,
  planRollout,
  planSet,
  viewOf,
  type OldSetState,
  type RolloutState,
  type SetState,
} from './index'
import { setChanges } from './changes'

// What Cluster API's planner does and one would not expect; each was wrong here once or is easily got wrong.
const set = (name: string, replicas: number, more: Partial<SetState> = {}): SetState => ({
  name,
  createdAt: Number(name.slice(2)),
  spec: replicas,
  status: replicas,
  available: replicas,
  upToDate: 0,
  ...more,
})
const old = (name: string, replicas: number, more: Partial<OldSetState> = {}): OldSetState => ({
  ...set(name, replicas),
  eligible: true,
  ...more,
})
const state = (more: Partial<RolloutState>): RolloutState => ({
  replicas: 3,
  strategy: { type: 'RollingUpdate', maxSurge: 1, maxUnavailable: 0 },
  current: set('ms9', 0, { revision: 1 }),
  olds: [],
  pendingMoves: [],
  updating: false,
  inPlaceUpdates: true,
  ...more,
})

describe('the planner, as upstream', () => {
  it('takes all of maxSurge to be in the growth, also where the growth was capped', () => {
    const plan = planRollout(
      state({
        replicas: 12,
        strategy: { type: 'RollingUpdate', maxSurge: 3, maxUnavailable: 0 },
        current: set('ms9', 10, { upToDate: 10, revision: 1 }),
        olds: [old('ms1', 1)],
        updating: true,
      }),
      new Set(['ms1']),
    )
    expect(plan.current.replicas).toBe(10)
    expect(plan.current.notes).toEqual([
      '11 current Machines < 12 MachineDeployment spec.replicas + 3 maxSurge',
      'surge 2 dropped to prioritize in-place updates',
    ])
  })

  it('names every machine that waits to be counted, not only the new ones', () => {
    const current = set('ms9', 1, { status: 2, acknowledged: ['m1'], receiveFrom: ['ms1'], revision: 1 })
    const plan = planRollout(state({ current, olds: [old('ms1', 1)], pendingMoves: ['m2', 'm1'] }), new Set(['ms1']))
    expect(plan.current.notes[0]).toBe('acknowledge Machines m1,m2 moved from an old MachineSet')
    expect(plan.current).toMatchObject({ from: 1, acknowledged: ['m1', 'm2'] })
    const off = planRollout(
      state({ current, olds: [old('ms1', 1)], pendingMoves: ['m2', 'm1'], inPlaceUpdates: false }),
    )
    expect(off.current.acknowledged).toBeUndefined()
  })

  it('says that a set shrinks to its machines where none of them goes', () => {
    const plan = planRollout(state({ olds: [old('ms1', 5, { status: 3, available: 3 })] }))
    expect(plan.olds[0]).toMatchObject({ from: 5, replicas: 3 })
    expect(plan.olds[0]?.notes[0]).toMatch(/^scale down to align to existing Machines or /)
  })

  it('breaks a deadlock in the largest old set where none of them may shrink otherwise', () => {
    const ill = { available: 0 }
    const plan = planRollout(
      state({
        current: set('ms9', 0, { revision: 1 }),
        olds: [old('ms1', 1, ill), old('ms2', 2, ill)],
        updating: true,
      }),
      new Set(['ms1', 'ms2']),
    )
    expect(plan.olds.map(({ name, replicas }) => [name, replicas])).toEqual([
      ['ms1', 1],
      ['ms2', 1],
    ])
  })

  it('gives a set that becomes the current one again the next revision, and never a lower one', () => {
    const olds = [old('ms2', 3, { revision: 4 })]
    expect(planRollout(state({ current: set('ms1', 0, { revision: 2 }), olds })).current).toMatchObject({
      revision: 5,
      notes: expect.arrayContaining(['this is now the current MachineSet']),
    })
    const kept = planRollout(state({ current: set('ms9', 0, { revision: 7 }), olds })).current
    expect(kept.revision).toBe(7)
    expect(kept.notes).not.toContain('this is now the current MachineSet')
    const made = planRollout(state({ current: set('ms9', 0), creates: true, olds })).current
    expect(made.revision).toBe(5)
    expect(made.notes).not.toContain('this is now the current MachineSet')
    expect(planRollout(state({ olds })).olds[0]?.revision).toBe(4)
  })

  it('OnDelete takes no more from a set than is left of it, and counts from its spec', () => {
    const strategy = { type: 'OnDelete' } as const
    const current = set('ms9', 3, { revision: 1 })
    const olds = [old('ms1', 5, { status: 2, available: 2 }), old('ms2', 4)]
    const plan = planRollout(state({ strategy, replicas: 4, current, olds }))
    // 12 are too many by 8; 3 of them do not exist; of the 5 left ms1 has 2, so ms2 gives 3.
    expect(plan.olds.map(({ replicas }) => replicas)).toEqual([3, 1])
  })
})

describe('a MachineSet, as upstream', () => {
  const machine = (name: string, more = {}) => ({ name, createdAt: 0, hasNode: true, ...more })
  const goal = { replicas: 1, moveTo: 'new', receives: false, order: 'Random' } as const

  it('deletes what a health check marked instead of moving it, also in the middle of an update or without a node', () => {
    const machines = [
      machine('a', { remediate: true, updating: true }),
      machine('b', { remediate: true, hasNode: false }),
      machine('c'),
      machine('d'),
    ]
    expect(planSet(goal, viewOf(machines), 0)).toEqual({ create: 0, move: ['c'], delete: ['a', 'b'] })
  })

  it('in the harness goes by numbers, the last one that updates before all others', () => {
    const machines = [
      machine('m10'),
      machine('m9'),
      machine('m2', { updating: true }),
      machine('m3', { updating: true }),
    ]
    expect(inHarnessOrder(machines).map((m) => m.name)).toEqual(['m3', 'm2', 'm9', 'm10'])
    expect(planSet(goal, viewOf(machines), 0, 'harness')).toEqual({ create: 0, move: ['m9', 'm10'], delete: [] })
    const away = { ...goal, moveTo: undefined }
    expect(planSet(away, viewOf(machines), 0, 'harness')).toEqual({ create: 0, move: [], delete: ['m3', 'm2', 'm9'] })
  })

  it('does not touch what came from another set until it is counted', () => {
    const machines = [machine('a', { pendingMove: true }), machine('b', { pendingMove: true })]
    const own = { ...goal, moveTo: undefined }
    expect(planSet({ ...own, receives: true }, viewOf(machines), 0).delete).toEqual([])
    expect(planSet(own, viewOf(machines), 0).delete).toEqual(['a'])
  })
})

describe('what changes on a set', () => {
  it('is named in upstream’s order, and what goes is said to be removed', () => {
    const before = set('ms1', 3, { moveTo: 'ms2', receiveFrom: ['ms0'], acknowledged: ['m1'], revision: 1 })
    const plan = { name: 'ms1', from: 3, replicas: 2, disableMachineCreate: false, revision: 2, notes: [] }
    const inPlace = 'in-place-updates.internal.cluster.x-k8s.io'
    expect(setChanges(before, plan)).toEqual([
      'replicas 2',
      'machinedeployment.clusters.x-k8s.io/revision: 2',
      `${inPlace}/move-machines-to-machineset removed`,
      `${inPlace}/receive-machines-from-machinesets removed`,
      `${inPlace}/acknowledged-move removed`,
      'cluster.x-k8s.io/disable-machine-create: false',
    ])
    expect(setChanges({ ...set('ms1', 2), revision: 2, disableMachineCreate: false }, plan)).toEqual([])
  })
})
