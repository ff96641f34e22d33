import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { systemCtx } from '@/lib/services/context'
import { annotations, as, audited, latchedCluster, recordedOnly, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import { nothingPending } from './nothing-pending'
import { planGroup } from './plan-group'
import { isRunningInPlace } from './stop'

useTestDatabase()
const at = latchedCluster()
const SETS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinesets' }
const planned = async (held: Held) =>
  planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: held.kind })

test('a hold that holds nothing, has no change, and could not be let go at once is tried again', async () => {
  const held = await at.held()
  await held.bump('v1.34.0')
  await db().change.delete({ where: { id: held.change.id } })
  const context = await planningContext(at.clusterId)
  const plan = async () => planGroup(context, { ...(await held.read()), kind: held.kind })
  const { client } = context.view
  const { patch } = client
  const later = { kind: 'Status' as const, code: 503, message: 'try later' }
  client.patch = () => Promise.reject(new KubeError(503, later, 'PATCH'))
  const next = await plan().finally(() => (client.patch = patch))
  expect(await annotations(held)).toHaveProperty([HELD])
  expect(next).toBeGreaterThan(0)
  expect(await plan()).toBeNull()
  expect(await annotations(held)).not.toHaveProperty([HELD])
})

/** Approved in place and under way for an hour, one machine of it begun. */
async function running(): Promise<Held> {
  const held = await at.held()
  const past = new Date(Date.now() - 3_600_000)
  const { id: changeId, groupId, digest } = held.change
  await recordedOnly(held, { mode: 'in-place', state: 'seen', acceptedAt: past, seenAt: past, sentAt: past })
  await db().change.update({ where: { id: changeId }, data: { state: 'running', startedAt: past } })
  await db().group.update({ where: { id: groupId }, data: { letGo: digest } })
  const machine = {
    machineId: randomUUID(),
    machineName: 'm',
    state: 'updating',
    predicted: 'in-place',
    startedAt: past,
  }
  await db().machineProgress.create({ data: { changeId, ...machine } })
  return held
}

/** A pause of the MachineDeployment does not stop its MachineSets: they move what was theirs to move. */
async function lastMachines(held: Held): Promise<void> {
  const template = { spec: { version: 'v1.34.1' } }
  for (const { metadata } of (await at.cluster.admin.list(SETS, held.namespace)).items)
    await at.cluster.admin.patch(SETS, metadata.name, held.namespace, 'merge', { spec: { template } })
}

const startedAt = async ({ change: { id } }: Held) =>
  (await db().change.findUniqueOrThrow({ where: { id } })).startedAt!.getTime()

test.each<[string, (held: Held) => Promise<unknown>]>([
  ['then waits', () => Promise.resolve()],
  [
    'then is rejected',
    ({ change: { id: changeId, fingerprint } }) => rejectChange(as('operator'), { changeId, fingerprint }),
  ],
  ['then is approved again', (held) => recordedOnly(held, { mode: 'in-place' })],
])(
  'stopped while its last machine is on its way, %s: it goes on to its end, and was not taken back',
  async (_, then) => {
    const held = await running()
    await planned(held)
    expect(await stateOf(held)).toBe('waiting')
    await then(held)
    await lastMachines(held)
    await planned(held)
    expect(await audited(held)).not.toContain('change.taken-back ok')
    expect(['running', 'done']).toContain(await stateOf(held))
    expect(Date.now() - (await startedAt(held))).toBeGreaterThan(3_000_000)
    // Nothing is left to hold, and a held group would never make the machine that may still be missing.
    expect(await annotations(held)).not.toHaveProperty([HELD])
    expect(await audited(held)).toContain('change.released ok')
  },
)

test('stopped when no machine has to change any more, and one is missing: it is let go, and not stopped again', async () => {
  const held = await running()
  await lastMachines(held)
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { replicas: 2 } })
  const states: string[] = []
  const look = async () => {
    await planned(held)
    states.push(await stateOf(held))
  }
  await look()
  // A controller's write in between is read anew with the next look.
  for (let more = 0; more < 4 && states.at(-1) === 'waiting'; more++) await look()
  await look()
  expect(states[0]).toBe('waiting')
  expect(states.slice(-2)).toEqual(['running', 'running'])
  expect(await annotations(held)).not.toHaveProperty([HELD])
  expect(await isRunningInPlace(at.clusterId)).toBe(false)
})

test('a newer change takes its place while somebody disconnects: neither waits for the other for ever', async () => {
  const held = await at.held()
  await held.bump('v1.35.0')
  let taken = (): void => undefined
  const locked = new Promise<void>((resolve) => (taken = resolve))
  const waits = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  const disconnect = db().$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT state FROM management_cluster WHERE id = ${at.clusterId}::uuid FOR UPDATE`
      taken()
      const blocked = async () => (await db().$queryRawUnsafe<{ n: number }[]>(waits))[0]!.n > 0
      await until('the planner to wait for the cluster', blocked, { ms: 10_000, every: 20 })
      const target = { kind: 'ManagementCluster', id: at.clusterId, name: 'm' }
      await recordAudit(tx, systemCtx('test'), { action: 'cluster.disconnect', target })
    },
    { timeout: 15_000 },
  )
  await locked
  await expect(Promise.all([disconnect, planned(held)])).resolves.toBeDefined()
})

test('where fewer are wanted, it is over when the last of those that are too many is gone', async () => {
  const held = await running()
  const { id, clusterId, namespace, groupName: name, groupKind: kind, workloadCluster } = held.change
  const common = {
    clusterId,
    namespace,
    groupName: name,
    groupKind: kind,
    workloadCluster,
    provider: 'cluster.x-k8s.io',
  }
  const well = { phase: 'Running', state: 'ready', sentence: '', ready: true, available: true, upToDate: true }
  const ids = [randomUUID(), randomUUID()]
  await db().machine.createMany({
    data: ids.map((machine) => ({
      ...common,
      ...well,
      id: machine,
      name: machine,
      resourceVersion: '1',
      createdAt: new Date(0),
    })),
  })
  const group = { ...(await held.read()), kind }
  group.metadata = { ...group.metadata, annotations: {} }
  const look = async () => {
    const open = await db().change.findUniqueOrThrow({ where: { id }, include: { decisions: true } })
    const key = { clusterId, kind, namespace, name, fence: 1n }
    await nothingPending(await planningContext(at.clusterId), group, key, open, 1, '')
    return stateOf(held)
  }
  expect(await look()).toBe('running')
  await db().machine.delete({ where: { id: ids[0]! } })
  expect(await look()).toBe('done')
})
