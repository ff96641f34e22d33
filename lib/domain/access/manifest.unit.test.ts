import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { rbacManifest } from './manifest'
import { NEEDS } from './permissions'

test('deploy/rbac.yaml is what the table says', () => {
  const documents = parseAllDocuments(readFileSync('deploy/rbac.yaml', 'utf8')).map((d) => d.toJS() as unknown)
  expect(documents).toEqual(rbacManifest(['cluster-api', 'latch', 'gate', 'openshift']))
})

test('never secrets, never a wildcard verb, never create in a rule with names', () => {
  for (const need of NEEDS) {
    expect(need.resources).not.toContain('secrets')
    expect(need.verbs).not.toContain('*')
    if (need.names) expect(need.verbs).not.toContain('create')
    if (need.resources.includes('*')) expect(need.verbs).not.toContain('patch')
  }
})

test('a part that is not used gets no rights', () => {
  expect(JSON.stringify(rbacManifest(['openshift']))).not.toContain('cluster.x-k8s.io')
  expect(JSON.stringify(rbacManifest(['cluster-api']))).not.toContain('admissionregistration')
})

test('a user instead of a service account', () => {
  const objects = rbacManifest(['cluster-api'], { kind: 'User', name: 'drydock' })
  expect(objects.map((o) => o.kind)).toEqual(['ClusterRole', 'ClusterRoleBinding'])
})
