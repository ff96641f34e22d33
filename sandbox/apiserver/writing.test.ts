import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { controlPlane, KCPS, machineDeployment, MDS, startTestServer } from './testing/client'

let t: Awaited<ReturnType<typeof startTestServer>>
beforeEach(async () => {
  t = await startTestServer()
  await t.call('POST', MDS, machineDeployment('md', { replicas: 2 }))
})
afterEach(() => t.stop())

const patch = (body: unknown, query = '') => t.call('PATCH', `${MDS}/md${query}`, body)
const read = async () => (await t.call('GET', `${MDS}/md`)).body

describe('versions', () => {
  it('change only with the object, generation only with its spec', async () => {
    const before = (await read()).metadata
    expect((await patch({ spec: { replicas: 2 } })).body.metadata).toEqual(before)
    const labelled = (await patch({ metadata: { labels: { a: 'b' } } })).body.metadata
    expect([labelled.generation, labelled.resourceVersion === before.resourceVersion]).toEqual([1, false])
    expect((await patch({ spec: { replicas: 3 } })).body.metadata.generation).toBe(2)
  })

  it('refuse a stale write with the words of the real server', async () => {
    const message =
      'Operation cannot be fulfilled on machinedeployments.cluster.x-k8s.io "md": the object has been modified; please apply your changes to the latest version and try again'
    expect((await patch({ metadata: { resourceVersion: '1' } })).body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message,
    })
    const old = await read()
    await patch({ spec: { replicas: 5 } })
    expect((await t.call('PUT', `${MDS}/md`, old)).body).toMatchObject({ code: 409 })
  })

  it('stay when it is a dry run, which answers as the write would', async () => {
    const before = await read()
    expect((await patch({ spec: { replicas: 7 } }, '?dryRun=All')).body).toMatchObject({ spec: { replicas: 7 } })
    expect(await read()).toEqual(before)
    expect((await patch({}, '?dryRun=Some')).code).toBe(422)
  })
})

describe('validation', () => {
  it('warns of unknown fields, drops them, or refuses them when strict', async () => {
    const loose = await patch({ spec: { bogus: 1 } })
    expect([loose.code, loose.warning]).toEqual([200, '299 - "unknown field \\"spec.bogus\\""'])
    expect(loose.text).not.toContain('bogus')
    const strict = await patch({ spec: { bogus: 1 } }, '?fieldValidation=Strict')
    expect(strict.code).toBe(422)
    expect(strict.body.message).toMatch(
      /^ "" is invalid: patch: .*strict decoding error: unknown field "spec\.bogus"$/s,
    )
    expect((await t.call('POST', `${MDS}?fieldValidation=Strict`, machineDeployment('x', { bogus: 1 }))).code).toBe(400)
    const applied = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', spec: { bogus: 1 } }
    expect((await t.call('PATCH', `${MDS}/md?fieldManager=a`, applied, 'apply')).code).toBe(500)
  })

  it.each([
    [{ rollout: { strategy: { type: 'Recreate' } } }, 'FieldValueNotSupported', 'spec.rollout.strategy.type'],
    [{ clusterName: null }, 'FieldValueRequired', 'spec.clusterName'],
    [
      { rollout: { strategy: { rollingUpdate: { maxSurge: 'x%' } } } },
      'FieldValueInvalid',
      'spec.rollout.strategy.rollingUpdate.maxSurge',
    ],
    [
      { rollout: { strategy: { rollingUpdate: { maxSurge: 0 } } } },
      'FieldValueInvalid',
      'spec.rollout.strategy.rollingUpdate',
    ],
    [{ template: { spec: { version: '1.34' } } }, 'FieldValueInvalid', 'spec.template.spec.version'],
  ])('refuses %j', async (spec, reason, field) => {
    const { body } = await patch({ spec })
    expect(body).toMatchObject({ code: 422, reason: 'Invalid', details: { causes: [{ reason, field }] } })
  })

  it('keeps control planes of one from scaling in', async () => {
    const rollout = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } }
    const one = await t.call('POST', KCPS, controlPlane('one', { replicas: 1, rollout }))
    expect(one.body.message).toContain('replica count needs to be at least 3')
    expect((await t.call('POST', KCPS, controlPlane('three', { rollout }))).code).toBe(201)
    expect((await t.call('PATCH', `${KCPS}/three`, { spec: { version: 'v1.36.0' } })).body.code).toBe(422)
  })

  it('refuses media types, kinds, names and namespaces that do not fit', async () => {
    const wrong = await t.call('PATCH', `${MDS}/md`, {}, 'body')
    expect(wrong.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' })
    expect((await t.call('POST', MDS, controlPlane('cp'))).code).toBe(400)
    expect((await t.call('POST', MDS, machineDeployment('Bad_Name'))).code).toBe(422)
    const elsewhere = await t.call('POST', MDS.replace('fleet', 'nowhere'), machineDeployment('md'))
    expect(elsewhere.body).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' })
    const failing = await t.call('PATCH', `${MDS}/md`, [{ op: 'test', path: '/spec/replicas', value: 9 }], 'json')
    expect(failing.body).toMatchObject({
      code: 422,
      message: 'the server rejected our request due to an error in our request',
    })
  })
})

describe('status', () => {
  it('is written only through its subresource, and alone', async () => {
    await patch({ status: { replicas: 1 } })
    expect((await read()).status).toBeUndefined()
    const { body } = await t.call('PATCH', `${MDS}/md/status`, { status: { replicas: 1 }, spec: { replicas: 9 } })
    expect(body).toMatchObject({ status: { replicas: 1 }, spec: { replicas: 2 }, metadata: { generation: 1 } })
  })
})

describe('deletion', () => {
  it('waits for finalizers', async () => {
    await patch({ metadata: { finalizers: ['a/b'] } })
    const asked = await t.call('DELETE', `${MDS}/md`)
    expect(asked.body.metadata.deletionTimestamp).toBeTypeOf('string')
    expect((await patch({ metadata: { finalizers: ['a/b', 'c/d'] } })).body).toMatchObject({ code: 422 })
    expect((await patch({ metadata: { finalizers: null } })).code).toBe(200)
    expect((await t.call('GET', `${MDS}/md`)).code).toBe(404)
  })

  it('honours preconditions', async () => {
    const refused = await t.call('DELETE', `${MDS}/md`, { preconditions: { uid: 'other' } })
    expect(refused.body.message).toContain('Precondition failed: UID in precondition: other')
    expect((await t.call('DELETE', `${MDS}/md`, {})).body).toMatchObject({ status: 'Success' })
  })
})

describe('server-side apply', () => {
  const apply = (manager: string, spec: object, query = '') =>
    t.call(
      'PATCH',
      `${MDS}/md?fieldManager=${manager}${query}`,
      { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', spec },
      'apply',
    )

  it('creates, owns, removes its own, and conflicts with others', async () => {
    const unnamed = await t.call(
      'PATCH',
      `${MDS}/md`,
      { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment' },
      'apply',
    )
    expect(unnamed.body.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    )
    const conflict = await apply('flux', { replicas: 9 })
    expect(conflict.body).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "tester" using cluster.x-k8s.io/v1beta2: .spec.replicas',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.replicas' }] },
    })
    expect((await apply('flux', { replicas: 2 })).code).toBe(200)
    const forced = await apply('flux', { replicas: 9, paused: true }, '&force=true')
    expect(forced.body).toMatchObject({ spec: { replicas: 9, paused: true } })
    const less = await apply('flux', { replicas: 9 })
    expect((less.body.spec as { paused?: boolean }).paused).toBeUndefined()
    expect((less.body.spec as { clusterName: string }).clusterName).toBe('c1')
    const before = (await read()).metadata.resourceVersion
    expect((await apply('flux', { replicas: 9 })).body.metadata.resourceVersion).toBe(before)
    const made = await t.call('PATCH', `${MDS}/new?fieldManager=flux`, machineDeployment('new'), 'apply')
    expect(made.code).toBe(201)
  })
})

describe('v1beta1', () => {
  it('shows and takes the same object in its own form', async () => {
    const OLD = MDS.replace('v1beta2', 'v1beta1')
    const old = await t.call('GET', `${OLD}/md`)
    expect(old.body).toMatchObject({
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      spec: {
        strategy: { type: 'RollingUpdate' },
        template: { spec: { infrastructureRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2' } } },
      },
    })
    const before = await read()
    expect((await t.call('PUT', `${OLD}/md`, old.body)).body.metadata).toEqual(before.metadata)
    await t.call('PATCH', `${OLD}/md`, {
      spec: { rolloutAfter: '2026-01-01T00:00:00Z', template: { spec: { nodeDrainTimeout: '1m5s' } } },
    })
    expect((await read()).spec).toMatchObject({
      rollout: { after: '2026-01-01T00:00:00Z', strategy: {} },
      template: { spec: { deletion: { nodeDrainTimeoutSeconds: 65 } } },
    })
    await t.call('POST', KCPS, controlPlane('cp'))
    const cp = await t.call('GET', `${KCPS.replace('v1beta2', 'v1beta1')}/cp`)
    expect(cp.body.spec).toMatchObject({
      machineTemplate: { infrastructureRef: { name: 'small' } },
      rolloutStrategy: {},
    })
  })
})
