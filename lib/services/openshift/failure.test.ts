import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKubeClient } from '@/lib/kubernetes/client'
import { readKubeconfig } from '@/lib/kubernetes/kubeconfig'
import type { KubeClient } from '@/lib/kubernetes/types'
import { CONFIG_MAPS } from '@/lib/providers/openshift/gates'
import { startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { failureOf } from './failure'
import { gateKind } from './kinds/gate'
import { managedKind } from './kinds/managed'
import { CLUSTER_CONFIGURATION, skewKind } from './kinds/skew'

const rule = (verbs: string[], resource: string) => ({
  ...{ apiGroups: ['operator.openshift.io'], resources: [resource], verbs, resourceNames: ['cluster'] },
})
const USERS = {
  nobody: [],
  acks: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch'], resourceNames: ['admin-acks'] }],
  reader: [rule(['get'], 'machineconfigurations')],
  status: [rule(['get'], 'machineconfigurations'), rule(['get', 'patch'], 'machineconfigurations/status')],
  blind: [rule(['patch'], 'machineconfigurations')],
}
const target = skewKind.target(CLUSTER_CONFIGURATION)
const clients: KubeClient[] = []
let server: RunningApiServer
beforeAll(async () => {
  server = await startApiServer({
    ...{ families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet(), users: USERS },
  })
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await server?.stop()
})

async function sentenceFor(user: keyof typeof USERS): Promise<string> {
  const client = createKubeClient(readKubeconfig(server.users[user]!.kubeconfig).credentials!)
  clients.push(client)
  const { resource, name } = target
  const change = async () => {
    await client.get(resource, name)
    await client.patch(resource, name, undefined, 'merge', { spec: { bootImageSkewEnforcement: null } })
  }
  const error: unknown = await change().then(
    () => Promise.reject(new Error('was not refused')),
    (refused: unknown) => refused,
  )
  const failure = await failureOf(error, skewKind, target, client)
  expect(failure).toMatchObject({ code: 403, answer: expect.stringContaining('cannot') as string })
  return failure.sentence
}

test('no permission at all', async () => {
  expect(await sentenceFor('reader')).toBe(
    'Drydock may not change MachineConfiguration/cluster. Apply the RBAC that the page Clusters shows, then retry.',
  )
})

test('permission for the status, and not for the specification', async () => {
  expect(await sentenceFor('status')).toBe(
    'Drydock may change the status of machineconfigurations.operator.openshift.io but not the objects: to RBAC machineconfigurations/status is another resource, and what people decide is written to the object. Grant patch on machineconfigurations itself. Then retry.',
  )
})

test('permission to change, and not to read', async () => {
  expect(await sentenceFor('blind')).toBe(
    'Drydock may change machineconfigurations.operator.openshift.io but not read them. It changes nothing that it cannot read first: grant get, list and watch as well.',
  )
})

test('in the middle of several writes: where the whole stands, and as the button is called', async () => {
  const client = createKubeClient(readKubeconfig(server.users.reader!.kubeconfig).credentials!)
  clients.push(client)
  const error: unknown = await client
    .patch(target.resource, target.name, undefined, 'merge', {})
    .catch((e: unknown) => e)
  const stands = 'Of its 2 steps 1 was stored, and no more'
  expect((await failureOf(error, managedKind, target, client, stands)).sentence).toBe(
    `Drydock may not change MachineConfiguration/cluster. ${stands}. Apply the RBAC that the page Clusters shows, then go on.`,
  )
})

test('permission for nothing: what cannot be read first is said', async () => {
  expect(await sentenceFor('nobody')).toBe(
    'Drydock may not read machineconfigurations.operator.openshift.io cluster, and changes nothing of which it cannot read that first. Grant get on it, as in the RBAC that the page Clusters shows, then retry.',
  )
})

test('what a change answers to cannot be read: that is what is said, and not that nothing may be changed', async () => {
  const client = createKubeClient(readKubeconfig(server.users.acks!.kubeconfig).credentials!)
  clients.push(client)
  const gates = 'openshift-config-managed'
  const error: unknown = await client.get(CONFIG_MAPS, 'admin-gates', gates).catch((e: unknown) => e)
  expect(await failureOf(error, gateKind, gateKind.target('x'), client)).toMatchObject({
    ...{ code: 403, answer: expect.stringContaining('cannot get') as string },
    sentence: `Drydock may not read configmaps admin-gates in the namespace ${gates}, and changes nothing of which it cannot read that first. Grant get on it, as in the RBAC that the page Clusters shows, then retry.`,
  })
})
