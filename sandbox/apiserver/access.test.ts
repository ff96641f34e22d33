import { afterEach, beforeEach, expect, it } from 'vitest'
import { machineDeployment, MDS, startTestServer } from './testing/client'

let t: Awaited<ReturnType<typeof startTestServer>>
beforeEach(async () => {
  t = await startTestServer({
    users: {
      drydock: [
        {
          apiGroups: ['cluster.x-k8s.io'],
          resources: ['machinedeployments'],
          verbs: ['get', 'list', 'watch', 'patch'],
        },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['images'], namespace: 'fleet' },
        { apiGroups: [''], resources: ['groups', 'users'], verbs: ['impersonate'], resourceNames: ['alice', 'ops'] },
      ],
    },
  })
  await t.call('POST', MDS, machineDeployment('md'))
})
afterEach(() => t.stop())

const may = async (resourceAttributes: object, headers = t.as('drydock')) => {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  const { code, body } = await t.call('POST', path, { spec: { resourceAttributes } }, 'body', headers)
  expect(code).toBe(201)
  return (body.status as { allowed: boolean }).allowed
}

it('knows callers by their token only', async () => {
  const bad = await t.call('GET', MDS, undefined, 'merge', { authorization: 'Bearer nonsense' })
  expect(bad.body).toMatchObject({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
  const review = await t.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, 'body', t.as('drydock'))
  expect(review.body.status).toEqual({ userInfo: { username: 'drydock', groups: ['system:authenticated'] } })
})

it('grants what the rules grant, names and namespaces included', async () => {
  expect(await may({ verb: 'patch', group: 'cluster.x-k8s.io', resource: 'machinedeployments' })).toBe(true)
  expect(await may({ verb: 'delete', group: 'cluster.x-k8s.io', resource: 'machinedeployments' })).toBe(false)
  const images = { verb: 'get', resource: 'configmaps', namespace: 'fleet' }
  expect([
    await may(images),
    await may({ ...images, name: 'images' }),
    await may({ ...images, name: 'images', namespace: 'default' }),
  ]).toEqual([false, true, false])
  const refused = await t.call('DELETE', `${MDS}/md`, undefined, 'merge', t.as('drydock'))
  expect(refused.body).toMatchObject({
    code: 403,
    reason: 'Forbidden',
    message:
      'machinedeployments.cluster.x-k8s.io "md" is forbidden: User "drydock" cannot delete resource "machinedeployments" in API group "cluster.x-k8s.io" in the namespace "fleet"',
  })
  expect((await t.call('PATCH', `${MDS}/md?dryRun=All`, {}, 'merge', t.as('drydock'))).code).toBe(200)
})

it('lets those impersonate who may', async () => {
  const as = { ...t.as('drydock'), 'impersonate-user': 'alice', 'impersonate-group': 'ops' }
  const review = await t.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, 'body', as)
  expect(review.body.status).toEqual({ userInfo: { username: 'alice', groups: ['ops', 'system:authenticated'] } })
  const root = await t.call('GET', MDS, undefined, 'merge', { ...as, 'impersonate-group': 'system:masters' })
  expect(root.body.message).toBe(
    'groups "system:masters" is forbidden: User "drydock" cannot impersonate resource "groups" in API group "" at the cluster scope',
  )
})

it('honours roles and bindings written to the server', async () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const list = { verb: 'list', group: 'cluster.x-k8s.io', resource: 'machines' }
  expect(await may(list)).toBe(false)
  await t.call('POST', `${rbac}/clusterroles`, {
    metadata: { name: 'r' },
    rules: [{ apiGroups: ['*'], resources: ['machines'], verbs: ['list'] }],
  })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' }
  await t.call('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'b' },
    roleRef,
    subjects: [{ kind: 'User', name: 'drydock' }],
  })
  expect(await may(list)).toBe(true)
})
