import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { JsonObject } from '../../lib/domain/json'
import { machineDeployment, MDS, startTestServer } from './testing/client'
import { makeCertificate } from './tls'

let t: Awaited<ReturnType<typeof startTestServer>>
let hook: Server
let answer: JsonObject
let reviews: { request: { operation: string; userInfo: JsonObject; oldObject: JsonObject } }[]

const encode = (operations: object[]) => Buffer.from(JSON.stringify(operations)).toString('base64')

beforeEach(async () => {
  t = await startTestServer()
  reviews = []
  answer = {
    allowed: true,
    patchType: 'JSONPatch',
    patch: encode([{ op: 'add', path: '/metadata/annotations', value: { held: 'yes' } }]),
  }
  const { caPem, certPem, keyPem } = await makeCertificate()
  hook = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      reviews.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof reviews)[number])
      response.end(JSON.stringify({ response: answer }))
    })
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  const webhook = {
    name: 'latch.machinedeployments.drydock.dev',
    clientConfig: {
      url: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/latch`,
      caBundle: Buffer.from(caPem).toString('base64'),
    },
    rules: [
      {
        apiGroups: ['cluster.x-k8s.io'],
        apiVersions: ['v1beta2'],
        resources: ['machinedeployments'],
        operations: ['UPDATE'],
      },
    ],
    matchConditions: [{ name: 'rollout', expression: 'object.spec.template.spec != oldObject.spec.template.spec' }],
    namespaceSelector: { matchLabels: { governed: 'yes' } },
    failurePolicy: 'Fail',
    timeoutSeconds: 5,
  }
  await t.call('PATCH', '/api/v1/namespaces/fleet', { metadata: { labels: { governed: 'yes' } } })
  await t.call('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name: 'latch' },
    webhooks: [webhook],
  })
  await t.call('POST', MDS, machineDeployment('md'))
})
afterEach(async () => {
  hook.closeAllConnections()
  hook.close()
  await t.stop()
})

const upgrade = { spec: { template: { spec: { version: 'v1.34.1' } } } }

it('asks over HTTPS only where its conditions hold, and applies the patch in the same write', async () => {
  expect((await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 3 } })).body.metadata.annotations).toBeUndefined()
  expect(reviews).toHaveLength(0)
  const { body } = await t.call('PATCH', `${MDS}/md`, upgrade)
  expect(body).toMatchObject({
    metadata: { annotations: { held: 'yes' } },
    spec: { template: { spec: { version: 'v1.34.1' } } },
  })
  expect(reviews[0]).toMatchObject({
    request: { operation: 'UPDATE', userInfo: { username: 'admin' }, oldObject: { spec: { replicas: 3 } } },
  })
})

it('passes refusals on', async () => {
  answer = { allowed: false, status: { message: 'not today' } }
  const { body } = await t.call('PATCH', `${MDS}/md`, upgrade)
  expect(body).toMatchObject({
    code: 403,
    message: 'admission webhook "latch.machinedeployments.drydock.dev" denied the request: not today',
  })
})

it('refuses exactly the writes it covers while nobody answers', async () => {
  hook.closeAllConnections()
  await new Promise((resolve) => hook.close(resolve))
  const { body } = await t.call('PATCH', `${MDS}/md`, upgrade)
  expect(body).toMatchObject({ code: 500, reason: 'InternalError' })
  expect(body.message).toMatch(
    /^Internal error occurred: failed calling webhook "latch\.machinedeployments\.drydock\.dev": .*connection refused$/,
  )
  expect((await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 4 } })).code).toBe(200)
  await t.call('PATCH', '/api/v1/namespaces/fleet', { metadata: { labels: { governed: null } } })
  expect((await t.call('PATCH', `${MDS}/md`, upgrade)).code).toBe(200)
})

it('policies are asked about webhook configurations, and never about policies; webhooks about neither', async () => {
  const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
  const rule = (operations: string[], ...resources: string[]) => ({
    ...{ apiGroups: ['admissionregistration.k8s.io'], apiVersions: ['v1'], resources, operations },
  })
  const LATCH = `${ADMISSION}/mutatingwebhookconfigurations/latch`
  const { webhooks } = (await t.call('GET', LATCH)).body as unknown as { webhooks: JsonObject[] }
  const anything = { ...webhooks[0]!, rules: [rule(['*'], '*')], matchConditions: [] }
  expect((await t.call('PATCH', LATCH, { webhooks: [anything] })).code).toBe(200)
  const everything = [
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
  ]
  await t.call('POST', `${ADMISSION}/validatingadmissionpolicies`, {
    metadata: { name: 'guard' },
    spec: {
      matchConstraints: { resourceRules: [rule(['UPDATE', 'DELETE'], ...everything)] },
      validations: [{ expression: 'false', message: 'this is the latch', reason: 'Forbidden' }],
    },
  })
  await t.call('POST', `${ADMISSION}/validatingadmissionpolicybindings`, {
    metadata: { name: 'guard' },
    spec: { policyName: 'guard', validationActions: ['Deny'] },
  })
  const changed = { metadata: { labels: { a: 'b' } } }
  for (const method of ['PATCH', 'DELETE'] as const) {
    const refused = await t.call(method, LATCH, changed)
    expect(refused).toMatchObject({
      code: 403,
      body: { message: expect.stringContaining('this is the latch') as string },
    })
    const own = await t.call(method, `${ADMISSION}/validatingadmissionpolicies/guard`, changed)
    expect(own.code).toBe(200)
  }
  expect(reviews).toHaveLength(0)
})
