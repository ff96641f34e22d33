import { expect, test } from 'vitest'
import { settle, type Settling } from './settle'
import type { Condition, SkewState } from './types'
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
