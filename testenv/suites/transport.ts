import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient, KubeObject, Resource } from '@/lib/kubernetes/types'
import type { TestCluster } from '../types'
import { writeAs } from './as'
import { namesOf, raw, refused } from './speaking'
import { differing, MACHINE_DEPLOYMENT, MD } from './writes/objects'

const CONFIG_MAPS: Resource = { group: '', version: 'v1', plural: 'configmaps' }
const CLUSTER_API = '/apis/cluster.x-k8s.io/v1beta2'

/** Reading and writing through Drydock's client: what is stored, and what the server says when it is not. */
export function transportSuite(open: () => Promise<TestCluster>): void {
  let cluster: TestCluster
  let admin: KubeClient
  let ns: string
  let count = 0

  beforeAll(async () => {
    cluster = await open()
    admin = cluster.admin
    ns = await cluster.namespace()
  })
  afterAll(async () => cluster?.stop())

  const body = (name: string, more: JsonObject = {}) =>
    differing(differing(MACHINE_DEPLOYMENT, { metadata: { name } }), more) as JsonObject
  /** A MachineDeployment of a cluster that does not exist: paused, so that only the test writes to it. */
  const make = (more: JsonObject = {}) => {
    const paused = { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }
    return admin.create(MD, body(`md-${++count}`, differing(paused, more) as JsonObject), ns)
  }
  const configMap = (name: string, more: JsonObject = {}) =>
    admin.create(
      CONFIG_MAPS,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data: { a: '1' } },
      ns,
    )
  const path = (name: string) => `${CLUSTER_API}/namespaces/${ns}/machinedeployments/${name}`
  /** Controllers add conditions at any time: again where one was faster. */
  const settle = async (name: string): Promise<KubeObject> => {
    for (let before = await admin.get(MD, name, ns); ;) {
      await new Promise((resolve) => setTimeout(resolve, 300))
      const now = await admin.get(MD, name, ns)
      if (now.metadata.resourceVersion === before.metadata.resourceVersion) return now
      before = now
    }
  }

  test('what is not there is not found, object, kind and group', async () => {
    const object = await refused(admin.get(MD, 'none', ns))
    expect(object.status).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'machinedeployments.cluster.x-k8s.io "none" not found',
      details: { name: 'none', group: 'cluster.x-k8s.io', kind: 'machinedeployments' },
    })
    expect((await refused(admin.patch(MD, 'none', ns, 'merge', {}))).status).toEqual(object.status)
    expect((await refused(admin.delete(MD, 'none', ns))).status).toEqual(object.status)
    expect((await refused(admin.list({ ...MD, plural: 'nothings' }, undefined))).code).toBe(404)
    expect((await refused(admin.list({ ...MD, group: 'example.com' }, undefined))).code).toBe(404)
    const elsewhere = await refused(admin.create(MD, body('one'), 'no-such-namespace'))
    expect(elsewhere.status).toMatchObject({ code: 404, message: 'namespaces "no-such-namespace" not found' })
  })

  test('created once, with what the server adds', async () => {
    const made = await make({ metadata: { labels: { team: 'blue' } } })
    const { name, uid, resourceVersion, generation, creationTimestamp, managedFields } = made.metadata
    expect(uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(resourceVersion).toMatch(/^[1-9]\d*$/)
    expect(creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(generation).toBe(1)
    expect(managedFields).toMatchObject([
      { manager: 'drydock', operation: 'Update', apiVersion: 'cluster.x-k8s.io/v1beta2', fieldsType: 'FieldsV1' },
    ])
    expect(managedFields?.[0]?.fieldsV1).toMatchObject({ 'f:spec': { 'f:replicas': {} } })
    const again = await refused(admin.create(MD, body(name), ns))
    expect(again.status).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: `machinedeployments.cluster.x-k8s.io "${name}" already exists`,
    })
  })

  test('a dry run answers as the write would and keeps nothing', async () => {
    await admin.create(MD, body('ghost'), ns, { dryRun: true })
    expect((await refused(admin.get(MD, 'ghost', ns))).code).toBe(404)
    const { name } = (await make()).metadata
    const before = await settle(name)
    const dry = await admin.patch(MD, name, ns, 'merge', { spec: { replicas: 7 } }, { dryRun: true })
    expect(dry.spec?.replicas).toBe(7)
    expect(dry.metadata.generation).toBe(before.metadata.generation! + 1)
    expect(dry.metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    await admin.delete(MD, name, ns, { dryRun: true })
    expect(await admin.get(MD, name, ns)).toEqual(before)
  })

  test('generation counts the spec, and what changes nothing changes no version', async () => {
    const { name } = (await make()).metadata
    const before = await settle(name)
    const generation = before.metadata.generation!
    const same = await admin.patch(MD, name, ns, 'merge', { spec: { replicas: 2 } })
    expect(same.metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    const labelled = await admin.patch(MD, name, ns, 'merge', { metadata: { labels: { rack: 'a' } } })
    expect(labelled.metadata.generation).toBe(generation)
    expect(Number(labelled.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion))
    const scaled = await admin.patch(MD, name, ns, 'merge', { spec: { replicas: 3 } })
    expect(scaled.metadata.generation).toBe(generation + 1)
  })

  test('a write that only takes fields away leaves the time of its manager as it was', async () => {
    const { name } = (await make()).metadata
    const writes = async (labels: Record<string, string | null>) => {
      const { managedFields = [] } = (await admin.patch(MD, name, ns, 'merge', { metadata: { labels } })).metadata
      const times = managedFields.flatMap((m) =>
        m.manager === 'drydock' && !m.subresource ? [Date.parse(m.time!)] : [],
      )
      return Math.max(...times)
    }
    const set = await writes({ rack: 'a', row: '1' })
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(await writes({ row: null })).toBe(set)
    expect(await writes({ row: '2' })).toBeGreaterThan(set)
  })

  test('status is written through its subresource only', async () => {
    const { name } = (await make()).metadata
    const before = await settle(name)
    const ignored = await admin.patch(MD, name, ns, 'merge', { status: { observedGeneration: 77 } })
    expect(ignored.status?.observedGeneration).not.toBe(77)
    const told = await admin.patch(
      MD,
      name,
      ns,
      'merge',
      { spec: { replicas: 9 }, status: { observedGeneration: 77 } },
      { subresource: 'status' },
    )
    expect(told.status?.observedGeneration).toBe(77)
    expect(told.spec?.replicas).toBe(2)
    expect(told.metadata.generation).toBe(before.metadata.generation)
    expect(told.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'drydock', operation: 'Update', subresource: 'status' }),
    )
  })

  test('a write for a version that has passed is a conflict', async () => {
    const { name } = (await make()).metadata
    const before = await settle(name)
    await admin.patch(MD, name, ns, 'merge', { metadata: { labels: { n: '1' } } })
    const { resourceVersion, uid } = before.metadata
    const stale = await refused(
      admin.patch(MD, name, ns, 'merge', { metadata: { resourceVersion, labels: { n: '2' } } }),
    )
    const message = `Operation cannot be fulfilled on machinedeployments.cluster.x-k8s.io "${name}": the object has been modified; please apply your changes to the latest version and try again`
    expect(stale.status).toMatchObject({ code: 409, reason: 'Conflict', message })
    const put = await writeAs(cluster.adminKubeconfig, 'PUT', path(name), before as unknown as JsonObject)
    expect(put).toMatchObject({ code: 409, message })
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } }
    const gone = JSON.parse((await raw(cluster.adminKubeconfig, 'DELETE', path(name), options)).text) as JsonObject
    expect(gone).toMatchObject({ code: 409, reason: 'Conflict' })
    const other = { ...options, preconditions: { uid: uid.replace(/^./, (c) => (c === 'a' ? 'b' : 'a')) } }
    expect((await raw(cluster.adminKubeconfig, 'DELETE', path(name), other)).code).toBe(409)
    expect((await admin.get(MD, name, ns)).metadata.labels?.n).toBe('1')
  })

  test('JSON patches apply in order, all or nothing', async () => {
    const { name } = (await make()).metadata
    const patch = (operations: JsonObject[]) => admin.patch(MD, name, ns, 'json', operations)
    const done = await patch([
      { op: 'test', path: '/spec/replicas', value: 2 },
      { op: 'replace', path: '/spec/replicas', value: 4 },
      { op: 'add', path: '/metadata/annotations/drydock.dev~1note', value: 'x' },
    ])
    expect(done.spec?.replicas).toBe(4)
    expect(done.metadata.annotations?.['drydock.dev/note']).toBe('x')
    const wrong = await refused(
      patch([
        { op: 'replace', path: '/spec/replicas', value: 5 },
        { op: 'test', path: '/spec/clusterName', value: 'another' },
      ]),
    )
    expect(wrong.status).toMatchObject({ code: 422, reason: 'Invalid' })
    expect((await refused(patch([{ op: 'remove', path: '/spec/nothing' }]))).code).toBe(422)
    expect((await admin.get(MD, name, ns)).spec?.replicas).toBe(4)
  })

  test('apply owns what it names, conflicts with others, and takes by force', async () => {
    const { name } = (await make()).metadata
    const config = (spec: JsonObject) => ({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
      metadata: { name, namespace: ns },
      spec,
    })
    const apply = (manager: string, spec: JsonObject, force = false) =>
      writeAs(
        cluster.adminKubeconfig,
        'PATCH',
        `${path(name)}?fieldManager=${manager}${force ? '&force=true' : ''}`,
        config(spec),
        'application/apply-patch+yaml',
      )
    const conflict = await apply('gitops', { replicas: 5 })
    expect(conflict).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "drydock" using cluster.x-k8s.io/v1beta2: .spec.replicas',
    })
    expect((conflict.object as unknown as { details: JsonObject }).details).toEqual({
      causes: [
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "drydock" using cluster.x-k8s.io/v1beta2',
          field: '.spec.replicas',
        },
      ],
    })
    const forced = await apply('gitops', { replicas: 5, deletion: { order: 'Oldest' } }, true)
    expect(forced).toMatchObject({ code: 200, object: { spec: { replicas: 5, deletion: { order: 'Oldest' } } } })
    const version = forced.object.metadata.resourceVersion
    const again = await apply('gitops', { replicas: 5, deletion: { order: 'Oldest' } })
    expect(again.object.spec).toEqual(forced.object.spec)
    expect(Number(again.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(version))
    const less = await apply('gitops', { replicas: 5 })
    expect(less.object.spec?.deletion).toBeUndefined()
    const back = await admin.patch(MD, name, ns, 'apply', config({ replicas: 6 }))
    expect(back.spec?.replicas).toBe(6)
    expect(back.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'drydock', operation: 'Apply' }),
    )
  })

  test('a finalizer keeps what is deleted until it is taken away', async () => {
    await configMap('kept', { finalizers: ['example.com/keep'] })
    await admin.delete(CONFIG_MAPS, 'kept', ns)
    const leaving = await admin.get(CONFIG_MAPS, 'kept', ns)
    expect(leaving.metadata.deletionTimestamp).toMatch(/Z$/)
    const late = await refused(
      admin.patch(CONFIG_MAPS, 'kept', ns, 'merge', {
        metadata: { finalizers: ['example.com/keep', 'example.com/b'] },
      }),
    )
    expect(late.status).toMatchObject({
      code: 422,
      message:
        'ConfigMap "kept" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/b"}',
    })
    expect(late.status.details?.causes?.[0]?.field).toBe('metadata.finalizers')
    await admin.patch(CONFIG_MAPS, 'kept', ns, 'merge', { metadata: { finalizers: null } })
    expect((await refused(admin.get(CONFIG_MAPS, 'kept', ns))).code).toBe(404)
  })

  test('lists choose by label and field, and come in pages of one moment', async () => {
    for (let i = 0; i < 5; i++) await configMap(`page-${i}`, { labels: { suite: 'pages', half: i < 3 ? 'a' : 'b' } })
    const labelled = (labelSelector: string) => admin.list(CONFIG_MAPS, ns, { labelSelector })
    expect(namesOf((await labelled('suite=pages,half in (a,c)')).items)).toEqual(['page-0', 'page-1', 'page-2'])
    expect(namesOf((await labelled('suite,half!=a')).items)).toEqual(['page-3', 'page-4'])
    expect(namesOf((await labelled('suite==pages,!half')).items)).toEqual([])
    const one = await admin.list(CONFIG_MAPS, ns, { fieldSelector: 'metadata.name=page-3' })
    expect(namesOf(one.items)).toEqual(['page-3'])

    const first = await admin.list(CONFIG_MAPS, ns, { labelSelector: 'suite=pages', limit: 2 })
    await configMap('page-1a', { labels: { suite: 'pages' } })
    const rest: string[] = []
    let next = first.continue
    while (next) {
      const page = await admin.list(CONFIG_MAPS, ns, { labelSelector: 'suite=pages', limit: 2, continue: next })
      expect(page.resourceVersion).toBe(first.resourceVersion)
      rest.push(...namesOf(page.items))
      next = page.continue
    }
    expect([...namesOf(first.items), ...rest]).toEqual([0, 1, 2, 3, 4].map((i) => `page-${i}`))
  })

  test('a list or a watch that cannot be is refused with a reason', async () => {
    const answer = async (query: string) => {
      const { text } = await raw(cluster.adminKubeconfig, 'GET', `${CLUSTER_API}/machinedeployments?${query}`)
      const { code, message, reason } = JSON.parse(
        text.split('\n')[0]!.startsWith('{"type"') ? statusIn(text) : text,
      ) as JsonObject
      return { code, reason, message }
    }
    expect(await answer('fieldSelector=spec.replicas%3D1')).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: 'field label not supported: spec.replicas',
    })
    expect(await answer('labelSelector=a%20b%20c')).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    })
    expect(await answer('limit=1&continue=abc')).toMatchObject({
      code: 400,
      message: expect.stringContaining('continue key is not valid') as string,
    })
    expect(await answer('resourceVersion=abc')).toMatchObject({
      code: 400,
      message:
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    })
    expect(await answer('resourceVersion=9999999999&resourceVersionMatch=NotOlderThan')).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: expect.stringMatching(/^Timeout: Too large resource version: 9999999999, current: \d+$/) as string,
    })
    expect(await answer('watch=true&resourceVersion=1')).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/) as string,
    })
  })

  test('scale is a resource of its own', async () => {
    const { name } = (await make()).metadata
    const before = await settle(name)
    const scale = { subresource: 'scale' }
    const scaled = await admin.patch(MD, name, ns, 'merge', { spec: { replicas: 3 } }, scale)
    expect(scaled).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 3 } })
    const after = await admin.get(MD, name, ns)
    expect(after.spec).toEqual({ ...before.spec, replicas: 3 })
    const bad = await refused(admin.patch(MD, name, ns, 'merge', { spec: { replicas: -1 } }, scale))
    expect(bad.status).toMatchObject({ code: 422, details: { causes: [{ field: '.spec.replicas' }] } })
  })
}

/** The Status in the ERROR line with which a watch ends. */
const statusIn = (text: string): string =>
  JSON.stringify((JSON.parse(text.split('\n')[0]!) as { object: JsonObject }).object)
