import { expect, it } from 'vitest'
import { change } from './testing'
import { headlineOf, stateOf } from './words'

it('says of a control plane under way that a machine is not Ready, also one that went through before', () => {
  const hull = { total: 3, cells: null, counts: [{ mark: 'in-place' as const, done: true, count: 3 }], ill: 1 }
  const plane = { ...change({ state: 'running', groupName: 'cp' }), groupKind: 'KubeadmControlPlane', hull }
  const outcome = { updatedInPlace: 1, created: 0, deleted: 1, failed: 0, remediated: 1 }
  const step = { done: 1, of: 3, since: '2026-11-21T16:00:00.000Z' }
  const words = (given: Partial<typeof plane>) => stateOf({ ...plane, ...given }).words
  expect(stateOf(plane)).toEqual({ words: 'Under way, a machine is not Ready', tone: 'plain' })
  expect(words({ hull: { ...hull, ill: 2 } })).toBe('Under way, 2 machines are not Ready')
  expect(words({ groupKind: 'MachineDeployment' })).toBe('Under way')
  expect(words({ outcome })).toBe('Under way, 1 deleted by remediation, a machine is not Ready')
  expect(stateOf({ ...plane, step }).words).toBe('1 of 3 done, the next one waits, a machine is not Ready')
  expect(stateOf(plane, null, null, null, 'taken').words).toBe(
    'Under way, and nobody approved it, a machine is not Ready',
  )
  expect(headlineOf(plane)).toMatch(/^cp is being updated, and a machine of it is not Ready: /)
  expect(headlineOf({ ...plane, step })).toMatch(/let its next machine go, and a machine of it is not Ready: /)
})
