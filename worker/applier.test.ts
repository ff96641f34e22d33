import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import * as apply from '@/lib/services/changes/apply'
import * as openshift from '@/lib/services/openshift/apply-action'
import { until } from '@/testenv/process'
import { startApplier, type ApplierOptions } from './applier'

useTestDatabase()
afterEach(async () => {
  vi.restoreAllMocks()
  await db().decision.deleteMany({})
  await db().openShiftAction.deleteMany({})
})

async function aCluster(): Promise<string> {
  const { id } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  return id
}

/** Recorded and not applied, so many seconds ago. */
async function left(clusterId: string, ago: number, more: object = {}): Promise<string> {
  const { id: changeId } = await db().change.create({
    data: {
      ...{ clusterId, groupKind: 'MachineDeployment', namespace: 'fleet', groupName: 'md', workloadCluster: 'w' },
      ...{ groupId: randomUUID(), fingerprint: 'f', state: 'approved', summary: '', heldBy: 'latch' },
      ...{ resourceVersion: '1', machines: 2, changeSet: {}, outlook: {} },
    },
  })
  const said = { changeId, fingerprint: 'f', mode: 'replace', actorId: 'ada', actorName: 'Ada' }
  const recordedAt = new Date(Date.now() - ago * 1_000)
  const { id } = await db().decision.create({ data: { ...said, recordedAt, ...more } })
  return id
}
const many = (n: number, make: (i: number) => Promise<string>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)))

/** What is applied, in order; those of `hanging` never end before `let`. */
function applying(hanging: readonly string[] = []) {
  const begun: string[] = []
  let letGo: () => void = () => undefined
  const hangs = new Promise<void>((resolve) => (letGo = resolve))
  const one = async (id: string) => {
    begun.push(id)
    if (hanging.includes(id)) await hangs
    await db().decision.updateMany({ where: { id }, data: { state: 'accepted' } })
    await db().openShiftAction.updateMany({ where: { id }, data: { state: 'accepted' } })
  }
  vi.spyOn(apply, 'applyDecision').mockImplementation(one)
  vi.spyOn(openshift, 'applyAction').mockImplementation(one)
  return { begun, letGo: () => letGo() }
}

async function running(options: ApplierOptions, during: () => Promise<void>, letGo: () => void): Promise<void> {
  const applier = startApplier({ intervalMs: 20, ...options })
  await during().finally(async () => {
    letGo()
    await applier.stop()
  })
}
const soon = { ms: 10_000, every: 10 }

test('management clusters that hang keep nothing of another one waiting', async () => {
  const [a, b, c] = [await aCluster(), await aCluster(), await aCluster()]
  const hanging = [...(await many(30, () => left(a, 600))), ...(await many(30, () => left(b, 600)))]
  const fine = await many(10, () => left(c, 10))
  const { clusterId, ...action } = { clusterId: c, action: 'automatic', actorId: 'ada', actorName: 'Ada' }
  const recordedAt = new Date(Date.now() - 10_000)
  const { id } = await db().openShiftAction.create({ data: { clusterId, ...action, recordedAt } })
  const { begun, letGo } = applying(hanging)
  const all = async () =>
    void (await until('all of c', () => Promise.resolve([...fine, id].every((one) => begun.includes(one))), soon))
  await running({ lanes: { each: 3, most: 10 } }, all, letGo)
  expect(new Set(begun).size).toBe(begun.length)
})

test('a few at once of each, and all of them in the end', async () => {
  const a = await aCluster()
  const ids = await many(25, () => left(a, 600))
  const { begun, letGo } = applying(ids)
  const lanes = { each: 3, most: 10 }
  await running(
    { lanes },
    async () => {
      await until('three', () => Promise.resolve(begun.length === 3), soon)
      letGo()
      await until('all', () => Promise.resolve(begun.length === 25), soon)
    },
    letGo,
  )
  expect(new Set(begun).size).toBe(25)
})

test('what failed goes behind; what is claimed, or was recorded a moment ago, is left alone', async () => {
  const a = await aCluster()
  const applyingSince = (ago: number) => ({ state: 'applying', claimedUntil: new Date(Date.now() - ago * 1_000) })
  const failed = await left(a, 900, applyingSince(1))
  const before = await left(a, 800, applyingSince(60))
  const newer = await left(a, 30)
  const claimed = await left(a, 700, applyingSince(-60))
  const justNow = await left(a, 0)
  const { begun, letGo } = applying()
  const three = async () => void (await until('three', () => Promise.resolve(begun.length === 3), soon))
  await running({ graceMs: 20_000, lanes: { each: 1, most: 10 } }, three, letGo)
  expect(begun).toEqual([before, newer, failed])
  expect([begun.includes(claimed), begun.includes(justNow)]).toEqual([false, false])
})
