import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { domainForNew, planControlPlane, type ControlPlaneMachine, type ControlPlaneState } from './index'

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
      { do: 'wait', why: 'm2 is not healthy (a control plane component of it, or its etcd member)' },
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
  const group = fc.record({
    replicas: fc.constantFrom(1, 3, 5),
    surge: fc.constantFrom(0 as const, 1 as const),
    inPlaceUpdates: fc.boolean(),
    able: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    placed: fc.array(fc.constantFrom('a', 'b', 'c', 'gone', undefined), { minLength: 5, maxLength: 5 }),
    ages: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 5, maxLength: 5 }),
    ill: fc.option(fc.nat(4), { nil: undefined }),
    domains: fc.constantFrom(undefined, [], ['a', 'b', 'c']),
  })

  it('ends with its number of machines, and never has fewer or more than allowed', () => {
    fc.assert(
      fc.property(group, ({ replicas, surge, inPlaceUpdates, able, placed, ages, ill, domains }) => {
        const maxSurge = replicas < 3 ? 1 : surge
        // With a spare to be made first, an ill one keeps everything waiting: it is remediated, or comes back.
        const sick = maxSurge === 0 ? ill : undefined
        let machines = Array.from({ length: replicas }, (_, i) =>
          machine(`m${i + 1}`, { failureDomain: placed[i], createdAt: ages[i]!, healthy: i !== sick }),
        )
        const first = sick !== undefined && sick < replicas ? machines[sick]!.name : undefined
        let next = replicas + 1
        const went: string[] = []
        for (let i = 0; i < 100; i++) {
          const given = { replicas, maxSurge, machines, inPlaceUpdates, ...(domains ? { domains } : {}) }
          let step = planControlPlane(given)
          if (step.do === 'ask')
            step = planControlPlane(given, {
              machine: step.machine,
              canUpdate: able[Number(step.machine.slice(1)) - 1]!,
            })
          if (step.do === 'nothing') break
          expect(step.do).not.toBe('wait')
          if (step.do === 'create') {
            const failureDomain = domainForNew(machines, domains)
            if (domains) expect([undefined, ...domains]).toContain(failureDomain)
            machines = [...machines, machine(`m${next++}`, { upToDate: true, failureDomain, createdAt: 10 + next })]
          } else if (step.do === 'delete' || step.do === 'update') {
            const { machine: name } = step
            went.push(name)
            // An ill machine is replaced, whatever an updater could do.
            if (name === first) expect(step.do).toBe('delete')
            machines =
              step.do === 'delete'
                ? machines.filter((m) => m.name !== name)
                : machines.map((m) => (m.name === name ? { ...m, upToDate: true } : m))
          }
          expect(machines.length).toBeGreaterThanOrEqual(replicas - (maxSurge === 0 ? 1 : 0))
          expect(machines.length).toBeLessThanOrEqual(replicas + maxSurge)
        }
        expect(machines).toHaveLength(replicas)
        expect(machines.every((m) => m.upToDate && m.healthy)).toBe(true)
        // Each old machine has its turn, once; an ill one before all others.
        expect([...went].sort()).toEqual(Array.from({ length: replicas }, (_, i) => `m${i + 1}`))
        if (first) expect(went[0]).toBe(first)
        const created = next - replicas - 1
        const covered = inPlaceUpdates ? able.slice(0, replicas).filter((yes, i) => yes && i !== sick).length : 0
        // With a spare, the last one is not asked about any more.
        const last = Number(went.at(-1)!.slice(1)) - 1
        const asked = covered - (maxSurge === 1 && inPlaceUpdates && able[last] ? 1 : 0)
        expect(created).toBe(replicas - asked)
      }),
      { numRuns: 10_000 },
    )
  })

  // What Cluster API does with them: the domain with the most outdated machines first, then that with the most machines.
  it.each<[string, string[], string]>([
    ['the domain of two that are old comes before that of one old and one new', ['a1u', 'a2', 'b3', 'b4', 'c5'], 'm3'],
    ['also where there are more machines', ['a9u', 'a8u', 'a1', 'b2', 'b3'], 'm4'],
    ['as many old ones: where there are more machines', ['a1', 'b2', 'b9u', 'c3', 'c8u'], 'm2'],
    ['one in a domain that is not listed any more comes first', ['a1', 'a2', 'b3', 'b4', 'x5'], 'm5'],
    ['one in no domain, too', ['a1', 'a2', 'b3', 'b4', '-5'], 'm5'],
  ])('%s', (_, five, expected) => {
    const machines = five.map((word, i) =>
      machine(`m${i + 1}`, {
        createdAt: Number(word[1]),
        upToDate: word.endsWith('u'),
        ...(word.startsWith('-') ? {} : { failureDomain: word[0]! }),
      }),
    )
    expect(planControlPlane(state({ replicas: 5, machines, domains: ['a', 'b', 'c'] }))).toEqual({
      ...{ do: 'ask', machine: expected },
    })
  })
})
