import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { openShiftLatchRbac, openShiftReadRbac, openShiftWriteRbac, planRbac, rbacManifest } from './manifest'
import { latchManifests } from '../latch/manifests'
import type { Holds, LatchForm } from '../latch/parts'
import { NEEDS, type Need } from './permissions'

test.each([
  ['deploy/rbac.yaml', rbacManifest(['cluster-api', 'latch', 'gate'])],
  ['deploy/rbac-openshift.yaml', openShiftReadRbac()],
  ['deploy/rbac-openshift-write.yaml', openShiftWriteRbac()],
  ['deploy/rbac-openshift-latch.yaml', openShiftLatchRbac()],
  ['deploy/rbac-plan.yaml', planRbac()],
])('%s is what the table says', (file, objects) => {
  const text = readFileSync(file, 'utf8')
  expect(parseAllDocuments(text).map((d) => d.toJS() as unknown)).toEqual(objects)
  expect(text).not.toMatch(/[&*]a\d/) // every rule can be left out without another
})

test('reading OpenShift changes nothing, and both manifests hold on a cluster that has Cluster API as well', () => {
  const read = openShiftReadRbac()
  const verbs = read.flatMap((o) => (o.rules as { verbs: string[] }[] | undefined) ?? [])
  expect(new Set(verbs.flatMap((rule) => rule.verbs))).toEqual(new Set(['get', 'list', 'watch']))
  expect(JSON.stringify(read)).not.toMatch(/cluster\.x-k8s\.io|admissionregistration/)
  const roles = (objects: typeof read) =>
    objects
      .filter(({ kind }) => /Role/.test(String(kind)))
      .map(({ kind, metadata }) => JSON.stringify([kind, metadata]))
  const others = [rbacManifest(['cluster-api', 'latch', 'gate']), openShiftWriteRbac(), openShiftLatchRbac()]
  const all = [...roles(read), ...others.flatMap(roles)]
  expect(new Set(all).size).toBe(all.length)
})

test('what trying planned changes needs stands in no other manifest', () => {
  expect(JSON.stringify(rbacManifest(['cluster-api', 'latch', 'gate', 'openshift']))).not.toContain('drydock-plan')
})

test.each(['infrastructure', 'bootstrap'])('templates of %s: each once, sorted, as a CRD spells a plural', (group) => {
  const need = NEEDS.find(({ part, group: of }) => part === 'plan' && of === `${group}.cluster.x-k8s.io`)!
  const [own, ...others] = need.resources
  const listed = group === 'bootstrap' ? others : need.resources
  if (group === 'bootstrap') expect(own).toBe('kubeadmconfigtemplates')
  expect(listed).toEqual([...new Set(listed)].sort())
  for (const plural of need.resources) expect(plural).toMatch(/^[a-z0-9]+(machine|config|data)templates$/)
})

test('without OpenShift nothing is put into a namespace that is not there', () => {
  const namespaces = rbacManifest(['cluster-api', 'latch', 'gate']).map(
    (o) => (o.metadata as { namespace?: string }).namespace,
  )
  expect(new Set(namespaces)).toEqual(new Set([undefined, 'drydock']))
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

const HOLDS: [string, Holds, Need['part'][]][] = [
  ['Cluster API', { clusterApi: true, pools: false }, ['latch']],
  ['pools', { clusterApi: false, pools: true }, ['openshift-latch']],
  ['both', { clusterApi: true, pools: true }, ['latch', 'openshift-latch']],
]
const FORMS: LatchForm[] = ['policy-v1', 'policy-v1beta1', 'webhook', 'watch']
const ALL_FORMS = HOLDS.flatMap(([what, holds, parts]) => FORMS.map((form) => ({ what, form, holds, parts })))

test.each(ALL_FORMS)('the latch of $what as $form: its roles make, mend and remove each object', (of) => {
  const { form, holds, parts } = of
  const webhook = { url: 'https://d/latch', caBundle: 'x' }
  const who = { identity: 'drydock', breakGlassGroup: 'bg' }
  const objects = latchManifests({ governs: 'all', form, holds, webhook, ...who, guard: form !== 'watch' })
  expect(objects.length > 0).toBe(form !== 'watch')
  const may = (verb: string, { kind, metadata }: { kind: string; metadata: { name: string } }): boolean =>
    NEEDS.some(
      ({ part, group, resources, verbs, names }) =>
        parts.includes(part) &&
        group === 'admissionregistration.k8s.io' &&
        verbs.includes(verb) &&
        resources.includes(kind.toLowerCase().replace(/y$/, 'ie') + 's') &&
        (names === undefined || names.includes(metadata.name)),
    )
  for (const object of objects)
    for (const verb of ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete'])
      expect.soft([verb, may(verb, object as never)], JSON.stringify(object.metadata)).toEqual([verb, true])
})
