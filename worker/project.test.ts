import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { machine, machineDeployment } from '@/lib/providers/cluster-api/testing/objects'
import type { Governs } from '@/lib/db/read-model/watched'
import { OPENSHIFT_RESOURCES as R } from '@/lib/providers/openshift/rows'
import { Projector } from './project'

useTestDatabase()
const MACHINES = 'machines.cluster.x-k8s.io'

async function projectorOf(name: string) {
  const clusterId = randomUUID()
  await pool().query(`INSERT INTO management_cluster (id, name, server) VALUES ($1, $2, 'https://127.0.0.1:1')`, [
    clusterId,
    name,
  ])
  await pool().query(
    `INSERT INTO cluster_lease (cluster_id, owner, fence, until) VALUES ($1, 'me', 1, now() + interval '1 hour')`,
    [clusterId],
  )
  const failures: unknown[] = []
  const projector = new Projector({
    pool: pool(),
    fence: { clusterId, owner: 'me', fence: 1n },
    ...{ name, intervalMs: 50 },
    lost: () => failures.push('lost'),
    failed: (error) => failures.push(error),
  })
  return { clusterId, projector, failures }
}

test('a plan that is at work as its cluster is left sees what was there', async () => {
  const { projector } = await projectorOf('left')
  const object = { ...machine({ name: 'set' }), kind: 'MachineSet' }
  void projector.upsert('machinesets.cluster.x-k8s.io', true, object, Date.now())
  const sets = projector.objects('machinesets.cluster.x-k8s.io')
  projector.stop()
  expect([...sets.values()]).toHaveLength(1)
  expect([...projector.objects('machinesets.cluster.x-k8s.io').values()]).toHaveLength(1)
})

test('what is created while the first list is being written stays', async () => {
  const { projector, failures } = await projectorOf('mc')
  const uids: string[] = []
  const put = (name: string) => {
    const object = machine({ name })
    object.metadata.uid = randomUUID()
    uids.push(object.metadata.uid)
    void projector.upsert(MACHINES, false, object, Date.now())
  }
  put('listed')
  const pruned = projector.prune(MACHINES, () => [...uids])
  put('created meanwhile')
  await pruned
  await projector.flushed()
  const { rows } = await pool().query<{ name: string }>('SELECT name FROM machine ORDER BY name')
  expect(rows.map((row) => row.name)).toEqual(['created meanwhile', 'listed'])
  expect(failures).toEqual([])
  // And what is not known is pruned.
  await projector.prune(MACHINES, () => [uids[1]!])
  expect((await pool().query('SELECT name FROM machine')).rows).toEqual([{ name: 'created meanwhile' }])
  projector.stop()
})

test('an Infrastructure that is heard last gives its name to all that was heard before it', async () => {
  const { clusterId, projector, failures } = await projectorOf('tidal')
  const put = (resource: string, kind: string, name: string, more: object = {}) => {
    const [, group] = /\.(.*)$/.exec(resource)!
    const metadata = { name, uid: randomUUID(), resourceVersion: '1', creationTimestamp: new Date().toISOString() }
    const object = { apiVersion: `${group}/v1`, kind, spec: {}, status: {}, ...more }
    const namespace = resource.includes('.machine.') ? { namespace: 'openshift-machine-api' } : {}
    const keep = !resource.startsWith('machines.')
    void projector.upsert(resource, keep, { ...object, metadata: { ...metadata, ...namespace } }, Date.now())
  }
  put(R.pools, 'MachineConfigPool', 'gpu')
  put(R.machineSets, 'MachineSet', 'a')
  put(R.controlPlanes, 'ControlPlaneMachineSet', 'cluster')
  put(R.machines, 'Machine', 'a-1', { status: { phase: 'Running' } })
  await projector.flushed()
  const names = async (table: string) =>
    (
      await pool().query<{ name: string }>(
        `SELECT DISTINCT workload_cluster AS name FROM ${table} WHERE cluster_id = $1`,
        [clusterId],
      )
    ).rows.map(({ name }) => name)
  expect([...(await names('machine_group')), ...(await names('machine'))]).toEqual(['tidal', 'tidal'])
  put(R.infrastructures, 'Infrastructure', 'cluster', { status: { infrastructureName: 'tidal-7k2qd' } })
  await projector.flushed()
  expect(await names('machine_group')).toEqual(['tidal-7k2qd'])
  expect(await names('machine')).toEqual(['tidal-7k2qd'])
  expect(failures).toEqual([])
  projector.stop()
})

test('whether a label of its namespace governs a group stays as its row has it until all namespaces are listed', async () => {
  const by: Governs = { governs: 'namespace-label', labelKey: 'governed', labelValue: null }
  const { clusterId, projector, failures } = await projectorOf('late')
  const was = { yes: randomUUID(), no: randomUUID(), new: randomUUID() }
  const put = (name: string, uid: string, of: Projector) => {
    const object = machineDeployment(name)
    const metadata = { ...object.metadata, uid, namespace: name }
    void of.upsert('machinedeployments.cluster.x-k8s.io', true, { ...object, metadata }, Date.now())
  }
  const governed = async () => {
    const { rows } = await pool().query<{ name: string }>(
      'SELECT name FROM machine_group WHERE cluster_id = $1 AND governed ORDER BY name',
      [clusterId],
    )
    return rows.map(({ name }) => name)
  }
  for (const name of ['yes', 'no'] as const) put(name, was[name], projector)
  await projector.flushed()
  await pool().query('UPDATE machine_group SET governed = true WHERE cluster_id = $1', [clusterId])
  // The policy is not read yet; then it is, and no namespace is heard of; then one is.
  for (const name of ['yes', 'no', 'new'] as const) put(name, was[name], projector)
  await projector.flushed()
  expect(await governed()).toEqual(['no', 'yes'])
  projector.setPolicy(by)
  await projector.flushed()
  expect(await governed()).toEqual(['no', 'yes'])
  const namespace = (name: string) => ({
    ...{ apiVersion: 'v1', kind: 'Namespace', spec: {}, status: {} },
    metadata: {
      ...{ name, uid: randomUUID(), resourceVersion: '1', creationTimestamp: new Date().toISOString() },
      labels: { governed: '' },
    },
  })
  void projector.upsert('namespaces', true, namespace('new'), Date.now())
  await projector.flushed()
  expect(await governed()).toEqual(['new', 'no', 'yes'])
  void projector.upsert('namespaces', true, namespace('yes'), Date.now())
  await projector.prune('namespaces', () => [])
  expect(await governed()).toEqual(['new', 'yes'])
  expect(failures).toEqual([])
  projector.stop()
})
