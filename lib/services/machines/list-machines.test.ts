import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { MACHINE_STATES } from '@/lib/domain/rows'
import { versionKey } from '@/lib/domain/version'
import type { Ctx, Role } from '../context'
import { getFleet } from '../fleet/get-fleet'
import { getShell } from '../fleet/get-shell'
import { search } from '../search/search'
import { getMachine } from './get-machine'
import { listMachines, type MachinePage } from './list-machines'

useTestDatabase()
const ctx = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u', name: 'u', role } })
const viewer = ctx('viewer')
const atlas = randomUUID()
const failed = randomUUID()

interface Given {
  id?: string
  name: string
  workload: string
  version: string | null
  state?: keyof typeof MACHINE_STATES
  verdict?: string
  error?: string
}
const given: Given[] = [
  ...Array.from({ length: 7 }, (_, i) => ({
    name: `prod-workers-${i}`,
    workload: 'prod',
    version: 'v1.34.1',
    verdict: 'in-place',
  })),
  ...Array.from({ length: 5 }, (_, i) => ({
    name: `stage-workers-${i}`,
    workload: 'stage',
    version: i < 2 ? 'v1.9.4' : 'v1.33.10',
  })),
  {
    id: failed,
    name: 'stage-broken',
    workload: 'stage',
    version: null,
    state: 'failed',
    error: 'No capacity_left: 100% used',
  },
]

beforeAll(async () => {
  await db().managementCluster.create({
    data: { id: atlas, name: 'atlas', server: 'https://127.0.0.1:1', state: 'connected' },
  })
  for (const name of ['prod', 'stage']) {
    await db().workloadCluster.create({
      data: { id: randomUUID(), clusterId: atlas, namespace: 'default', name, provider: 'cluster-api' },
    })
  }
  await db().machine.createMany({
    data: given.map(({ id, name, workload, version, state = 'ready', verdict = 'up-to-date', error }, i) => ({
      id: id ?? randomUUID(),
      clusterId: atlas,
      provider: 'cluster.x-k8s.io',
      namespace: 'default',
      name,
      workloadCluster: workload,
      groupKind: 'MachineDeployment',
      groupName: `${workload}-workers`,
      node: `node-${i}`,
      version,
      versionKey: versionKey(version),
      phase: state === 'failed' ? 'Failed' : 'Running',
      state,
      severity: MACHINE_STATES[state],
      sentence: state,
      ready: state === 'ready',
      available: state === 'ready',
      verdict,
      error: error ?? null,
      resourceVersion: '1',
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, i % 3)),
    })),
  })
})

const names = (page: MachinePage) => page.machines.map((m) => m.name)

it('tells of a machine that is as its set wants it, and whose node has not what its pool wants', async () => {
  const listed = async () => {
    const { machines } = await listMachines(viewer, { q: 'stage-workers' })
    return machines.filter(({ behind }) => behind).map(({ name }) => name)
  }
  expect(await listed()).toEqual([])
  const node = { clusterId: atlas, pool: 'worker', zone: null, sentence: '', severity: 0 }
  const phases = { 'node-7': 'updating', 'node-8': 'updated', 'node-9': 'paused', 'node-1': 'pending' }
  const data = Object.entries(phases).map(([name, phase]) => ({ ...node, id: randomUUID(), name, phase }))
  await db().configNode.createMany({ data })
  await db().configPool.create({ data: { id: randomUUID(), clusterId: atlas, name: 'worker', resourceVersion: '1' } })
  const { id } = await db().machine.findFirstOrThrow({ where: { name: 'stage-workers-0' } })
  const phase = async () => (await getMachine(viewer, { id })).config?.phase ?? null
  // Nodes of the cluster that Drydock is connected to, and machines of another one, whose nodes may be called the same.
  expect([await listed(), await phase()]).toEqual([[], null])
  const is = (provider: string) => db().workloadCluster.updateMany({ where: { name: 'stage' }, data: { provider } })
  await is('openshift')
  expect((await listed()).toSorted()).toEqual(['stage-workers-0', 'stage-workers-2'])
  expect(await phase()).toBe('updating')
  await is('cluster-api')
  await db().configNode.deleteMany({})
  await db().configPool.deleteMany({})
})

describe('the list of machines', () => {
  it.each([
    ['', 13],
    ['cluster:prod', 7],
    ['cluster:atlas', 13],
    ['cluster:!prod', 6],
    ['version:<1.34', 5],
    ['version:<1.10', 2],
    ['version:1.33', 3],
    ['version:>=1.33 version:<=1.34.1', 10],
    ['verdict:in-place phase:Running', 7],
    ['phase:running,failed', 13],
    ['verdict:!in-place', 6],
    ['error:yes', 1],
    ['error:no', 12],
    ['capacity_left', 1],
    ['capacityXleft', 0],
    ['100%', 1],
    ['stage-workers node-8', 1],
    ['group:prod', 7],
    ["x' OR 1=1 --", 0],
  ])('%s finds %i', async (q, n) => {
    const page = await listMachines(viewer, { q })
    expect(page.machines).toHaveLength(n)
    expect(page.total).toBe(n)
    for (const counts of Object.values(page.facets)) expect(counts.reduce((sum, c) => sum + c.count, 0)).toBe(n)
  })

  it('puts the worst first', async () => expect(names(await listMachines(viewer, {}))[0]).toBe('stage-broken'))

  it('sorts versions as versions', async () => {
    const page = await listMachines(viewer, { q: 'error:no', sort: 'version' })
    expect([...new Set(page.machines.map((m) => m.version))]).toEqual(['v1.9.4', 'v1.33.10', 'v1.34.1'])
  })

  it.each(['severity', 'name', 'version', 'age'].flatMap((sort) => ['asc', 'desc'].map((dir) => [sort, dir] as const)))(
    'pages by %s %s without losing or repeating one',
    async (sort, dir) => {
      const whole = names(await listMachines(viewer, { sort, dir }))
      const walked: string[] = []
      let after: string | null = null
      do {
        const page: MachinePage = await listMachines(viewer, { sort, dir, limit: 4, ...(after ? { after } : {}) })
        walked.push(...names(page))
        after = page.after
      } while (after)
      expect(walked).toEqual(whole)
      expect(new Set(walked).size).toBe(13)
    },
  )

  it('refuses a place in another order with a sentence', async () => {
    const { after } = await listMachines(viewer, { limit: 2 })
    await expect(listMachines(viewer, { sort: 'name', after })).rejects.toMatchObject({ code: 'invalid' })
    await expect(listMachines(viewer, { after: 'bm9wZQ' })).rejects.toMatchObject({ code: 'invalid' })
  })
})

describe('what stands round the list', () => {
  it('shows one machine though its API server does not answer, and says so', async () => {
    const machine = await getMachine(viewer, { id: failed })
    expect(machine).toMatchObject({ name: 'stage-broken', error: 'No capacity_left: 100% used' })
    expect(machine.live).toHaveProperty('problem.message')
    await expect(getMachine(viewer, { id: randomUUID() })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('finds by name and node, and takes % and _ as letters', async () => {
    expect((await search(viewer, { q: 'stage-b' })).map((f) => f.name)).toContain('stage-broken')
    expect(await search(viewer, { q: 'NODE-12' })).toEqual([
      expect.objectContaining({ kind: 'machine', name: 'stage-broken' }),
    ])
    expect(await search(viewer, { q: '%_' })).toEqual([])
  })

  it('counts each machine once on the fleet page, and draws every one', async () => {
    const fleet = await getFleet(viewer, {})
    expect(fleet.totals).toEqual({ workloads: 2, clusters: 1, disconnected: 0, machines: 13 })
    const gone = await db().managementCluster.create({
      data: { name: 'gone', server: 'https://x', state: 'disconnected' },
    })
    expect((await getFleet(viewer, {})).totals).toMatchObject({ clusters: 2, disconnected: 1 })
    await db().managementCluster.delete({ where: { id: gone.id } })
    expect(fleet.workloads.map((w) => [w.name, w.total, w.available, w.workers.total])).toEqual([
      ['prod', 7, 7, 7],
      ['stage', 6, 5, 6],
    ])
    expect(fleet.workloads[1]!.workers.counts[0]).toMatchObject({ mark: 'failed', count: 1 })
    expect(fleet.needs.map((n) => n.kind)).toEqual(['watch', 'failed'])
  })

  it('counts what is wanted and not there: a cluster that lost machines is not whole', async () => {
    const group = {
      ...{ clusterId: atlas, apiVersion: 'cluster.x-k8s.io/v1beta2', namespace: 'default', workloadCluster: 'prod' },
      ...{ resourceVersion: '1', createdAt: new Date() },
    }
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    await db().group.createMany({
      data: [
        { ...group, id: ids[0]!, kind: 'MachineDeployment', name: 'prod-workers', desiredReplicas: 9, replicas: 9 },
        { ...group, id: ids[1]!, kind: 'KubeadmControlPlane', name: 'prod-cp', desiredReplicas: 1 },
        // The machines of a pool may have no Machine objects.
        { ...group, id: ids[2]!, kind: 'MachinePool', name: 'prod-pool', desiredReplicas: 50 },
      ],
    })
    try {
      const [prod] = (await getFleet(viewer, {})).workloads
      expect(prod).toMatchObject({ total: 7, available: 7, wanted: 10 })
      expect(prod!.workers.counts[0]).toEqual({ mark: 'in-place', count: 7 })
      expect(prod!.workers.counts.at(-1)).toEqual({ mark: 'new', count: 2 })
      expect(prod!.controlPlane.counts).toEqual([{ mark: 'new', count: 1 }])
    } finally {
      await db().group.deleteMany({ where: { id: { in: ids } } })
    }
  })

  it('says that no worker follows a cluster', async () => {
    expect((await getShell(viewer)).clusters).toEqual([
      expect.objectContaining({ name: 'atlas', trouble: 'no worker follows it' }),
    ])
  })
})
