import { expect, test } from 'vitest'
import { noWayBackWords } from './back-words'

test('where nothing but a date replaces its machines there is nothing to go back to', () => {
  for (const groupKind of ['MachineDeployment', 'KubeadmControlPlane'])
    expect(noWayBackWords({ groupKind, byRule: true })).toMatch(/the same as before: there is nothing to go back to\./)
})

test.each([
  ['MachineDeployment', null],
  [
    'KubeadmControlPlane',
    'What a control plane was before is kept nowhere: to go back, write its former state. That is a change of its own, and held.',
  ],
  [
    'MachineConfigPool',
    'A pool takes up what it is rendered from: to go back, write that as it was (its MachineConfigs, and the like). That is a change of its own, and held.',
  ],
])('%s', (groupKind, words) => expect(noWayBackWords({ groupKind })).toBe(words))
