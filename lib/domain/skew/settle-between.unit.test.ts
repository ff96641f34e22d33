import { expect, test } from 'vitest'
import { settle, type Settling } from './settle'
import type { Condition, SkewState } from './types'
import { besideOperator } from './unheard'
import { skewVerdict } from './verdict'

const floor = { ocp: '4.13.0', rhel: '9.2', source: 'table' } as const
const said = (progressing: boolean, reconciled: number, failed: boolean): Condition[] => [
  {
    ...{ type: 'BootImageUpdateProgressing', status: progressing ? 'True' : 'False' },
    message: `Reconciled ${reconciled} of 4 MAPI MachineSets`,
  },
  {
    ...{ type: 'BootImageUpdateDegraded', status: failed ? 'True' : 'False' },
    message: `1 Degraded MAPI MachineSets${failed ? ' | Error(s): x' : ''}`,
  },
]
const verdictOf = (conditions: Condition[]) => {
  const state: SkewState = {
    ...{ supported: true, spec: null, mode: 'Automatic', recorded: { ocpVersion: '4.22.3' }, managers: undefined },
    ...{ effectiveManagers: undefined, conditions, generation: 1, observedGeneration: 1 },
  }
  return skewVerdict(state, floor, '4.22.4')
}

/** The writes of the operator as they were recorded, at the times that its client lets it write. */
const PASS: [number, Condition[]][] = [
  [20_000, said(false, 3, false)],
  [20_600, said(true, 0, false)],
  [22_400, said(true, 3, false)],
  [23_000, said(false, 3, false)],
  [23_600, said(false, 3, true)],
  [40_000, said(false, 3, true)],
]

test('a pass that fails as the one before it takes the alarm back at no moment', () => {
  const failed = verdictOf(said(false, 3, true))
  let settling: Settling | null = { signature: '', since: 0, mode: 'Automatic', told: failed }
  const told = PASS.map(([at, conditions]) => {
    const settled = settle(settling, verdictOf(conditions), 'Automatic', JSON.stringify(conditions), at)
    settling = settled.next
    return settled.judgement
  })
  expect(told).toEqual(PASS.map(() => failed))
})

test('what the operator says of the record before is told once it stood still, as other alarms are', () => {
  const stale = { type: 'Upgradeable', status: 'False', reason: 'ClusterBootImageSkewError', message: 'using 4.12.7' }
  const ok = verdictOf(said(false, 4, false))
  const open = { ...ok, verdict: 'unknown' as const, sentence: 'The floor is not known.' }
  const closed = besideOperator(ok, stale, '4.22.4', 'Automatic')
  expect(closed.blocks).not.toBeNull()
  for (const told of [ok, open]) {
    const before: Settling = { signature: '', since: 0, mode: 'Automatic', told }
    const first = settle(before, closed, 'Automatic', 'a', 20_000)
    expect(first).toMatchObject({ judgement: { verdict: 'evaluating', blocks: null }, again: 5_000 })
    expect(settle(first.next, ok, 'Automatic', 'a', 21_000).judgement).toEqual(ok)
    const alarm = settle(first.next, closed, 'Automatic', 'a', 25_000)
    expect(alarm.judgement).toEqual(closed)
    expect(settle(alarm.next, open, 'Automatic', 'b', 26_000).judgement).toEqual(closed)
  }
})
