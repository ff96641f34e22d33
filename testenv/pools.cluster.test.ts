import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { isHeld } from '@/lib/domain/latch/hold'
import { HELD, POOL_PAUSED } from '@/lib/domain/latch/names'
import type { Holds, LatchForm } from '@/lib/domain/latch/parts'
import { openShiftLatchRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { isOfPools, latchManifests } from '@/lib/domain/latch/manifests'
import { findLatchObjects, resourceOf } from '@/lib/services/latch/resources'
import { POOLS } from '@/lib/providers/openshift/pools'
import { handleLatchReview } from '@/worker/latch-webhook'
import { makePki, type Pki } from './pki'
import { until } from './process'
import { impersonating, refused } from './suites/speaking'
import { refusal } from './suites/watching'
import { startTestenv, type RunningTestenv } from './up'

// The CRD of OpenShift on a real API server; who writes stands in for its operator.
let testenv: RunningTestenv
let pki: Pki
let server: Server
let url: string

beforeAll(async () => {
  testenv = await startTestenv({ bare: true, openshift: true })
  pki = await makePki()
  server = createServer({ cert: pki.certPem, key: pki.keyPem }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () =>
      response.end(JSON.stringify(handleLatchReview(JSON.parse(Buffer.concat(chunks).toString())))),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/latch`
})
afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await testenv?.stop()
})

const nameOf = (object: JsonObject) => (object.metadata as { name: string }).name
const objects = (form: LatchForm, holds: Holds = { clusterApi: false, pools: true }) =>
  latchManifests({
    ...{ governs: 'all', form, identity: 'drydock', breakGlassGroup: 'drydock:break-glass' },
    ...{
      holds,
      webhook: { url, caBundle: Buffer.from(pki.caPem).toString('base64') },
    },
  })
const apply = async (form: LatchForm) => {
  for (const object of objects(form))
    await testenv.admin.patch(
      resourceOf(object as { apiVersion: unknown; kind: unknown }),
      nameOf(object),
      undefined,
      'apply',
      object,
    )
}
const remove = async (form: LatchForm) => {
  for (const object of objects(form))
    await testenv.admin.delete(resourceOf(object as { apiVersion: unknown; kind: unknown }), nameOf(object))
}
const make = (name: string) =>
  testenv.admin.create(POOLS, {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name },
    spec: { configuration: { name: 'rendered-a' }, machineConfigSelector: {}, nodeSelector: {}, paused: false },
  })
const point = (name: string, config: string, dryRun = false) =>
  testenv.admin.patch(POOLS, name, undefined, 'merge', { spec: { configuration: { name: config } } }, { dryRun })
const write = (name: string, body: JsonObject) => testenv.admin.patch(POOLS, name, undefined, 'merge', body)

test.each(['policy-v1', 'webhook'] as const)(
  'by %s a pool is paused in the write that brings another config',
  async (form) => {
    const [name, config] = [`worker-${form === 'webhook' ? 'w' : 'p'}`, `rendered-b-${form === 'webhook' ? 'w' : 'p'}`]
    await make(name)
    if (form === 'webhook') await make('master')
    await apply(form)
    await until('the latch to be in force', async () => isHeld(await point(name, 'rendered-trial', true)))
    const held = await point(name, config)
    expect(held.spec).toMatchObject({ paused: true, configuration: { name: config } })
    expect(held.metadata.annotations).toMatchObject({
      [HELD]: `Waiting for approval in Drydock: to ${config}`,
      [POOL_PAUSED]: 'drydock',
    })
    if (form === 'webhook') expect((await point('master', config)).spec).toMatchObject({ paused: false })
    const resume = { spec: { paused: false } }
    await until('the guard to be in force', async () => (await refusal(write(name, resume))).code !== 200)
    expect((await refusal(write(name, resume))).message).toContain('only Drydock may resume it')
    expect((await refusal(write(name, { metadata: { annotations: { [HELD]: null } } }))).code).not.toBe(200)
    expect((await write(name, { spec: { maxUnavailable: 2 } })).spec).toMatchObject({ paused: true, maxUnavailable: 2 })
    await remove(form)
  },
)

const RBAC = 'rbac.authorization.k8s.io'
const grant = async (user: string, objects: JsonObject[]) => {
  for (const object of objects) {
    const resource = { group: RBAC, version: 'v1', plural: `${String(object.kind).toLowerCase()}s` }
    const made: JsonObject = { ...object, metadata: { name: user } }
    if (object.roleRef) made.roleRef = { ...(object.roleRef as JsonObject), name: user }
    await testenv.admin.patch(resource, user, undefined, 'apply', made)
  }
  return impersonating(testenv.admin, user)
}
const kind = (object: JsonObject) => resourceOf(object as { apiVersion: unknown; kind: unknown })

test.each(['policy-v1', 'webhook'] as const)(
  'the role for the latch of pools is enough to make it, see it and take it away, by %s; that of Cluster API alone is not',
  async (form) => {
    const pools = await grant('pools-alone', openShiftLatchRbac({ kind: 'User', name: 'pools-alone' }))
    const other = await grant('cluster-api-alone', rbacManifest(['latch'], { kind: 'User', name: 'cluster-api-alone' }))
    const made = objects(form)
    await until('the role to be in force', () =>
      findLatchObjects(pools, 'v1').then(
        () => true,
        () => false,
      ),
    )
    for (const object of made) await pools.patch(kind(object), nameOf(object), undefined, 'apply', object)
    expect((await findLatchObjects(pools, 'v1')).map(({ metadata }) => metadata.name).sort()).toEqual(
      made.map(nameOf).sort(),
    )
    for (const object of made) await pools.delete(kind(object), nameOf(object))

    // What is of Cluster API comes first, and is whole before the part of pools is refused.
    const both = objects(form, { clusterApi: true, pools: true })
    const own = both.filter((object) => !isOfPools(object))
    expect(both.slice(0, own.length)).toEqual(own)
    for (const object of own) await other.patch(kind(object), nameOf(object), undefined, 'apply', object)
    for (const object of both.slice(own.length)) {
      const { code } = await refused(other.patch(kind(object), nameOf(object), undefined, 'apply', object))
      expect([nameOf(object), code]).toEqual([nameOf(object), 403])
    }
    for (const object of own) await other.delete(kind(object), nameOf(object))
  },
)
