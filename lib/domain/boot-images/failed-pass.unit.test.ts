import { expect, test } from 'vitest'
import { SETTLE_MS } from '../skew/settle'
import { stuckAfter } from '../skew/stuck-pass'
import { degradedMessage, progressingMessage } from './counts'
import { failedSets } from './errors'
import type { Managers } from '../skew/types'
import { enrolledSets } from './pass'
import { couldNotBegin, failedCauses, failedSentence, failedSince, settleFailed } from './failed-pass'

const ERRORS =
  '[error syncing MAPI MachineSet a: failed to reconcile machineset a, err: secrets "x" not found, error syncing MAPI MachineSet b: failed to fetch arch]'
const counts = { total: 3, reconciled: 1, skipped: 0, degraded: 2, controlPlaneDegraded: 0, errors: null }
const conditions = (degraded: boolean, progressing: boolean, failed = 2) => [
  {
    ...{ type: 'BootImageUpdateProgressing', status: progressing ? 'True' : 'False' },
    message: progressingMessage({ ...counts, degraded: failed }),
  },
  {
    ...{ type: 'BootImageUpdateDegraded', status: degraded ? 'True' : 'False' },
    message: degradedMessage({ ...counts, degraded: failed, errors: degraded ? ERRORS : null }),
  },
]

test('a failed pass is told once it stood still', () => {
  expect(settleFailed(null, conditions(true, false), 0)).toEqual({ said: null, again: SETTLE_MS })
  expect(settleFailed(null, conditions(true, false), SETTLE_MS)).toEqual({ said: ERRORS, again: null })
  // Other words of one that is told already are told at once.
  expect(settleFailed('before', conditions(true, false), 0)).toEqual({ said: ERRORS, again: null })
})

test('it stands while the next pass is under way, and goes with one that does not fail', () => {
  expect(settleFailed('before', conditions(false, true), 0).said).toBe('before')
  // Between its halves, and before its end is written: the number is still that of before.
  expect(settleFailed('before', conditions(false, false), 0).said).toBe('before')
  expect(settleFailed('before', conditions(false, false, 0), 0).said).toBeNull()
  expect(settleFailed(null, conditions(false, true), 0)).toEqual({ said: null, again: null })
})

test('it goes where the next pass stands still: what it failed at may be repaired, and the operator is not degraded', () => {
  const underWay = conditions(false, true, 0)
  expect(settleFailed('before', underWay, 0)).toEqual({ said: 'before', again: stuckAfter(3) })
  expect(settleFailed('before', underWay, stuckAfter(3))).toEqual({ said: null, again: null })
  // The controller may also end between the halves of a pass.
  expect(settleFailed('before', conditions(false, false), stuckAfter(3))).toEqual({ said: null, again: null })
})

test('against a hot loop no other pass helps, and it says what does', () => {
  expect(failedSince(ERRORS)).toContain('A pass begins with an annotation on any machine set')
  expect(failedSince(ERRORS)).not.toContain('hot loop')
  const loop =
    'error syncing MAPI MachineSet a: refusing to reconcile machineset a, hot loop detected. Please opt-out of boot image updates'
  expect(failedSince(loop)).toContain('managed machine sets are none and then as before')
  expect(failedSince(loop)).toContain('restart of the machine-config-controller')
})

test('of a selector that cannot be evaluated the way out is the selector, and no annotation', () => {
  const machineResourceSelector = { matchExpressions: [{ key: 'a', operator: 'Bogus' }] }
  const selection = { mode: 'Partial' as const, partial: { machineResourceSelector } }
  const managers = [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection }] as unknown as Managers
  const sets = enrolledSets(managers, 'MachineSet', [])
  const plain = failedSince('refused' in sets ? sets.refused : '')
  expect(plain).toMatch(/^ClusterOperator machine-config is Degraded/)
  expect(plain).toContain('the selector of machinesets (spec.managedBootImages of MachineConfiguration cluster)')
  expect(plain).not.toMatch(/annotation|ConfigMap/)
})

test('a pass that could not begin says so in all its words', () => {
  const message = 'MachineConfiguration was not ready'
  const failed = [{ type: 'BootImageUpdateDegraded', status: 'True', message }]
  expect(settleFailed('before', failed, 0).said).toBe(message)
  expect(failedSentence(message)).toBe('Boot images could not be updated.')
  expect(failedSentence(ERRORS)).toBe('Boot images could not be updated for 2 machine sets.')
  expect([couldNotBegin(message), couldNotBegin(ERRORS)]).toEqual([true, false])
})

test('where the operator says nothing at all any more, nothing is told of its last pass', () => {
  expect(settleFailed(ERRORS, [], 3_600_000).said).toBeNull()
})

test('what it failed at besides is no machine set, and no words of one', () => {
  const said = '[error syncing ControlPlaneMachineSet cluster: y, error syncing MAPI MachineSet a: x]'
  expect(failedSentence(said)).toBe('Boot images could not be updated for 1 machine set.')
  const message = 'Error(s): [error syncing MAPI MachineSet a: x, error syncing ControlPlaneMachineSet cluster: y]'
  const failed = failedSets([{ type: 'BootImageUpdateDegraded', status: 'True', message }])
  expect([...failed]).toEqual([['a', 'x']])
})

test('where there is little room the cause comes first, and each once', () => {
  expect(failedCauses(ERRORS)).toBe('secrets "x" not found (a); failed to fetch arch (b)')
  const three = ['a', 'b', 'c'].map(
    (name) => `error syncing MAPI MachineSet ${name}: failed to reconcile machineset ${name}, err: no secret, x`,
  )
  const plane =
    'error syncing ControlPlaneMachineSet cluster: failed to reconcile controlplanemachineset cluster, err: no arch'
  expect(failedCauses(`[${[...three, plane].join(', ')}]`)).toBe(
    'no secret, x (a and 2 more); no arch (the control plane’s set)',
  )
  expect(failedCauses('error syncing MAPI MachineSet a: Its secret does not exist.')).toBe(
    'Its secret does not exist (a)',
  )
  expect(failedCauses('MachineConfiguration was not ready')).toBe('MachineConfiguration was not ready')
})
