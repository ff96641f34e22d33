import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ALL_THE_SAME } from '@/lib/domain/disconnect'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { KubeUnreachable, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { as, failure, latchedCluster } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { CLOSED, FROZEN } from '@/testenv/timed'
import { startGate, type Gate } from '@/worker/gate'
import { registerGate } from '../gate/register-gate'
import { savePolicy } from '../policies/save-policy'
import { kubeClientFor } from './connection'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

useTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir
const admin = as('admin')
const at = latchedCluster()
let gate: Gate
/** Not governed: only the gate's answers hold it. */
let namespace: string
let group: string

beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  await registerGate(admin, { clusterId: at.clusterId, url: gate.url })
  namespace = await at.cluster.namespace()
  const made = await at.cluster.workloadCluster({
    ...{ namespace, name: 'loose', version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  group = `MachineDeployment ${namespace}/${made.machineDeployment}`
})
afterEach(async () => {
  await db().change.deleteMany()
  await wants({ template: { spec: { version: 'v1.34.0' } }, rollout: { after: null } })
})
afterAll(async () => {
  await gate?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const wants = (spec: object) => at.cluster.admin.patch(MD, 'loose-md', namespace, 'merge', { spec: spec as never })
const bump = (version: string) => wants({ template: { spec: { version } } })
const digestOf = (object: KubeObject) => rolloutDigest({ ...object, kind: 'MachineDeployment' })!
const plan = () => planDisconnect(admin, { clusterId: at.clusterId })
const disconnect = (more: object = {}) =>
  failure(disconnectCluster(admin, { clusterId: at.clusterId, confirm: 'm', ...more }))

/** What replaces by somebody's approval, as the planner and whoever applied it leave it. */
async function replacing(live: KubeObject): Promise<string> {
  const { uid, resourceVersion } = live.metadata
  const { id } = await db().change.create({
    data: {
      ...{ clusterId: at.clusterId, groupId: uid, groupKind: 'MachineDeployment', namespace, groupName: 'loose-md' },
      ...{ workloadCluster: 'loose', fingerprint: 'f', digest: digestOf(live), state: 'running', summary: '' },
      ...{ changeSet: {}, outlook: {}, heldBy: 'none', resourceVersion, machines: 1 },
    },
  })
  await decided(id)
  return id
}
const decided = (changeId: string, more: object = {}) =>
  db().decision.create({
    data: {
      ...{ changeId, fingerprint: 'f', mode: 'replace', state: 'accepted', actorId: 'a', actorName: 'Ada', ...more },
    },
  })

test('something else is wanted than what replaces already: only the gate holds that, and it is named', async () => {
  await replacing(await bump('v1.34.1'))
  expect(await plan()).toMatchObject({ wouldMove: [], goesOn: [group] })
  const now = await bump('v1.34.9')
  const why = 'Only the gate’s answers hold it: without them its machines are replaced.'
  expect(await plan()).toMatchObject({ wouldMove: [{ group, why, digest: digestOf(now) }], goesOn: [] })
  expect(await disconnect()).toMatchObject({ code: 'conflict', message: `A group would move: ${group}. ${why}` })
})

test('also where it is wanted from a date on that lies ahead; not where nothing is wanted any more', async () => {
  await replacing(await bump('v1.34.1'))
  const after = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '')
  await wants({ template: { spec: { version: 'v1.34.0' } }, rollout: { after } })
  expect(await plan()).toMatchObject({ wouldMove: [{ group }], goesOn: [] })
  await wants({ rollout: { after: null } })
  expect(await plan()).toMatchObject({ wouldMove: [], goesOn: [] })
})

test('its window has closed, and it is not held yet: it is to stand still, and nobody holds it without Drydock', async () => {
  const id = await replacing(await bump('v1.34.1'))
  await db().decision.updateMany({ data: { awaitsTime: true } })
  expect(await plan()).toMatchObject({
    ...{ goesOn: [], wouldMove: [{ group, why: expect.stringContaining('is not held yet') as string }] },
  })
  expect((await disconnect()).code).toBe('conflict')
  // The newest that let it go says what is so.
  await decided(id)
  expect(await plan()).toMatchObject({ wouldMove: [], goesOn: [group] })
})

test.each([FROZEN, CLOSED])('so by its rules alone, where no worker marked it: %o', async (rules) => {
  const id = await replacing(await bump('v1.34.1'))
  const made = await savePolicy(admin, { name: 'nights', spec: { select: { names: ['loose-md'] }, ...rules } })
  const still = { group, why: expect.stringContaining('is not held yet') as string }
  expect(await plan()).toMatchObject({ goesOn: [], wouldMove: [still] })
  // Whoever overrode its times let it go on.
  await db().change.update({ where: { id }, data: { overrideAt: new Date() } })
  expect(await plan()).toMatchObject({ wouldMove: [], goesOn: [group] })
  // What the rules say now nobody knows.
  await db().change.update({ where: { id }, data: { overrideAt: null } })
  await db().rolloutPolicy.update({ where: { id: made.id }, data: { spec: 'x' } })
  expect(await plan()).toMatchObject({ goesOn: [], wouldMove: [still] })
  await db().rolloutPolicy.deleteMany()
})

test('agreed to is what was seen to wait there: something else that came meanwhile is not', async () => {
  const first = await bump('v1.34.1')
  const { wouldMove } = await plan()
  expect(wouldMove).toMatchObject([{ group, digest: digestOf(first) }])
  const agreed = { allTheSame: ALL_THE_SAME, moves: wouldMove }
  await bump('v1.34.9')
  const other = { code: 'conflict', message: expect.stringContaining('Something else waits there now') as string }
  expect(await disconnect(agreed)).toMatchObject(other)
  expect(await db().auditEvent.count({ where: { action: 'cluster.disconnect' } })).toBe(0)

  // Between both looks as well.
  await bump('v1.34.1')
  const client = await kubeClientFor(at.clusterId)
  const list: KubeClient['list'] = client.list
  let looks = 0
  client.list = async (resource, ...rest) => {
    if (resource.plural === MD.plural && ++looks === 2) await bump('v1.34.9')
    return list(resource, ...rest)
  }
  expect(await disconnect(agreed)).toMatchObject(other)
  client.list = list

  // What was seen is what goes: as far as the API server.
  await bump('v1.34.1')
  const remove: KubeClient['delete'] = client.delete
  client.delete = () => Promise.reject(new KubeUnreachable('not now', 'DELETE'))
  expect((await disconnect(agreed)).code).toBe('unavailable')
  client.delete = remove
})
