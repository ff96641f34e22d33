import { expect, test } from 'vitest'
import type { MissingPermission } from '../capabilities'
import { missingGroups } from './groups'
import { NEEDS, type Need } from './permissions'

const missing = (...parts: Need['part'][]): MissingPermission[] =>
  NEEDS.filter(({ part }) => parts.includes(part)).flatMap(({ part, group, resources, verbs, why, names, namespace }) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({
        ...{ verb, group, resource, part, why },
        ...(names ? { name: names[0] } : {}),
        ...(namespace ? { namespace } : {}),
      })),
    ),
  )

test('missing permissions stand by what they are for, each group with the manifest that grants it', () => {
  const groups = missingGroups(missing('openshift-latch', 'openshift-write', 'openshift'))
  expect(groups.map(({ purpose, manifest }) => [purpose, manifest])).toEqual([
    ['read', 'deploy/rbac-openshift.yaml'],
    ['act', 'deploy/rbac-openshift-write.yaml'],
    ['hold', 'deploy/rbac-openshift-latch.yaml'],
  ])
  expect(missingGroups(missing('gate', 'cluster-api', 'latch')).map(({ purpose }) => purpose)).toEqual(['read', 'hold'])
  expect(missingGroups([])).toEqual([])
})

test('what one kind lacks for one thing is one line, with all its verbs', () => {
  const all = missing('openshift')
  const [{ lines }] = missingGroups(all) as [ReturnType<typeof missingGroups>[number]]
  expect(lines.find(({ resource }) => resource === 'machineconfigurations')?.verbs).toEqual(['get', 'list', 'watch'])
  expect(lines.reduce((n, { verbs }) => n + verbs.length, 0)).toBe(all.length)
  expect(lines.length).toBeLessThan(all.length / 2)
  expect(lines.find(({ name }) => name === 'admin-acks')?.namespace).toBe('openshift-config')
})

test('of what earlier versions found the purpose is told by the verb', () => {
  const old = { group: 'g', resource: 'r', why: 'w' }
  expect(
    missingGroups([
      { ...old, verb: 'patch' },
      { ...old, verb: 'list' },
    ]),
  ).toEqual([
    { purpose: 'read', manifest: null, lines: [{ ...old, verbs: ['list'] }] },
    { purpose: 'act', manifest: null, lines: [{ ...old, verbs: ['patch'] }] },
  ])
})
