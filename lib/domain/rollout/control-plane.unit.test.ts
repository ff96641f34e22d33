import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planControlPlane, type ControlPlaneMachine, type ControlPlaneState } from './index'

const machine = (name: string, more: Partial<ControlPlaneMachine> = {}): ControlPlaneMachine => ({
  name,
  createdAt: Number(name.slice(1)),
  upToDate: false,
  eligible: true,
  healthy: true,
  ...more,
})
const three = [machine('m1'), machine('m2'), machine('m3')]
const fresh = (name: string) => machine(name, { upToDate: true })
const state = (more: Partial<ControlPlaneState>): ControlPlaneState => ({
  replicas: 3,
  maxSurge: 0,
  machines: three,
  inPlaceUpdates: true,
  ...more,
})

describe('one step of a control plane', () => {
  it.each<[string, Partial<ControlPlaneState>, object]>([
    ['nothing to do', { machines: three.map((m) => fresh(m.name)) }, { do: 'nothing' }],
    ['a surge machine first, never asked about', { maxSurge: 1 }, { do: 'create', why: 'surge' }],
    ['without surge the oldest is asked about', {}, { do: 'ask', machine: 'm1' }],
    [
      'with the spare there the oldest is asked about',
      { maxSurge: 1, machines: [...three, fresh('m4')] },
      { do: 'ask', machine: 'm1' },
    ],
    [
      'the last one is replaced unasked: enough are up to date',
      { maxSurge: 1, machines: [fresh('m1'), fresh('m2'), machine('m3'), fresh('m4')] },
      { do: 'delete', machine: 'm3', why: 'outdated' },
    ],
    ['the gate is off', { inPlaceUpdates: false }, { do: 'delete', machine: 'm1', why: 'outdated' }],
    [
      'a machine marked for deletion goes first, and is replaced',
      { machines: [machine('m1'), machine('m2', { marked: true, eligible: false }), machine('m3')] },
      { do: 'delete', machine: 'm2', why: 'outdated' },
    ],
    [
      'an unhealthy candidate is replaced',
      { machines: [machine('m1'), machine('m2', { healthy: false }), machine('m3')] },
      { do: 'delete', machine: 'm2', why: 'outdated' },
    ],
    [
      'two ill members: wait',
      { machines: [machine('m1', { healthy: false }), machine('m2', { healthy: false }), machine('m3')] },
      { do: 'wait', why: 'control plane components of m2 are not healthy' },
    ],
    [
      'one update at a time',
      { machines: [machine('m1', { updating: true }), machine('m2'), machine('m3')] },
      { do: 'wait', why: 'm1 is being updated in place' },
    ],
    [
      'never while another one is going',
      { machines: [machine('m1', { deleting: true }), machine('m2'), machine('m3')] },
      { do: 'wait', why: 'm1 is being deleted' },
    ],
    [
      'the fullest failure domain first',
      {
        machines: [
          machine('m1', { failureDomain: 'a' }),
          machine('m2', { failureDomain: 'b' }),
          machine('m3', { failureDomain: 'b' }),
        ],
      },
      { do: 'ask', machine: 'm2' },
    ],
    ['scales up also while outdated', { replicas: 5 }, { do: 'create', why: 'scale-up' }],
    [
      'scales down the oldest',
      { replicas: 1, machines: three.map((m) => fresh(m.name)) },
      { do: 'delete', machine: 'm1', why: 'scale-down' },
    ],
  ])('%s', (_, given, expected) => {
    expect(planControlPlane(state(given))).toEqual(expected)
  })

  it('does what the updater says about that very machine', () => {
    expect(planControlPlane(state({}), { machine: 'm1', canUpdate: true })).toEqual({ do: 'update', machine: 'm1' })
    expect(planControlPlane(state({}), { machine: 'm1', canUpdate: false })).toEqual({
      do: 'delete',
      machine: 'm1',
      why: 'outdated',
    })
    expect(planControlPlane(state({}), { machine: 'm2', canUpdate: false })).toEqual({ do: 'ask', machine: 'm1' })
  })
})

describe('a whole control plane rollout', () => {
  it('ends with its number of machines, and never has fewer or more than allowed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 3, 5),
        fc.constantFrom(0 as const, 1 as const),
        fc.boolean(),
        fc.boolean(),
        (replicas, surge, inPlaceUpdates, yes) => {
          const maxSurge = replicas < 3 ? 1 : surge
          let machines = Array.from({ length: replicas }, (_, i) => machine(`m${i + 1}`))
          let next = replicas + 1
          for (let i = 0; i < 100; i++) {
            const given = { replicas, maxSurge, machines, inPlaceUpdates }
            let step = planControlPlane(given)
            if (step.do === 'ask') step = planControlPlane(given, { machine: step.machine, canUpdate: yes })
            if (step.do === 'nothing') break
            if (step.do === 'create') machines = [...machines, fresh(`m${next++}`)]
            else if (step.do === 'delete' || step.do === 'update') {
              const { machine: name } = step
              machines =
                step.do === 'delete'
                  ? machines.filter((m) => m.name !== name)
                  : machines.map((m) => (m.name === name ? fresh(name) : m))
            }
            expect(machines.length).toBeGreaterThanOrEqual(replicas - (maxSurge === 0 ? 1 : 0))
            expect(machines.length).toBeLessThanOrEqual(replicas + maxSurge)
          }
          expect(machines).toHaveLength(replicas)
          expect(machines.every((m) => m.upToDate)).toBe(true)
          const created = next - replicas - 1
          expect(created).toBe(inPlaceUpdates && yes ? maxSurge : replicas)
        },
      ),
    )
  })
})
