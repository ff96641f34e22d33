import { expect, it } from 'vitest'
import { levelWords, notScaledWords } from './hold-words'
import type { Asked } from './standing-words'

const MD = 'MachineDeployment'
const SEEN = 'That is so long that it is in Needs you for everybody, whatever their role'

it('says that a hold is too old, and where a policy has it so, by whose word', () => {
  const asked = (policy: object | null) =>
    ({ rules: { remindAfter: { policy }, escalateAfter: { policy } } }) as unknown as Asked
  expect(levelWords('overdue', asked({ name: 'prod' }), MD)).toBe(`${SEEN}, by its policy.`)
  expect(levelWords('overdue', asked(null), MD)).toBe(`${SEEN}.`)
  expect(levelWords('due', asked(null), MD)).toBe('That is longer than a hold may rest unnoticed.')
  expect(levelWords('overdue', { problem: 'x', hint: null } as Asked, MD)).toBe(`${SEEN}.`)
  expect(levelWords('fresh', asked(null), MD)).toBe('')
})

it('calls a pool dangerous for its certificates, and a control plane for its age', () => {
  const asked = { problem: 'x', hint: null } as Asked
  expect(levelWords('dangerous', asked, 'MachineConfigPool')).toBe(
    'That is dangerous: the first certificate that its nodes trust is near its end, or over it.',
  )
  expect(levelWords('dangerous', asked, 'KubeadmControlPlane')).toMatch(/^A control plane that stands still/)
})

it.each([
  [3, 4, 'It wants 3 machines, and does not shrink now. In the middle of it they would be updated.'],
  [5, 4, 'It wants 5 machines, and does not grow now. In the middle of it they would be updated.'],
  [1, 1, 'It wants 1 machine, and does not come to that now. In the middle of it they would be updated.'],
])('names what a held group that scales does not come to: %i of %i', (wanted, has, words) => {
  for (const why of ['In the middle of it they would be updated.', 'in the middle of it they would be updated'])
    expect(notScaledWords({ wanted, has }, why)).toBe(words)
})
