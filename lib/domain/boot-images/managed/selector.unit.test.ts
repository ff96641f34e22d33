import { expect, test } from 'vitest'
import { labelling, type SelectorRow } from './selector'

test.each<[key: string, isSystems: boolean]>([
  ['machine.openshift.io/zone', true],
  ['hive.openshift.io/machine-pool', true],
  ['openshift.io/x', true],
  ['node-role.kubernetes.io/infra', true],
  ['kubernetes.io/arch', true],
  ['k8s.io/x', true],
  ['myopenshift.io/x', false],
  ['example.com/zone', false],
  ['machine.openshift.io', false],
])('no command writes or takes away a label that is the system’s: %s', (key, isSystems) => {
  const pool: SelectorRow = { key: 'pool', operator: 'In', values: ['a'] }
  for (const row of [
    { key, operator: 'In' as const, values: ['b'] },
    { key, operator: 'DoesNotExist' as const, values: [] },
  ]) {
    const found = labelling([row, pool], { name: 'w', labels: { [key]: 'a' } })
    expect(found?.systems).toEqual(isSystems ? [key] : [])
    expect(found?.command === null).toBe(isSystems)
  }
  // One that matches is not written.
  const matching: SelectorRow = { key, operator: 'In', values: ['a'] }
  expect(labelling([matching, pool], { name: 'w', labels: { [key]: 'a' } })).toEqual({
    command: 'oc -n openshift-machine-api label machineset/w --overwrite pool=a',
    systems: [],
  })
})
