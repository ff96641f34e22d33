import { expect, test } from 'vitest'
import { leftShort, leftWords } from './left-words'

const status = null
const left = (
  form: string,
  governs = 'all',
  gate = 'unregistered',
  names: string[] = [],
  count = names.length,
  going: string[] = [],
  moving: string[] = [],
) =>
  leftWords({
    leftHeld: { count, names },
    leftGoing: { count: going.length, names: going },
    leftMoving: { count: moving.length, names: moving },
    ...{ discovery: null, policy: { governs, breakGlass: 'night-shift' } },
    ...{ latch: { form, status, checkedAt: null }, gate: { state: gate, status } },
  }).join(' ')

test.each([
  ['policy', /latch was left there, for every group: new changes are held by it still/],
  [
    'webhook',
    /for every group: while this Drydock’s gate answers, .* held by it still, .* while it does not, such writes are refused/,
  ],
  ['watch', /for it could carry no latch: .* Nothing new is held/],
  ['none', /No latch was installed there from here/],
])('what was left of the latch %s', (form, words) => {
  expect(left(form)).toMatch(words)
  expect(left(form)).toContain('governs nothing')
})

test('only where the latch guards it is the break-glass group named', () => {
  expect(left('policy')).toContain('only the group night-shift')
  expect(left('watch')).not.toContain('night-shift')
  expect(left('none')).not.toContain('night-shift')
})

test('a registration that nobody released is told', () => {
  expect(left('policy')).toContain('The update gate is not registered there')
  expect(left('policy', 'all', 'registered')).toContain('may still ask a gate that no longer knows it')
})

test('what was held when it was left is named, and how many more', () => {
  expect(left('policy')).not.toContain('Held when it was left')
  const one = left('policy', 'all', 'unregistered', ['MachineDeployment shop/web'])
  expect(one).toContain('Held when it was left, and nobody here decides on it: MachineDeployment shop/web.')
  const more = left('policy', 'all', 'unregistered', ['MachineDeployment shop/a', 'MachineDeployment shop/b'], 4)
  expect(more).toContain('on them: MachineDeployment shop/a, MachineDeployment shop/b and 2 more.')
})

test('so is what was under way, and goes on without Drydock', () => {
  expect(left('policy')).not.toContain('Under way when it was left')
  expect(left('policy', 'all', 'unregistered', [], 0, ['MachineDeployment shop/web'])).toContain(
    'Under way when it was left, as Drydock saw it last, and stopped by nobody here: MachineDeployment shop/web.',
  )
})

test('and what moves by the disconnect, for somebody agreed to that', () => {
  expect(left('policy')).not.toContain('Moves by')
  expect(left('policy', 'all', 'unregistered', [], 0, [], ['MachineDeployment shop/web'])).toContain(
    'Moves by the disconnect, as was agreed: MachineDeployment shop/web.',
  )
})

test('in the list too it is told how much is left held', () => {
  expect(leftShort({ latchForm: 'policy', leftHeld: 2 })).toBe('nobody decides; its latch was left; 2 groups left held')
  expect(leftShort({ latchForm: 'none', leftHeld: 0 })).toBe('nothing is governed')
})
