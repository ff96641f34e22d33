import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { freePort } from '@/lib/free-port'
import { createKubeClient } from '@/lib/kubernetes/client'
import { discoverCapabilities } from '@/lib/kubernetes/discovery'
import { KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { makePki } from '../pki'
import type { TestCluster } from '../types'
import { clientOf, credentialsOf } from './as'
import { impersonating, NAMESPACES, refused } from './speaking'
import { MD } from './watching'

const RBAC = 'rbac.authorization.k8s.io'
const roles = (plural: string) => ({ group: RBAC, version: 'v1', plural })
const SSAR = { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews' }

/** What Drydock finds out about a cluster when it connects, and how a server refuses it. */
export function connectionSuite(open: () => Promise<TestCluster>): void {
  let cluster: TestCluster
  let drydock: KubeClient
  const opened: KubeClient[] = []
  const cleanup: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    cluster = await open()
    drydock = clientOf(cluster.kubeconfig)
    opened.push(drydock)
  })
  afterAll(async () => {
    for (const undo of cleanup) await undo()
    await Promise.all(opened.map((client) => client.close()))
    await cluster?.stop()
  })

  const connect = (more: Partial<ReturnType<typeof credentialsOf>>) => {
    const client = createKubeClient({ ...credentialsOf(cluster.kubeconfig), ...more })
    opened.push(client)
    return client
  }

  test('versions, contracts, identity and latch forms are found, and no permission is missing', async () => {
    const found = await discoverCapabilities(drydock)
    expect(found.missingPermissions).toEqual([])
    expect(found.kubernetes).toMatch(/^v1\.\d+\.\d+/)
    expect(found.clusterApi).toMatchObject({ apiVersion: 'v1beta2', served: ['v1beta2', 'v1beta1'] })
    expect(found.clusterApi?.contracts).toEqual(['v1beta2', 'v1beta1'])
    expect(found.identity).toEqual({ username: 'drydock', groups: ['system:authenticated'] })
    expect(found.latch).toEqual({ policy: 'v1', webhook: true, guard: true })
    expect(found.resources).toMatchObject({
      'clusters.cluster.x-k8s.io': 'v1beta2',
      'machines.cluster.x-k8s.io': 'v1beta2',
      'machinedeployments.cluster.x-k8s.io': 'v1beta2',
      'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io': 'v1beta2',
      'kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io': 'v1beta2',
      'extensionconfigs.runtime.cluster.x-k8s.io': 'v1beta2',
      'mutatingadmissionpolicies.admissionregistration.k8s.io': 'v1',
    })
  })

  test('with fewer rights exactly those that are missing are named', async () => {
    const name = `fewer-${randomBytes(4).toString('hex')}`
    const objects = rbacManifest(['cluster-api', 'latch', 'gate'], { kind: 'User', name })
    for (const object of objects) {
      const kind = String(object.kind)
      const { namespace } = object.metadata as { namespace?: string }
      const made: JsonObject = { ...object, metadata: { name, ...(namespace ? { namespace } : {}) } }
      if (kind.endsWith('Binding')) made.roleRef = { ...(object.roleRef as JsonObject), name }
      if (kind === 'ClusterRole') made.rules = (object.rules as JsonObject[]).flatMap(withoutPatchOfMachineDeployments)
      const resource = roles(`${kind.toLowerCase()}s`)
      if (namespace) await cluster.admin.patch(NAMESPACES, namespace, undefined, 'apply', namespaceOf(namespace))
      await cluster.admin.create(resource, made, namespace)
      cleanup.push(() => cluster.admin.delete(resource, name, namespace))
    }
    const found = await discoverCapabilities(impersonating(cluster.admin, name))
    expect(found.identity.username).toBe(name)
    const missing = found.missingPermissions.filter((m) => !m.part?.startsWith('openshift') && m.group !== '')
    expect(missing).toEqual([
      {
        verb: 'patch',
        group: 'cluster.x-k8s.io',
        resource: 'machinedeployments',
        part: 'latch',
        why: 'to release, reject and re-latch a held MachineDeployment',
      },
    ])
  })

  test('a wrong token is not let in', async () => {
    const error = await refused(connect({ token: randomBytes(16).toString('hex') }).list(MD, undefined))
    expect(error).toMatchObject({ code: 401, status: { reason: 'Unauthorized', message: 'Unauthorized' } })
    const nobody = await refused(connect({ token: undefined }).list(MD, undefined))
    expect([401, 403]).toContain(nobody.code)
  })

  test('a missing permission is said in the server’s own words', async () => {
    const ns = await cluster.namespace()
    const named = await refused(drydock.delete(MD, 'one', ns))
    expect(named.status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `machinedeployments.cluster.x-k8s.io "one" is forbidden: User "drydock" cannot delete resource "machinedeployments" in API group "cluster.x-k8s.io" in the namespace "${ns}"`,
      details: { name: 'one', group: 'cluster.x-k8s.io', kind: 'machinedeployments' },
    })
    const secrets = await refused(drydock.list({ group: '', version: 'v1', plural: 'secrets' }, undefined))
    expect(secrets.status.message).toBe(
      'secrets is forbidden: User "drydock" cannot list resource "secrets" in API group "" at the cluster scope',
    )
    expect(secrets.status.details).toEqual({ kind: 'secrets' })
    const status = await refused(drydock.patch(MD, 'one', ns, 'merge', { status: {} }, { subresource: 'status' }))
    expect(status.status.message).toContain('cannot patch resource "machinedeployments/status" in API group')
  })

  test('a review answers by name', async () => {
    const ask = async (resource: string, verb: string, name?: string) => {
      const attributes = { group: 'admissionregistration.k8s.io', resource, verb, ...(name ? { name } : {}) }
      const answer = await drydock.review(SSAR, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: attributes },
      })
      return (answer.status as { allowed: boolean }).allowed
    }
    expect(await ask('mutatingadmissionpolicies', 'patch', 'drydock-machinedeployments')).toBe(true)
    expect(await ask('mutatingadmissionpolicies', 'patch', 'somebody-elses')).toBe(false)
    expect(await ask('mutatingadmissionpolicies', 'patch')).toBe(false)
    expect(await ask('mutatingadmissionpolicies', 'create')).toBe(true)
  })

  test('another authority, nobody listening and an unknown host are told apart', async () => {
    const { caPem } = await makePki()
    const sentence = async (client: KubeClient) => {
      const error: unknown = await client.raw('/version').catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(KubeUnreachable)
      return (error as Error).message
    }
    expect(await sentence(connect({ caPem }))).toContain('authority that the kubeconfig does not name')
    expect(await sentence(connect({ server: `https://127.0.0.1:${await freePort()}` }))).toContain('Nothing listens')
    expect(await sentence(connect({ server: 'https://nowhere.invalid:6443' }))).toMatch(/The name of the server/)
  })
}

const namespaceOf = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

function withoutPatchOfMachineDeployments(rule: JsonObject): JsonObject[] {
  const { resources, verbs } = rule as { resources: string[]; verbs: string[] }
  return resources.includes('machinedeployments') && verbs.includes('patch') ? [] : [rule]
}
