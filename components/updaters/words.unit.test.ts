import { expect, test } from 'vitest'
import { forWords } from './words'

test.each([
  [null, null, 'every cluster'],
  ['c', null, 'this cluster'],
  [null, { namespaces: ['fleet'] }, 'groups in namespace fleet of every cluster'],
  ['c', { kinds: ['KubeadmControlPlane'] }, 'control planes of this cluster'],
] as const)('%s %j: for %s', (clusterId, groups, words) =>
  expect(forWords({ clusterId, groups: groups as Parameters<typeof forWords>[0]['groups'] })).toBe(words),
)
