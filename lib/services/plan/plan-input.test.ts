import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rbacManifest } from '@/lib/domain/access/manifest'
import { rulesFromManifests, startApiServer } from '@/sandbox/apiserver'
import { as, failure } from '@/testenv/deciding'
import { operator, planningCluster } from '@/testenv/plan-cluster'
import { addCluster } from '../clusters/add-cluster'
import { systemCtx } from '../context'
import type { ServiceError } from '../errors'
import { planChange } from './plan-change'
import { planChoices } from './plan-choices'

useTestDatabase()

const { at, w: open, plan, only, groupId, deployment, md } = planningCluster()
const namespaceObject = () => ({
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: {
    name: 'bare',
    uid: randomUUID(),
    generation: 1,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
})

describe('bad input', () => {
  test('YAML that is none, by its line, and the other documents all the same', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'v1.34.1'
    const { documents, groups, verdict, headline } = await plan(
      `${md(spec)}---\nkind: MachineDeployment\nspec: {a: [1, 2\nmore: x\n`,
    )
    const lines = md(spec).split('\n').length
    expect(documents.map((d) => d.outcome)).toEqual(['changed', 'invalid'])
    expect(documents[1]!.errorLine).toBeGreaterThan(lines)
    expect(documents[1]!.sentence).toMatch(/^This is not YAML: /)
    expect(groups).toHaveLength(1)
    expect(verdict).toBe('invalid')
    expect(headline).toBe('1 document cannot be applied as it is. What follows is only the rest.')
  })

  test.each([
    ['a: 1', 'apiVersion and kind are missing'],
    ['- 1\n- 2', 'This is not an object'],
    [
      'apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineDeployment\nmetadata: {namespace: x}',
      'metadata.name is missing',
    ],
    [
      'apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineDeployment\nmetadata: {name: x}',
      'metadata.namespace is missing',
    ],
    [
      'apiVersion: infrastructure.cluster.x-k8s.io/v1beta2\nkind: MoonMachineTemplate\nmetadata: {name: x, namespace: y}',
      'does not serve MoonMachineTemplate in infrastructure.cluster.x-k8s.io/v1beta2',
    ],
    [
      'apiVersion: cluster.x-k8s.io/v7\nkind: MachineDeployment\nmetadata: {name: x, namespace: y}',
      'does not serve MachineDeployment in cluster.x-k8s.io/v7',
    ],
  ])('%s', async (manifest, sentence) => {
    const document = await only(manifest)
    expect(document).toMatchObject({ outcome: 'invalid', line: 1 })
    expect(document.sentence).toContain(sentence)
  })

  test('the API server’s refusal, verbatim, with the line of the document', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'latest'
    const { documents } = await plan(`\n# a comment\n${md(spec)}`)
    expect(documents[0]).toMatchObject({ outcome: 'invalid', line: 3, errorLine: 3 })
    expect(documents[0]!.answer).toContain('must be a valid semantic version')
    const unknown = await deployment()
    const field = await only(md({ ...unknown, colour: 'blue' }))
    expect(field.answer).toContain('.spec.colour: field not declared in schema')
    const nowhere = await only(md(unknown).replace(open.namespace, 'no-such-namespace'))
    expect(nowhere.answer).toContain('namespaces "no-such-namespace" not found')
  })

  test('the same object twice, and kinds that are not planned', async () => {
    const spec = await deployment()
    const twice = await plan([md(spec), md(spec)].join('---\n'))
    expect(twice.documents.map((d) => d.outcome)).toEqual(['unchanged', 'invalid'])
    expect(twice.documents[1]!.sentence).toContain('stands in line 1 already')
    const pool = await plan('apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachinePool\nmetadata: {name: x}')
    expect(pool).toMatchObject({ verdict: 'unknown', documents: [{ outcome: 'unknown' }] })
  })

  test.each([
    ['nothing but comments', { manifests: '# nothing\n---\n' }, 'Paste at least one manifest.'],
    ['blank', { manifests: '  ' }, 'Paste at least one manifest.'],
    ['too much', { manifests: 'a'.repeat(1024 * 1024 + 1) }, 'At most 1 MiB'],
    ['nothing', {}, 'Paste at least one manifest.'],
    ['no version', { groupId: randomUUID() }, 'Give the version'],
    ['no such version', { groupId: randomUUID(), version: 'latest' }, 'A version has three numbers'],
    ['both', { manifests: 'a', groupId: randomUUID(), version: 'v1.2.3' }, 'not both'],
    ['no cluster', { clusterId: 'x', manifests: 'a' }, 'Choose a management cluster.'],
  ])('input that is %s', async (_what, input, sentence) => {
    const refused = await failure(planChange(operator, { clusterId: at.clusterId, ...input }))
    expect(refused.code).toBe('invalid')
    expect(refused.more.fields?.map((f) => f.message).join(' ')).toContain(sentence)
  })

  test('a group or a cluster that is not there', async () => {
    const input = { clusterId: at.clusterId, groupId: randomUUID(), version: 'v1.34.1' }
    expect((await failure(planChange(operator, input))).code).toBe('not-found')
    expect((await failure(planChange(operator, { ...input, clusterId: randomUUID() }))).code).toBe('not-found')
  })

  test('who may not plan', async () => {
    const input = { clusterId: at.clusterId, manifests: md(await deployment()) }
    const refused: ServiceError = await failure(planChange(as('viewer'), input))
    expect(refused).toMatchObject({ code: 'forbidden', message: 'This needs the role operator; you are viewer.' })
    expect((await failure(planChoices(as('viewer'), {}))).code).toBe('forbidden')
  })

  test('a Drydock that may not try a change there does not guess', async () => {
    const server = await startApiServer({
      ...{ name: 'bare', version: 'v1.36.3', families: ['cluster-api'], port: 0 },
      users: { drydock: rulesFromManifests(rbacManifest(['cluster-api', 'latch', 'gate'])) },
      objects: [{ resource: 'namespaces', object: namespaceObject() }],
    })
    try {
      const kubeconfig = server.users.drydock!.kubeconfig
      const { clusterId } = await addCluster(systemCtx('test'), { name: 'bare', kubeconfig })
      const given = md({ ...(await deployment()), selector: {} }).replaceAll(open.namespace, 'bare')
      const { verdict, documents } = await planChange(operator, { clusterId, manifests: given })
      expect(verdict).toBe('unknown')
      expect(documents[0]!.sentence).toContain('deploy/rbac-plan.yaml')
      expect(documents[0]!.answer).toContain('cannot create resource "machinedeployments"')
    } finally {
      await db().managementCluster.deleteMany({ where: { name: 'bare' } })
      await server.stop()
    }
  })

  test('what the form offers: clusters, and groups whose version can be changed', async () => {
    const { clusters, groups } = await planChoices(operator, {})
    expect(clusters.map((c) => c.name)).toEqual(['m'])
    expect(groups.map((g) => g.name)).toEqual(expect.arrayContaining([`${open.name}-cp`, `${open.name}-md`]))
    const chosen = await planChoices(operator, { groupId: await groupId(`${open.name}-md`) })
    expect(chosen.chosen).toMatchObject({ name: `${open.name}-md`, clusterId: at.clusterId, version: 'v1.34.0' })
  })
})
