import { expect, it } from 'vitest'
import { ungovernedWords } from './ungoverned-words'

const of = (heldBy: 'latch' | 'gate' | 'none', gateState: string, groupKind = 'MachineDeployment', governed = false) =>
  ({ heldBy, groupKind, governance: { governed, gateState } }) as unknown as Parameters<typeof ungovernedWords>[0]
const WAITS = 'what comes next waits as well for as long as it is held; once it is let go, '
const [FREE, ASKED] = [
  'its changes go ahead by themselves.',
  'its changes wait only where Cluster API asks the update gate.',
]

it.each([
  ['held still', of('latch', 'unregistered'), true, WAITS + FREE],
  ['held still, and the gate is registered', of('latch', 'registered'), true, WAITS + ASKED],
  ['a pool, which asks no gate', of('latch', 'registered', 'MachineConfigPool'), true, WAITS + FREE],
  ['it was held by the latch, and is over', of('latch', 'unregistered'), false, FREE],
  ['not held', of('none', 'unregistered'), true, FREE],
  ['not held, and the gate is registered', of('none', 'registered'), true, ASKED],
  [
    'held by the gate',
    of('gate', 'registered'),
    true,
    'the latch does not hold it. Its changes wait where Cluster API asks the update gate, until somebody decides.',
  ],
])('%s', (_, change, isHeld, words) => expect(ungovernedWords(change, isHeld)).toBe(words))
