import { describe, expect, test } from 'vitest'
import { resolve } from './resolve'
import { shapeMissing, shapePolicies, shapeWanted, shapeWords, type GroupShape, type Shape } from './shape'
import type { PolicySpec } from './types'

const group = { cluster: 'c', workloadCluster: 'w', labels: {}, namespace: 'n', kind: 'MachineDeployment', name: 'g' }
const rules = (...specs: Omit<PolicySpec, 'select'>[]) =>
  resolve(
    specs.map((spec, i) => ({ id: `p${i}`, name: `p${i}`, version: 1, spec: { select: {}, ...spec } })),
    group,
  )
const ALL: Omit<PolicySpec, 'select'> = {
  ...{ maxSurge: 0, maxUnavailable: '25%', deletionOrder: 'Oldest', drainTimeout: '10m', detachTimeout: 'never' },
}
const workers = { kind: 'MachineDeployment', strategy: 'RollingUpdate' }
const plane = { kind: 'KubeadmControlPlane', strategy: 'RollingUpdate' }

describe('what policies want of a group', () => {
  test.each<[string, Omit<PolicySpec, 'select'>, { kind: string; strategy: string | null }, Shape]>([
    ['nothing', {}, workers, {}],
    ['all of it', ALL, workers, { maxSurge: '0', maxUnavailable: '25%', deletionOrder: 'Oldest', drainSeconds: 600, detachSeconds: 0 }],
    ['what a control plane has', ALL, plane, { maxSurge: '0', drainSeconds: 600, detachSeconds: 0 }],
    ['a share is no surge of a control plane', { maxSurge: '25%' }, plane, {}],
    ['nor is two', { maxSurge: 2 }, plane, {}],
    ['OnDelete has neither', ALL, { kind: 'MachineDeployment', strategy: 'OnDelete' }, { drainSeconds: 600, detachSeconds: 0 }],
  ])('%s', (_, spec, of, expected) => expect(shapeWanted(rules(spec), of)).toEqual(expected)) // prettier-ignore

  test.each<[string, Omit<PolicySpec, 'select'>, Omit<PolicySpec, 'select'>, Shape]>([
    ['fewer machines more, fewer missing', { maxSurge: 2, maxUnavailable: '10%' }, { maxSurge: 1, maxUnavailable: '20%' }, { maxSurge: '1', maxUnavailable: '10%' }],
    ['longer to be drained', { drainTimeout: '10m' }, { drainTimeout: '1h' }, { drainSeconds: 3600 }],
    ['without limit is longest', { drainTimeout: 'never' }, { drainTimeout: '1h' }, { drainSeconds: 0 }],
  ])('of two that are equally close the stricter holds: %s', (_, a, b, expected) => {
    expect([shapeWanted(rules(a, b), workers), shapeWanted(rules(b, a), workers)]).toEqual([expected, expected])
  }) // prettier-ignore

  test('and says who says so', () => {
    const both = rules({ maxSurge: 0 }, { drainTimeout: '90m' })
    expect(shapePolicies(both)).toBe('p0, p1')
    expect(shapeWords(shapeWanted(both, workers))).toBe('maxSurge 0, drain time-out 90m')
    expect(shapeWords({ deletionOrder: 'Newest', drainSeconds: 0, detachSeconds: 86_400 })).toBe('deletion order Newest, drain time-out none, volume detach time-out 1d') // prettier-ignore
  })
})

describe('what a group is not like yet', () => {
  const is = (over: Partial<GroupShape> = {}): GroupShape => ({
    ...{ maxSurge: '1', maxUnavailable: '0', deletionOrder: null, drainSeconds: null, detachSeconds: null, ...over },
  })
  test.each<[string, Shape, GroupShape, Shape | null]>([
    ['nothing is wanted', {}, is(), null],
    ['what is not there is what the API takes it for', { maxSurge: '1', deletionOrder: 'Random', drainSeconds: 0 }, is({ maxSurge: null }), null],
    ['only what differs', { maxSurge: '0', maxUnavailable: '0', drainSeconds: 60 }, is(), { maxSurge: '0', drainSeconds: 60 }],
    ['without limit where there is one', { drainSeconds: 0 }, is({ drainSeconds: 60 }), { drainSeconds: 0 }],
  ])('%s', (_, wanted, now, expected) => expect(shapeMissing(wanted, now)).toEqual(expected)) // prettier-ignore
})
