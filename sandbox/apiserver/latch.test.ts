import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { controlPlane, KCPS, machineDeployment, MDS, startTestServer } from './testing/client'
import { guard, latchFor, pathOf } from './testing/latch'

let t: Awaited<ReturnType<typeof startTestServer>>

beforeEach(async () => {
  t = await startTestServer({
    users: { drydock: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'patch'] }] },
  })
  for (const object of [...latchFor('machinedeployments'), ...latchFor('kubeadmcontrolplanes'), ...guard])
    expect((await t.call('POST', pathOf(String(object.kind)), object)).code).toBe(201)
  expect((await t.call('POST', MDS, machineDeployment('md'))).code).toBe(201)
})
afterEach(() => t.stop())

const PAUSED = 'cluster.x-k8s.io/paused'
const annotations = (body: { metadata: Record<string, unknown> }) =>
  (body.metadata.annotations ?? {}) as Record<string, string>
const upgrade = (version: string) => ({ spec: { template: { spec: { version } } } })
const release = (resourceVersion?: string) => ({
  metadata: {
    annotations: { [PAUSED]: null, 'drydock.dev/held': null },
    ...(resourceVersion ? { resourceVersion } : {}),
  },
})

describe('the latch', () => {
  it('pauses in the same write, and leaves other writes alone', async () => {
    const scaled = await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 4 }, metadata: { labels: { a: 'b' } } })
    expect(annotations(scaled.body)).toEqual({})
    const held = await t.call('PATCH', `${MDS}/md`, upgrade('v1.34.1'))
    expect(held.code).toBe(200)
    expect(annotations(held.body)).toEqual({ [PAUSED]: 'drydock', 'drydock.dev/held': 'the template changes' })
    const again = await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 5 } })
    expect(annotations(again.body)[PAUSED]).toBe('drydock')
  })

  it('sees an optional field that appears, and one that stays as it is', async () => {
    const first = await t.call('PATCH', `${MDS}/md`, { spec: { rollout: { after: '2026-01-01T00:00:00Z' } } })
    expect(annotations(first.body)[PAUSED]).toBe('drydock')
    const released = await t.call('PATCH', `${MDS}/md`, release(), 'merge', t.as('drydock'))
    expect(annotations(released.body)).toEqual({})
    const same = await t.call('PATCH', `${MDS}/md`, {
      spec: { rollout: { after: '2026-01-01T00:00:00Z' }, replicas: 7 },
    })
    expect(annotations(same.body)).toEqual({})
  })

  it('catches every way of writing', async () => {
    const put = await t.call('GET', `${MDS}/md`)
    const spec = put.body.spec as { template: { spec: object } }
    const changed = {
      ...put.body,
      spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, version: 'v1.34.1' } } },
    }
    expect(annotations((await t.call('PUT', `${MDS}/md`, changed)).body)[PAUSED]).toBe('drydock')
    await t.call('PATCH', `${MDS}/md`, release(), 'merge', t.as('drydock'))
    const patched = await t.call(
      'PATCH',
      `${MDS}/md`,
      [{ op: 'replace', path: '/spec/template/spec/version', value: 'v1.34.2' }],
      'json',
    )
    expect(annotations(patched.body)[PAUSED]).toBe('drydock')
    await t.call('PATCH', `${MDS}/md`, release(), 'merge', t.as('drydock'))
    const config = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', ...upgrade('v1.34.3') }
    const applied = await t.call('PATCH', `${MDS}/md?fieldManager=flux&force=true`, config, 'apply')
    expect([applied.code, annotations(applied.body)[PAUSED]]).toEqual([200, 'drydock'])
    const same = await t.call('PATCH', `${MDS}/md?fieldManager=flux&force=true`, config, 'apply')
    expect(annotations(same.body)[PAUSED]).toBe('drydock')
    await t.call('PATCH', `${MDS}/md`, release(), 'merge', t.as('drydock'))
    const older = await t.call('PATCH', `${MDS.replace('v1beta2', 'v1beta1')}/md`, upgrade('v1.34.4'))
    expect([older.code, annotations(older.body)[PAUSED]]).toEqual([200, 'drydock'])
    const store = await t.server.store.merge(
      'machinedeployments.cluster.x-k8s.io',
      'fleet/md',
      { metadata: { labels: { x: 'y' } } },
      { user: 'system:serviceaccount:capi-system:capi-manager', fieldManager: 'manager' },
    )
    expect(store.metadata.annotations?.[PAUSED]).toBe('drydock')
  })

  it('holds what controllers write through the store', async () => {
    const as = { user: 'system:serviceaccount:capi-system:capi-manager', fieldManager: 'capi-topology' }
    const object = await t.server.store.merge('machinedeployments.cluster.x-k8s.io', 'fleet/md', upgrade('v1.34.1'), as)
    expect(object.metadata.annotations?.[PAUSED]).toBe('drydock')
  })

  it('lets only Drydock and the break-glass group release', async () => {
    await t.call('PATCH', `${MDS}/md`, upgrade('v1.34.1'))
    const refused = await t.call('PATCH', `${MDS}/md`, release())
    const text = `This update is held by Drydock; admin may not release it.`
    const why = `ValidatingAdmissionPolicy 'guard' with binding 'guard' denied request: ${text}`
    const message = `machinedeployments.cluster.x-k8s.io "md" is forbidden: ${why}`
    expect(refused.body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message,
      details: { causes: [{ message: why }] },
    })
    const dry = await t.call('PATCH', `${MDS}/md?dryRun=All`, release())
    expect(dry.code).toBe(422)
    const impersonated = await t.call('PATCH', `${MDS}/md?dryRun=All`, release(), 'merge', {
      'impersonate-user': 'somebody',
      'impersonate-group': 'break-glass',
    })
    expect(impersonated.code).toBe(403)
    const drydock = await t.call('PATCH', `${MDS}/md`, release(), 'merge', { 'impersonate-user': 'drydock' })
    expect([drydock.code, annotations(drydock.body)]).toEqual([200, {}])
  })

  it('refuses a release of what has changed since it was read, and latches a change while released', async () => {
    const held = await t.call('PATCH', `${MDS}/md`, upgrade('v1.34.1'))
    const read = String(held.body.metadata.resourceVersion)
    await t.call('PATCH', `${MDS}/md`, upgrade('v1.34.2'))
    const stale = await t.call('PATCH', `${MDS}/md`, release(read), 'merge', t.as('drydock'))
    expect(stale.body).toMatchObject({ code: 409, reason: 'Conflict' })
    await t.call('PATCH', `${MDS}/md`, release(), 'merge', t.as('drydock'))
    const again = await t.call('PATCH', `${MDS}/md`, upgrade('v1.34.3'))
    expect(annotations(again.body)[PAUSED]).toBe('drydock')
  })

  it('holds control planes', async () => {
    expect((await t.call('POST', KCPS, controlPlane('cp'))).code).toBe(201)
    const files = { spec: { kubeadmConfigSpec: { preKubeadmCommands: ['true'] } } }
    expect(annotations((await t.call('PATCH', `${KCPS}/cp`, files)).body)[PAUSED]).toBe('drydock')
  })

  it('refuses the write when an expression fails and the policy says Fail', async () => {
    const policy = latchFor('machinedeployments')[0] as { metadata: object; spec: object }
    const broken = {
      ...policy,
      metadata: { name: 'broken' },
      spec: { ...policy.spec, matchConditions: [{ name: 'x', expression: 'object.spec.nothing == 1' }] },
    }
    await t.call('POST', pathOf('MutatingAdmissionPolicy'), broken)
    const bind = (binding: object) =>
      t.call('POST', pathOf('MutatingAdmissionPolicyBinding'), {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicyBinding',
        ...binding,
      })
    await bind({
      metadata: { name: 'broken' },
      spec: { policyName: 'broken', matchResources: { objectSelector: { matchLabels: { governed: 'yes' } } } },
    })
    expect((await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 2 } })).code).toBe(200)
    const refused = await t.call('PATCH', `${MDS}/md`, { metadata: { labels: { governed: 'yes' } } })
    expect(refused.body).toMatchObject({ code: 422 })
    expect(refused.body.message).toContain(`MutatingAdmissionPolicy 'broken' with binding 'broken' denied request`)
  })
})
