import { expect, it } from 'vitest'
import { degradedMessage, progressingMessage } from '../boot-images/counts'
import { floorOf } from './floors'
import type { SkewState } from './types'
import { skewVerdict } from './verdict'

const REPAIRED = 'Updates are closed until that is repaired and another pass has come through.'

it.each([
  ['4.16.8', 0, '4.16.8', REPAIRED],
  [
    ...(['4.12.7', 0, '4.12.7'] as const),
    'Updates are closed until that is repaired and a pass has come through that skips no machine set: the record, 4.12.7, is below the floor 4.13.0.',
  ],
  [
    ...(['4.22.3', 1, '4.12.7'] as const),
    'Updates are closed, and stay so after the repair: with a machine set skipped, the record is 4.12.7, the version of the installation, below the floor 4.13.0.',
  ],
  ['4.22.3', 0, '4.12.7', REPAIRED],
  ['4.12.9', 2, '4.16.8', REPAIRED],
] as const)(
  'a failing pass with the record %s and %i sets skipped, installed with %s',
  (ocpVersion, skipped, install, until) => {
    const counts = {
      total: 4,
      reconciled: 1,
      skipped,
      degraded: 1,
      controlPlaneDegraded: 0,
      errors: 'error syncing MAPI MachineSet a: x',
    }
    const state: SkewState = {
      ...{ supported: true, spec: null, mode: 'Automatic', recorded: { ocpVersion } },
      ...{ managers: undefined, effectiveManagers: undefined, generation: 1, observedGeneration: 1 },
      conditions: [
        { type: 'BootImageUpdateProgressing', status: 'False', message: progressingMessage(counts) },
        { type: 'BootImageUpdateDegraded', status: 'True', message: degradedMessage(counts) },
      ],
    }
    expect(skewVerdict(state, floorOf('4.22.3'), '4.22.4', install)).toMatchObject({
      verdict: 'update-failing',
      sentence: `Boot images could not be updated for 1 machine set. ${until}`,
    })
  },
)

it('a pass that came to no machine set is said of none, whatever the operator counts', () => {
  const errors = 'failed to fetch coreos-bootimages config map: configmap "coreos-bootimages" not found'
  const counts = { total: 2, reconciled: 0, skipped: 0, degraded: 2, controlPlaneDegraded: 0, errors }
  const state: SkewState = {
    ...{ supported: true, spec: null, mode: 'Automatic', recorded: { ocpVersion: '4.16.8' } },
    ...{ managers: undefined, effectiveManagers: undefined, generation: 1, observedGeneration: 1 },
    conditions: [{ type: 'BootImageUpdateDegraded', status: 'True', message: degradedMessage(counts) }],
  }
  expect(skewVerdict(state, floorOf('4.22.3'), '4.22.4').sentence).toBe(`Boot images could not be updated. ${REPAIRED}`)
})
