import { expect, it } from 'vitest'
import { overrideWords } from './override-words'

it.each([
  [
    false,
    null,
    'MachineDeployment',
    'It takes the place of no approval: as many as its policy asks for are still needed.',
  ],
  [true, null, 'MachineDeployment', 'It is approved: it goes at once.'],
  [
    true,
    'group',
    'MachineDeployment',
    'It is approved, and somebody paused the group themselves: it goes when that pause is taken away.',
  ],
  [
    true,
    'both',
    'MachineDeployment',
    'It is approved, and somebody paused the group themselves, and its whole Cluster: it goes when both pauses are taken away.',
  ],
  [
    true,
    'group',
    'MachineConfigPool',
    'It is approved, and somebody paused the pool themselves: it goes when the pool is resumed.',
  ],
] as const)('approved: %s, paused: %s, of a %s', (due, theirs, kind, words) => {
  expect(overrideWords(due, theirs, kind)).toBe(words)
})
