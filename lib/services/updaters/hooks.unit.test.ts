import { expect, test } from 'vitest'
import { fitnessOf } from './hooks'

const [WORK, SET, ONE] = ['UpdateMachine', 'CanUpdateMachineSet', 'CanUpdateMachine'] as const

test.each([
  ['all three', [WORK, SET, ONE], null, null, null],
  ['nothing', [], null, 'It does not handle UpdateMachine, so it can update no machine.', null],
  ['questions only', [SET, ONE], null, 'It does not handle UpdateMachine, so it can update no machine.', null],
  [
    'work only',
    [WORK],
    null,
    'It does not handle CanUpdateMachineSet and CanUpdateMachine, so it cannot be asked about MachineDeployments and KubeadmControlPlanes.',
    null,
  ],
  ['workers', [WORK, SET], null, null, 'It is not for KubeadmControlPlanes: it does not handle CanUpdateMachine.'],
  [
    'control planes',
    [WORK, ONE],
    null,
    null,
    'It is not for MachineDeployments: it does not handle CanUpdateMachineSet.',
  ],
  ['workers, and for them alone', [WORK, SET], { kinds: ['MachineDeployment' as const] }, null, null],
  [
    'workers, and for the others',
    [WORK, SET],
    { kinds: ['KubeadmControlPlane' as const] },
    'It does not handle CanUpdateMachine, so it cannot be asked about KubeadmControlPlanes.',
    null,
  ],
  ['no kind named', [WORK, SET, ONE], { kinds: [], namespaces: ['x'] }, null, null],
])('one that handles %s', (_what, hooks, groups, problem, notFor) => {
  expect(fitnessOf(hooks, groups)).toEqual({ problem, notFor })
})
