import { describe, expect, test } from 'vitest'
import { effective } from './effective'
import { meansNothing, type Rolled } from './means-nothing'
import { resolve } from './resolve'
import { couldNotRoll, shapeWanted } from './shape'
import type { PolicySpec, Resolved, Rules } from './types'

const group = { cluster: 'c', workloadCluster: 'w', labels: {}, namespace: 'n', kind: 'MachineDeployment', name: 'g' }
const rules = (spec: Omit<PolicySpec, 'select'>) =>
  resolve([{ id: 'p', name: 'p', version: 1, spec: { select: {}, ...spec } }], group)
const WORKERS = { kind: 'MachineDeployment', strategy: 'RollingUpdate' }
const PLANE = { kind: 'KubeadmControlPlane', strategy: 'RollingUpdate' }
const POOL = { kind: 'MachineConfigPool', strategy: null }
const BY_HAND = { kind: 'MachineDeployment', strategy: 'OnDelete' }

describe('what a rule means for a group', () => {
  test.each<[keyof Rules, Rules[keyof Rules], Rolled, string | null]>([
    ['maxSurge', 2, WORKERS, null],
    ['maxSurge', 2, PLANE, 'of control planes it is 0 or 1'],
    ['maxSurge', '0%', PLANE, 'of control planes it is 0 or 1'],
    ['maxSurge', 0, PLANE, null],
    ['maxSurge', 0, BY_HAND, 'a group with OnDelete has none'],
    ['maxUnavailable', 1, PLANE, 'it is for worker groups only'],
    ['deletionOrder', 'Oldest', PLANE, 'it is for worker groups only'],
    ['scaleWhileHeld', true, PLANE, 'it is for worker groups only'],
    ['holdLimit', '7d', WORKERS, 'it is for control planes only'],
    ['holdLimit', '7d', PLANE, null],
    ['drainTimeout', '15m', BY_HAND, null],
    ['drainTimeout', '15m', POOL, 'it is for groups of Cluster API only'],
    ['detachTimeout', 'never', POOL, 'it is for groups of Cluster API only'],
    ['maxUnavailable', 1, POOL, 'it is for groups of Cluster API only'],
    ['scaleWhileHeld', true, POOL, 'it is for groups of Cluster API only'],
    ['approvals', 2, POOL, null],
    ['approvals', 2, PLANE, null],
  ])('%s: %s of %j: %s', (rule, value, of, why) => expect(meansNothing(rule, value as never, of)).toBe(why))

  test('what means nothing is as where nobody says it, and is named', () => {
    const told = rules({ maxSurge: 2, approvals: 2 })
    const { rules: held, idle } = effective(told, PLANE)
    expect([held.maxSurge, held.approvals.value]).toMatchObject([{ value: null, policy: null }, 2])
    expect(idle).toEqual([{ rule: 'maxSurge', value: 2, policy: 'p', why: 'of control planes it is 0 or 1' }])
    expect(effective(told, WORKERS)).toEqual({ rules: told, idle: [] })
  })

  test('what was kept with a decision says nothing of rules that came later', () => {
    const { holdLimit, approvals } = rules({ holdLimit: '9d', approvals: 2 })
    const kept = effective({ holdLimit, approvals } as Resolved, WORKERS).rules
    expect(kept).toMatchObject({ approvals: { value: 2 }, holdLimit: { policy: null } })
    expect(Object.keys(kept)).toHaveLength(2)
  })
})

test('what means nothing for a group takes nothing back that a wider policy says', () => {
  const prod = { ...group, labels: { env: 'prod' } }
  const policies = [
    { id: 'a', name: 'all', version: 1, spec: { select: {}, maxSurge: 0 } },
    { id: 'b', name: 'prod', version: 1, spec: { select: { labels: { env: 'prod' } }, maxSurge: '25%' } },
  ]
  expect(shapeWanted(resolve(policies, prod), WORKERS)).toEqual({ maxSurge: '25%' })
  const told = resolve(policies, { ...prod, kind: 'KubeadmControlPlane' })
  expect(shapeWanted(told, PLANE)).toEqual({ maxSurge: '0' })
  expect(told.maxSurge).toMatchObject({ policy: { name: 'all' } })
  expect(told.maxSurge.why).toMatch(/, and what prod says \(25%\) means nothing: of control planes it is 0 or 1$/)
  const idle = { rule: 'maxSurge', value: '25%', policy: 'prod', why: 'of control planes it is 0 or 1', instead: 'all' }
  expect(effective(told, PLANE)).toEqual({ rules: told, idle: [idle] })
})

describe('both 0', () => {
  const is = (maxSurge: string | null, maxUnavailable: string | null) => ({ ...WORKERS, maxSurge, maxUnavailable })
  test.each<[string, Omit<PolicySpec, 'select'>, Parameters<typeof couldNotRoll>[1], boolean]>([
    ['by the policy and the group', { maxSurge: 0 }, is('1', '0'), true],
    ['where the group says nothing', { maxSurge: '0%' }, is(null, null), true],
    ['not where one may be missing', { maxSurge: 0, maxUnavailable: 1 }, is('1', '0'), false],
    ['the other way around', { maxUnavailable: 0 }, is('0', '1'), true],
    ['not of control planes', { maxSurge: 0 }, { ...PLANE, maxSurge: '1', maxUnavailable: null }, false],
    ['not by hand', { maxSurge: 0 }, { ...BY_HAND, maxSurge: null, maxUnavailable: null }, false],
  ])('%s', (_, spec, of, expected) => expect(couldNotRoll(rules(spec), of)).toBe(expected))
})
