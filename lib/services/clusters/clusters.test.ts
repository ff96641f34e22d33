import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { openShiftAccess } from '@/lib/domain/access/openshift'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftResources } from '@/sandbox/openshift'
import { ROLES, type Ctx, type Role } from '../context'
import type { ServiceError } from '../errors'
import { addCluster } from './add-cluster'
import { closeClients, kubeClientFor } from './connection'
import { getCluster } from './get-cluster'
import { inspectKubeconfig } from './inspect-kubeconfig'
import { listClusters } from './list-clusters'
import { rbacFor } from './rbac-for'
import { replaceCredentials } from './replace-credentials'
import { testConnection } from './test-connection'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const admin = as('admin')
let server: RunningApiServer
let poor: RunningApiServer
const more: RunningApiServer[] = []

beforeAll(async () => {
  const rules = rulesFromManifests(rbacManifest(['cluster-api', 'latch', 'gate']))
  server = await startApiServer({
    version: 'v1.36.3',
    families: ['cluster-api'],
    users: { drydock: rules, reader: rules.slice(0, 1) },
  })
  poor = await startApiServer({
    version: 'v1.29.0',
    families: ['openshift'],
    mutatingPolicies: null,
    users: { drydock: [] },
  })
})
afterAll(async () => {
  await closeClients()
  await Promise.all([server, poor, ...more].map((started) => started?.stop()))
})

const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const edited = (
  kubeconfig: string,
  edit: (config: {
    clusters: { cluster: Record<string, unknown> }[]
    users: { user: Record<string, unknown> }[]
  }) => void,
): string => {
  const config = parse(kubeconfig)
  edit(config)
  return stringify(config)
}

describe('before anything is saved', () => {
  test('says what it would keep, without the secret', async () => {
    const { kubeconfig } = server.users.drydock!
    const inspection = await inspectKubeconfig(admin, { kubeconfig })
    expect(inspection.acceptable).toBe(true)
    const { token } = parse(kubeconfig).users[0].user as { token: string }
    expect(JSON.stringify(inspection)).not.toContain(token)
  })

  test('finds versions, contracts, latch forms and permissions', async () => {
    const found = await testConnection(admin, { kubeconfig: server.users.drydock!.kubeconfig })
    expect(found).toMatchObject({
      kubernetes: 'v1.36.3',
      clusterApi: { apiVersion: 'v1beta2' },
      openshift: null,
      identity: { username: 'drydock' },
    })
    expect(found.latch).toEqual({ policy: 'v1', webhook: true, guard: true })
    expect(found.missingPermissions).toEqual([])
    expect(found.gates.inPlaceUpdates).toMatchObject({ state: 'unknown' })
  })

  test('names what is missing to a poorer identity', async () => {
    const found = await testConnection(admin, { kubeconfig: server.users.reader!.kubeconfig })
    expect(found.missingPermissions).toContainEqual(
      expect.objectContaining({
        verb: 'patch',
        group: 'controlplane.cluster.x-k8s.io',
        resource: 'kubeadmcontrolplanes',
      }),
    )
  })

  test('tells the roles of OpenShift apart, and a permission for status from one for the object', async () => {
    const rule = (verbs: string[], resource: string) => ({
      ...{ apiGroups: ['operator.openshift.io'], resources: [resource], verbs, resourceNames: ['cluster'] },
    })
    const read = rulesFromManifests(rbacManifest(['openshift']))
    const openshift = await startApiServer({
      families: ['openshift'],
      resources: openShiftResources(),
      users: {
        all: [...read, ...rulesFromManifests(openShiftWriteRbac())],
        reader: read,
        status: [...read, rule(['patch'], 'machineconfigurations/status')],
        blind: [rule(['patch'], 'machineconfigurations')],
      },
    })
    more.push(openshift)
    const missing = async (user: string) =>
      (await testConnection(admin, { kubeconfig: openshift.users[user]!.kubeconfig })).missingPermissions
    expect(await missing('all')).toEqual([])
    expect((await missing('reader')).map((m) => [m.part, m.verb, m.resource, m.namespace, m.statusOnly])).toEqual([
      ['openshift-write', 'patch', 'configmaps', 'openshift-config', undefined],
      ['openshift-write', 'patch', 'machineconfigpools', undefined, undefined],
      ['openshift-write', 'patch', 'machineconfigurations', undefined, undefined],
    ])
    const { latchOfPools } = await testConnection(admin, { kubeconfig: openshift.users.all!.kubeconfig })
    expect(latchOfPools).toContainEqual(
      expect.objectContaining({ verb: 'create', resource: 'validatingadmissionpolicies', part: 'openshift-latch' }),
    )
    expect(openShiftAccess(await missing('status')).join(' ')).toContain(
      'may change the status of machineconfigurations',
    )
    expect(openShiftAccess(await missing('blind')).join(' ')).toContain('but not read them')
  })

  test.each<[string, (kubeconfig: string) => string, string]>([
    ['a wrong token', (k) => edited(k, (c) => (c.users[0]!.user.token = 'wrong')), 'does not know these credentials'],
    [
      'another authority',
      (k) =>
        edited(
          k,
          (c) => (c.clusters[0]!.cluster['certificate-authority-data'] = Buffer.from(poor.caPem).toString('base64')),
        ),
      'The certificate of https://',
    ],
    [
      'a closed port',
      (k) => edited(k, (c) => (c.clusters[0]!.cluster.server = 'https://127.0.0.1:1')),
      'does not answer',
    ],
  ])('%s: one clear sentence with the answer below it', async (_name, change, sentence) => {
    const error = await failure(testConnection(admin, { kubeconfig: change(server.users.drydock!.kubeconfig) }))
    expect(error.message).toContain(sentence)
    expect(error.more.answer).toBeTruthy()
    expect(error.more.hint).toBeTruthy()
  })
})

describe('adding', () => {
  /** A cluster of its own: one cluster is connected once. */
  const another = async (): Promise<RunningApiServer> => {
    const rules = rulesFromManifests(rbacManifest(['cluster-api', 'latch', 'gate']))
    const users = { drydock: rules, reader: rules.slice(0, 1) }
    const started = await startApiServer({ version: 'v1.36.3', families: ['cluster-api'], users })
    more.push(started)
    return started
  }

  test('saves it sealed, audited, governed by nobody, and the client works', async () => {
    const { kubeconfig } = server.users.drydock!
    const { clusterId } = await addCluster(admin, { name: 'atlas', kubeconfig })
    const { token } = parse(kubeconfig).users[0].user as { token: string }
    const stored = await db().clusterCredential.findUniqueOrThrow({ where: { clusterId } })
    expect(Buffer.from(stored.sealed).includes(token)).toBe(false)
    expect(JSON.stringify([await getCluster(admin, { clusterId }), await listClusters(admin)])).not.toContain(token)
    expect(await db().auditEvent.findFirst({ where: { action: 'cluster.added', targetId: clusterId } })).toMatchObject({
      actorName: 'l.varga',
      result: 'ok',
    })
    expect((await getCluster(admin, { clusterId })).policy.governs).toBe('none')
    const client = await kubeClientFor(clusterId)
    expect(await client.raw('/version')).toMatchObject({ gitVersion: 'v1.36.3' })
    expect((await rbacFor(admin, { clusterId })).yaml).toContain('kind: User\n    name: drydock')
  })

  test('the same name again is a conflict, and nothing is left of it', async () => {
    const before = await db().auditEvent.count()
    const error = await failure(
      addCluster(admin, { name: 'atlas', kubeconfig: (await another()).users.drydock!.kubeconfig }),
    )
    expect(error).toMatchObject({ code: 'conflict', more: { fields: [{ field: 'name' }] } })
    expect(await db().auditEvent.count()).toBe(before)
  })

  test('the name of a cluster that was disconnected leads to connecting it again', async () => {
    const { drydock } = (await another()).users
    const { clusterId } = await addCluster(admin, { name: 'left', kubeconfig: drydock!.kubeconfig })
    await db().clusterCredential.delete({ where: { clusterId } })
    await db().managementCluster.update({ where: { id: clusterId }, data: { state: 'disconnected' } })
    const other = (await another()).users.drydock!.kubeconfig
    const error = await failure(addCluster(admin, { name: 'left', kubeconfig: other }))
    expect(error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('left belongs to a cluster that was disconnected') as string,
      more: { hint: expect.stringContaining('Connect again') as string, fields: [{ field: 'name' }] },
    })
    // Under another name the policies that name it would be for it no more.
    const select = { clusters: ['left'] }
    const waves = [{ name: 'canary', select }, { name: 'others' }]
    for (const spec of [
      { select, approvals: 2 },
      { select: {}, waves },
    ]) {
      const { id } = await db().rolloutPolicy.create({ data: { name: 'careful', spec } })
      expect(await failure(addCluster(admin, { name: 'right', kubeconfig: drydock!.kubeconfig }))).toMatchObject({
        code: 'conflict',
        message: 'This cluster was connected before, as left, and policies name it so: careful.',
        more: { hint: expect.stringContaining('Connect again') as string, fields: [{ field: 'kubeconfig' }] },
      })
      await db().rolloutPolicy.delete({ where: { id } })
    }
    await replaceCredentials(admin, { clusterId, kubeconfig: drydock!.kubeconfig })
    expect(await getCluster(admin, { clusterId })).toMatchObject({ connected: true, state: 'pending' })
  })

  test.each(['', 'Has Capitals', '-x', 'a'.repeat(64)])('refuses the name %j', async (name) => {
    expect(await failure(addCluster(admin, { name, kubeconfig: 'x' }))).toMatchObject({
      code: 'invalid',
      more: { fields: [{ field: 'name' }] },
    })
  })

  test('the same cluster again is a conflict, also by another address and with other credentials, and in a race', async () => {
    const { drydock, reader } = server.users
    const kubeconfig = drydock!.kubeconfig.replaceAll('127.0.0.1', 'localhost')
    // The reader may not read the uid: told by the address.
    for (const twice of [drydock!.kubeconfig, kubeconfig, reader!.kubeconfig])
      expect(await failure(addCluster(admin, { name: 'atlas-again', kubeconfig: twice }))).toMatchObject({
        ...{ code: 'conflict', message: 'This cluster is connected already, as atlas.' },
        more: { fields: [{ field: 'kubeconfig' }] },
      })
    const fresh = (await another()).users.drydock!.kubeconfig
    const raced = await Promise.allSettled(['one', 'two'].map((name) => addCluster(admin, { name, kubeconfig: fresh })))
    expect(raced.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    // Disconnected, it may be connected under a new name.
    const left = await db().managementCluster.findFirstOrThrow({ where: { name: { in: ['one', 'two'] } } })
    await db().clusterCredential.delete({ where: { clusterId: left.id } })
    await addCluster(admin, { name: 'three', kubeconfig: fresh })
  })

  test('other credentials for the same server, never for another one', async () => {
    const { users } = await another()
    const { clusterId } = await addCluster(admin, { name: 'second', kubeconfig: users.reader!.kubeconfig })
    await replaceCredentials(admin, { clusterId, kubeconfig: users.drydock!.kubeconfig })
    expect((await getCluster(admin, { clusterId })).identity).toBe('drydock')
    const said = () => db().auditEvent.findFirstOrThrow({ where: { clusterId }, orderBy: { id: 'desc' } })
    expect(await said()).toMatchObject({ action: 'cluster.credentials-replaced' })
    // Of one that had none, nothing is replaced.
    await db().clusterCredential.delete({ where: { clusterId } })
    await replaceCredentials(admin, { clusterId, kubeconfig: users.drydock!.kubeconfig })
    expect(await said()).toMatchObject({ action: 'cluster.connected-again', answer: 'as drydock' })
    expect(
      await failure(replaceCredentials(admin, { clusterId, kubeconfig: poor.users.admin!.kubeconfig })),
    ).toMatchObject({ code: 'conflict' })
  })

  test('the same cluster may have moved to another address', async () => {
    const own = (await another()).users.drydock!
    const { clusterId } = await addCluster(admin, { name: 'moved', kubeconfig: own.kubeconfig })
    const kubeconfig = own.kubeconfig.replaceAll('127.0.0.1', 'localhost')
    await replaceCredentials(admin, { clusterId, kubeconfig })
    expect((await getCluster(admin, { clusterId })).server).toContain('https://localhost:')
  })

  test('an unknown cluster has no client', async () => {
    expect(await failure(kubeClientFor('00000000-0000-4000-8000-000000000000'))).toMatchObject({ code: 'not-found' })
  })
})

describe('who may', () => {
  const verbs = { inspectKubeconfig, testConnection, addCluster, replaceCredentials }
  for (const role of ROLES.filter((r) => r !== 'admin')) {
    test.each(Object.entries(verbs))(`${role} may not %s`, async (_name, verb) => {
      expect(await failure(verb(as(role), {}))).toMatchObject({ code: 'forbidden' })
    })
  }
})
