import { expect, test } from 'vitest'
import { isUnforetold } from './by-others'

const KCP = { groupKind: 'KubeadmControlPlane', waits: false, inPlace: true }

test.each<[string, typeof KCP, string[], boolean]>([
  ['let go in place', KCP, ['in-place'], true],
  ['held again, and let go to be replaced since', KCP, ['in-place', 'replace'], true],
  ['held again', { ...KCP, waits: true }, ['in-place'], true],
  ['let go to be replaced', KCP, ['replace'], false],
  ['nobody let it go, and it goes in place', KCP, [], true],
  ['nobody let it go, and it cannot go in place', { ...KCP, inPlace: false }, [], false],
  ['never let go', { ...KCP, waits: true }, [], false],
  ['workers', { ...KCP, groupKind: 'MachineDeployment' }, ['in-place'], false],
])('who deletes what was not foretold nobody can tell: %s', (_, of, modes, is) => {
  expect(isUnforetold(of, modes)).toBe(is)
})
