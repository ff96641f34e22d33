import { randomBytes, randomUUID } from 'node:crypto'
import { stringify } from 'yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { rulesFromManifests, startApiServer } from '@/sandbox/apiserver'
import { GOVERNED } from '@/testenv/latch'
import { as, failure, latchedCluster } from '@/testenv/deciding'
import { until } from '@/testenv/process'
import { plannerConsumer } from '@/worker/planner'
import { startWorker, type Worker } from '@/worker/worker'
import { addCluster } from '../clusters/add-cluster'
import { systemCtx } from '../context'
import type { ServiceError } from '../errors'
import { planChange } from './plan-change'
import { planChoices } from './plan-choices'
import type { PlanDocument, PlanResult } from './types'

useTestDatabase()

const MD = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }
const CLUSTERS = { ...MD, plural: 'clusters' }
const CLASSES = { ...MD, plural: 'clusterclasses' }
const CONFIGS = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }

const operator = as('operator')
const at = latchedCluster()
let worker: Worker
const open = { namespace: '', name: '' }
const managed = { namespace: '', name: '' }

beforeAll(async () => {
  for (const [where, topology] of [
    [open, false],
    [managed, true],
  ] as const) {
    where.namespace = await at.cluster.namespace(GOVERNED)
    where.name = `w${randomBytes(3).toString('hex')}`
    await at.cluster.workloadCluster({
      ...{ namespace: where.namespace, name: where.name, version: 'v1.34.0', topology },
      controlPlane: { replicas: 1 },
      workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 },
    })
  }
  worker = await startWorker({ consumers: [plannerConsumer], parts: [] })
  await until('the rows', async () => (await db().machine.count()) === 6 && (await db().group.count()) === 4, {
    ms: 30_000,
  })
})
afterAll(async () => worker?.stop())

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

const plan = (manifests: string): Promise<PlanResult> => planChange(operator, { clusterId: at.clusterId, manifests })
const only = async (manifests: string): Promise<PlanDocument> => {
  const { documents } = await plan(manifests)
  expect(documents).toHaveLength(1)
  return documents[0]!
}
const groupId = async (name: string): Promise<string> => (await db().group.findFirstOrThrow({ where: { name } })).id

interface Deployment extends JsonObject {
  replicas: number
  template: { spec: { version: string; bootstrap: JsonObject; infrastructureRef: JsonObject } }
}
const deployment = async () => {
  const live = await at.cluster.admin.get(MD, `${open.name}-md`, open.namespace)
  return structuredClone(live.spec) as Deployment
}
const md = (spec: JsonObject, name = `${open.name}-md`): string =>
  stringify({
    ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment' },
    metadata: { name, namespace: open.namespace },
    spec,
  })
const template = (name: string, startup: string): string =>
  stringify({
    ...{ apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'DevMachineTemplate' },
    metadata: { name, namespace: open.namespace },
    spec: { template: { spec: { backend: { inMemory: { vm: { provisioning: { startupDuration: startup } } } } } } },
  })
const topologyOf = async () => {
  const { spec } = await at.cluster.admin.get(CLUSTERS, managed.name, managed.namespace)
  return structuredClone(spec!.topology) as JsonObject & {
    controlPlane: JsonObject
    workers: { machineDeployments: JsonObject[] }
  }
}
const cluster = (topology: JsonObject): string =>
  stringify({
    ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' },
    metadata: { name: managed.name, namespace: managed.namespace },
    spec: { topology },
  })

describe('what a plan says of groups', () => {
  test('a version: the machines by name, replaced as no updater is there, and held by the latch', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'v1.34.1'
    const { verdict, headline, documents, groups } = await plan(md(spec))
    expect(documents).toMatchObject([{ line: 1, outcome: 'changed' }])
    expect(verdict).toBe('replace')
    expect(headline).toBe('Applied, this comes to: 2 machines deleted, 2 machines created.')
    expect(groups).toHaveLength(1)
    expect(groups[0]).toMatchObject({ what: 'changed', heldBy: 'latch', machines: 2, waiting: null })
    expect(groups[0]!.machinesList.map((m) => m.verdict)).toEqual(['replace', 'replace'])
    expect(groups[0]!.hull.counts).toEqual([{ mark: 'replace', count: 2 }])
    expect(groups[0]!.changeSet.fields).toEqual([
      { object: 'machine', path: 'version', current: 'v1.34.0', desired: 'v1.34.1' },
    ])
    expect(await db().change.count()).toBe(0)
    expect((await deployment()).template.spec.version).toBe('v1.34.0')
  })

  test('what is so already changes nothing, also as kubectl prints it', async () => {
    const live = await at.cluster.admin.get(MD, `${open.name}-md`, open.namespace)
    const { verdict, headline, documents, groups } = await plan(JSON.stringify(live))
    expect(documents[0]).toMatchObject({ outcome: 'unchanged' })
    expect(groups[0]).toMatchObject({ what: 'unchanged', verdict: 'nothing', heldBy: 'none' })
    expect({ verdict, headline }).toEqual({ verdict: 'nothing', headline: 'No machine would be touched.' })
  })

  test('only more or fewer machines', async () => {
    const more = await plan(md({ ...(await deployment()), replicas: 5 }))
    expect(more).toMatchObject({ verdict: 'nothing', headline: 'Applied, this comes to: 3 machines created.' })
    expect(more.groups[0]!.headline).toBe(
      `No machine of ${open.name}-md would be updated or replaced; 3 machines would be created (5 wanted, 2 there).`,
    )
    expect(more.groups[0]!.hull.counts).toContainEqual({ mark: 'new', count: 3 })
    const fewer = await plan(md({ ...(await deployment()), replicas: 1 }))
    expect(fewer).toMatchObject({ verdict: 'replace', headline: 'Applied, this comes to: 1 machine deleted.' })
  })

  test('a group that does not exist yet', async () => {
    const spec = await deployment()
    const { documents, groups, verdict } = await plan(md({ ...spec, replicas: 3, selector: {} }, 'fresh'))
    expect(documents[0]).toMatchObject({ outcome: 'new' })
    expect(groups[0]).toMatchObject({ groupId: null, what: 'new', machines: 0 })
    expect(groups[0]!.headline).toBe('fresh does not exist yet: 3 machines would be created.')
    expect(verdict).toBe('nothing')
  })

  test('two groups in one text, each with its own; what is not about machines is said to be so', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'v1.34.1'
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: {} }
    const kcp = stringify({
      ...{ apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', kind: 'KubeadmControlPlane' },
      metadata: { name: `${open.name}-cp`, namespace: open.namespace },
      spec: {
        ...(await at.cluster.admin
          .get(
            { group: 'controlplane.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmcontrolplanes' },
            `${open.name}-cp`,
            open.namespace,
          )
          .then((o) => o.spec)),
        version: 'v1.34.2',
      },
    })
    const { documents, groups } = await plan([md(spec), stringify(map), kcp].join('---\n'))
    expect(documents.map((d) => d.outcome)).toEqual(['changed', 'beside', 'changed'])
    expect(groups.map((g) => [g.groupKind, g.toVersion])).toEqual([
      ['KubeadmControlPlane', 'v1.34.2'],
      ['MachineDeployment', 'v1.34.1'],
    ])
  })

  test('a template that is not there blocks; given with the group, it does not', async () => {
    const spec = await deployment()
    spec.template.spec.infrastructureRef = { ...spec.template.spec.infrastructureRef, name: 'next' }
    const without = await plan(md(spec))
    expect(without).toMatchObject({ verdict: 'blocked', groups: [{ verdict: 'blocked' }] })
    expect(without.groups[0]!.outlook.whyNotInPlace).toMatch(/next does not exist|update gate is not registered/)
    const both = await plan([md(spec), template('next', '9s')].join('---\n'))
    expect(both.verdict).toBe('replace')
    expect(both.documents[1]!.sentence).toContain(`${open.name}-md uses it.`)
    expect(both.groups[0]!.changeSet.fields.map((f) => `${f.object} ${f.path}`)).toContain(
      'infrastructure backend.inMemory.vm.provisioning.startupDuration',
    )
  })

  test('a template changed under its name: refused where the provider refuses it, told what it means where not', async () => {
    const infrastructure = await only(template(`${open.name}-md`, '9s'))
    expect(infrastructure).toMatchObject({ outcome: 'invalid', line: 1 })
    expect(infrastructure.answer).toContain('field is immutable. Please create a new resource instead.')
    expect(infrastructure.sentence).toContain(`${open.name}-md uses it: give a template under a new name`)
    const live = await at.cluster.admin.get(CONFIGS, `${open.name}-md`, open.namespace)
    const spec = structuredClone(live.spec) as { template: { spec: JsonObject } }
    spec.template.spec.preKubeadmCommands = ['echo hello']
    const { apiVersion, kind } = live
    const changed = { apiVersion, kind, metadata: { name: live.metadata.name, namespace: open.namespace }, spec }
    const { documents, groups, verdict } = await plan(stringify(changed))
    expect(documents[0]).toMatchObject({ outcome: 'changed' })
    expect(groups).toMatchObject([{ groupName: `${open.name}-md`, what: 'unchanged' }])
    expect(groups[0]!.notes[0]).toContain('machines that are there stay as they are')
    expect(verdict).toBe('nothing')
  })

  test('what was left out is taken away, as whoever applied it last would', async () => {
    const name = `${open.name}-md`
    const spec = await deployment()
    const meant = (more: JsonObject) => ({
      ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment' },
      metadata: { name, namespace: open.namespace },
      spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, ...more } } } as JsonObject,
    })
    const last = {
      metadata: {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(meant({ failureDomain: 'a' })),
        },
      },
    }
    await at.cluster.admin.patch(MD, name, open.namespace, 'merge', last)
    await db().group.findFirstOrThrow({ where: { name } })
    try {
      // Kept in the annotation only: what it would take away is not there, so nothing differs.
      expect((await plan(stringify(meant({})))).groups[0]).toMatchObject({ what: 'unchanged' })
      expect((await plan(stringify(meant({ failureDomain: 'b' })))).groups[0]!.changeSet.fields).toEqual([
        { object: 'machine', path: 'failureDomain', desired: 'b' },
      ])
    } finally {
      const gone = { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': null } } }
      await at.cluster.admin.patch(MD, name, open.namespace, 'merge', gone)
    }
  })

  test('secrets do not leave the server, neither in fields nor in refusals', async () => {
    const live = await at.cluster.admin.get(CONFIGS, `${open.name}-md`, open.namespace)
    const spec = structuredClone(live.spec) as { template: { spec: JsonObject } }
    const secret = randomBytes(12).toString('hex')
    spec.template.spec.files = [{ path: '/etc/x', content: secret }]
    const config = {
      ...{ apiVersion: live.apiVersion, kind: live.kind },
      ...{ metadata: { name: 'with-files', namespace: open.namespace }, spec },
    }
    const group = await deployment()
    group.template.spec.bootstrap = {
      configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name: 'with-files' },
    }
    const result = await plan([stringify(config), md(group)].join('---\n'))
    expect(result.groups[0]!.changeSet.fields).toContainEqual(
      expect.objectContaining({ object: 'bootstrap', path: 'files', desired: '••••••', secret: true }),
    )
    const refused = await plan(
      stringify({
        ...config,
        apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
        kind: 'DevMachineTemplate',
        metadata: { name: `${open.name}-md`, namespace: open.namespace },
      }),
    )
    expect(refused.documents[0]!.outcome).toBe('invalid')
    expect(JSON.stringify([result, refused])).not.toContain(secret)
  })

  test('a change that waits already is named, and the machines that are there are what is compared', async () => {
    const name = `${open.name}-md`
    const write = (version: string) =>
      at.cluster.admin.patch(MD, name, open.namespace, 'merge', { spec: { template: { spec: { version } } } })
    await write('v1.34.1')
    const where = { groupName: name, state: 'waiting' }
    await until('the change', async () => (await db().change.count({ where })) === 1, { ms: 15_000 })
    const { id } = await db().change.findFirstOrThrow({ where })
    const input = { clusterId: at.clusterId, groupId: await groupId(name) }
    const instead = await planChange(operator, { ...input, version: '1.34.5' })
    expect(instead.groups[0]).toMatchObject({
      ...{ fromVersion: 'v1.34.0', toVersion: 'v1.34.5' },
      waiting: { id, summary: 'v1.34.0 → v1.34.1' },
    })
    const back = await planChange(operator, { ...input, version: 'v1.34.0' })
    expect(back).toMatchObject({ verdict: 'nothing', groups: [{ what: 'unchanged' }] })
    await write('v1.34.0')
    await until('it to be over', async () => (await db().change.count({ where })) === 0, { ms: 15_000 })
  })
})

describe('Clusters of a ClusterClass', () => {
  test('version, replicas and failure domain reach the groups as the topology controller would write them', async () => {
    const topology = await topologyOf()
    topology.version = 'v1.34.1'
    topology.workers.machineDeployments[0]!.replicas = 3
    const { groups, verdict, documents } = await plan(cluster(topology))
    expect(documents).toMatchObject([{ outcome: 'changed', kind: 'Cluster' }])
    expect(groups.map((g) => [g.groupName, g.summary])).toEqual([
      [`${managed.name}-cp`, 'v1.34.0 → v1.34.1'],
      [`${managed.name}-md`, 'v1.34.0 → v1.34.1'],
    ])
    expect(groups[1]!.outlook.replace).toMatchObject({ added: 1 })
    expect(groups[1]!.notes[0]).toContain('once the control plane has it')
    expect(verdict).toBe('replace')
    const same = await planChange(operator, {
      clusterId: at.clusterId,
      groupId: await groupId(`${managed.name}-md`),
      version: 'v1.34.1',
    })
    expect(same.groups.map((g) => g.groupName)).toEqual(groups.map((g) => g.groupName))
    expect(same.documents[0]!.sentence).toContain('is managed by a ClusterClass')
  })

  test('a version that the API server does not take, in its own words', async () => {
    const topology = await topologyOf()
    const refused = await only(cluster({ ...topology, version: 'v1.40.0' }))
    expect(refused).toMatchObject({ outcome: 'invalid' })
    expect(refused.answer).toContain('version cannot be increased from "1.34.0" to "1.40.0"')
    const decreased = await only(cluster({ ...topology, version: 'v1.33.0' }))
    expect(decreased.answer).toContain('version cannot be decreased from "1.34.0" to "1.33.0"')
  })

  test('in mid upgrade the API server takes no other version', async () => {
    const kcp = { group: 'controlplane.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmcontrolplanes' }
    const write = (version: string) =>
      at.cluster.admin.patch(kcp, `${managed.name}-cp`, managed.namespace, 'merge', { spec: { version } })
    await write('v1.34.1')
    const { documents } = await plan(cluster({ ...(await topologyOf()), version: 'v1.34.2' }))
    await write('v1.34.0')
    expect(documents[0]!.answer).toContain(
      'version cannot be changed: Cluster.spec.topology.version 1.34.0 was not propagated to control plane yet (control plane version 1.34.1)',
    )
  })

  test('deferred, removed and added deployments', async () => {
    const topology = await topologyOf()
    const [first] = topology.workers.machineDeployments
    const deferred = { ...first!, metadata: { annotations: { 'topology.cluster.x-k8s.io/defer-upgrade': '' } } }
    const later = await plan(cluster({ ...topology, version: 'v1.34.1', workers: { machineDeployments: [deferred] } }))
    expect(later.groups.map((g) => [g.groupName, g.what])).toEqual([
      [`${managed.name}-cp`, 'changed'],
      [`${managed.name}-md`, 'unchanged'],
    ])
    expect(later.groups[1]!.notes[0]).toContain('its upgrade is deferred')
    const other = await plan(cluster({ ...topology, workers: { machineDeployments: [{ ...first!, name: 'others' }] } }))
    expect(other.groups).toMatchObject([{ what: 'deleted', verdict: 'replace', machines: 2 }])
    expect(other.documents[0]!.sentence).toContain('A MachineDeployment others would be made, with 2 machines.')
  })

  test('variables: unknown where a patch of the class reads them, nothing where none does', async () => {
    const topology = await topologyOf()
    const live = await at.cluster.admin.get(CLUSTERS, managed.name, managed.namespace)
    const name = (topology.classRef as { name: string }).name
    const reading = {
      name: 'zones',
      definitions: [
        {
          selector: {
            ...{ apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'DevMachineTemplate' },
            matchResources: { machineDeploymentClass: { names: ['work*'] } },
          },
          jsonPatches: [{ op: 'add', path: '/spec/template/spec/zone', valueFrom: { variable: 'zone' } }],
        },
      ],
    }
    const schema = { openAPIV3Schema: { type: 'string' } }
    const variables = ['zone', 'colour'].map((v) => ({ name: v, required: false, schema }))
    await at.cluster.admin.patch(CLASSES, name, managed.namespace, 'merge', {
      spec: { patches: [reading], variables },
    })
    expect(live.metadata.name).toBe(managed.name)
    const zone = await plan(cluster({ ...topology, variables: [{ name: 'zone', value: 'b' }] }))
    expect(zone.verdict).toBe('unknown')
    expect(zone.groups).toMatchObject([{ groupName: `${managed.name}-md`, what: 'unknown', verdict: 'unknown' }])
    expect(zone.groups[0]!.undetermined[0]).toContain('which the patch zones of the ClusterClass')
    expect(zone.groups[0]!.machinesList.map((m) => m.verdict)).toEqual(['unknown', 'unknown'])
    const colour = await plan(cluster({ ...topology, variables: [{ name: 'colour', value: 'blue' }] }))
    expect(colour).toMatchObject({ verdict: 'nothing', groups: [] })
    await at.cluster.admin.patch(CLASSES, name, managed.namespace, 'merge', { spec: { patches: null } })
  })

  test('a group that a ClusterClass manages, given as itself, would be taken back', async () => {
    const live = await at.cluster.admin.get(MD, `${managed.name}-md`, managed.namespace)
    const spec = structuredClone(live.spec) as Deployment
    spec.template.spec.version = 'v1.34.1'
    const { groups } = await plan(stringify({ ...live, spec }))
    expect(groups[0]!.notes[0]).toContain('Plan the Cluster instead')
  })
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

  test('the same object twice, kinds that are not planned, and a text without documents', async () => {
    const spec = await deployment()
    const twice = await plan([md(spec), md(spec)].join('---\n'))
    expect(twice.documents.map((d) => d.outcome)).toEqual(['unchanged', 'invalid'])
    expect(twice.documents[1]!.sentence).toContain('stands in line 1 already')
    const pool = await plan('apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachinePool\nmetadata: {name: x}')
    expect(pool).toMatchObject({ verdict: 'unknown', documents: [{ outcome: 'unknown' }] })
    expect(await plan('# nothing\n---\n---\n')).toMatchObject({ verdict: 'nothing', documents: [], groups: [] })
  })

  test.each([
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
