import { expect, it } from 'vitest'
import { levelWords } from './hold-words'
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
