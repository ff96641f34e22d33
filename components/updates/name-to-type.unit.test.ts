import { expect, test } from 'vitest'
import { nameToType } from './name-to-type'

type Named = Parameters<typeof nameToType>[0]
const outlook = (inPlace: number | null, replace = 1) => ({
  inPlace: inPlace === null ? null : { deleted: inPlace },
  replace: { deleted: replace },
})
const named = (part: object): Named =>
  ({ groupKind: 'KubeadmControlPlane', groupName: 'cp', plane: null, outlook: outlook(0), ...part }) as Named
const risks = (words: string[]) => ({ plane: { risks: { 'in-place': words, replace: words } } })

test.each([
  ['of a control plane that is replaced', {}, 'replace', 'cp'],
  ['where one goes in place', { outlook: outlook(1) }, 'in-place', 'cp'],
  ['where it is not known that none goes', { outlook: outlook(null) }, 'in-place', 'cp'],
  ['where something stands against it', risks(['No member to spare.']), 'in-place', 'cp'],
  ['nowhere where none goes in place', risks([]), 'in-place', null],
  ['of no workers', { groupKind: 'MachineDeployment' }, 'replace', null],
  ['to reject nothing', risks(['No member to spare.']), 'reject', null],
] as const)('a name is typed %s', (_, part, mode, name) => {
  expect(nameToType(named(part), mode)).toBe(name)
})
