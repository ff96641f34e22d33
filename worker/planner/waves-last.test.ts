import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { membership } from '@/lib/services/waves/membership'
import { misplaced, writePlaces } from '@/lib/services/waves/placing'
import { runsNow } from '@/lib/services/waves/runs'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { canaryClusters, names, policy } from '@/testenv/canaries'
import { settlingRollouts } from '@/testenv/settling'
import { ago, another, changed, known, moved, newest, overtaken, settled, wantContent } from '@/testenv/tried'
import { op, placed, wavedCluster } from '@/testenv/waved'
import { lookAtRuns } from './kept-runs'

useTestDatabase()
const cluster = wavedCluster()
const { away, round } = settlingRollouts(cluster)
const canary = canaryClusters(cluster)
const { canaries, kept, elsewhere, disconnect, back, found, waits } = canary
const BEFORE = { version: 'v1.34.0' }

/** As the owners of all clusters place them. */
async function placeAll(looking = db()): Promise<void> {
  for (const run of await runsNow(looking, membership)) await db().$transaction((tx) => writePlaces(tx, misplaced(run)))
}

async function stopped() {
  const all = await canaries({ stopsAt: 1, readyWithin: '15m' })
  await away(all.ill, 30)
  expect(await round(all.ill)).toMatchObject({ state: 'waiting' })
  return all
}

test.each(['version v1.34.1', 'content w'])(
  'what failed in a canary while the other was under way is waited for by who comes to want it later: %s',
  async (wish) => {
    const { well, ill, next } = await canaries()
    const of = { wish, wishExact: wish }
    await changed(well, { state: 'running', finishedAt: null, detectedAt: ago(3), ...of })
    await changed(ill, { state: 'reverted', detectedAt: ago(3), finishedAt: ago(2), ...of })
    await settled(ill, BEFORE)
    await changed(next, { detectedAt: ago(1), ...of })
    await kept(next)
    await changed(well, { state: 'done', finishedAt: new Date() })
    await waits(next)
    expect((await placed(next)).why).toContain(`${ill.name} (begun, and over`)
  },
  120_000,
)

describe('what had begun is not forgotten', () => {
  test('behind one that had not: found again half way, disconnected once more, and changed back meanwhile', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    const there = await elsewhere(ill)
    await disconnect(there.clusterId)
    await back(there, { rollingOut: true, upToDateReplicas: 0 })
    await found(ill)
    await disconnect(there.clusterId)
    await back(there, { ...BEFORE, availableReplicas: 1 })
    await known(ill)
    await waits(next)
  }, 120_000)

  test.each([{}, BEFORE])(
    'behind one that had not: stopped, written once more, and left %#',
    async (has) => {
      const { ill, next } = await stopped()
      await kept(next)
      await found(ill)
      await changed({ ...ill, change: await newest(ill) }, { stoppedAt: null, stoppedBy: null, digest: 'other' })
      await overtaken(ill)
      const clusterId = await moved(ill)
      const group = await db().group.findUniqueOrThrow({ where: { id: ill.change.groupId } })
      await disconnect(clusterId)
      await back({ clusterId, group }, { availableReplicas: 1, ...has })
      await known(ill)
      await waits(next)
    },
    120_000,
  )

  test.each([
    ['was changed back while its cluster was away', 'of before'],
    ['is, as was listed a moment ago, not known yet', null],
  ])(
    'where its content %s',
    async (_, letGo) => {
      const { well, ill, next } = await canaries()
      await wantContent(well, ill, next)
      await kept(next)
      const there = await elsewhere(ill)
      await disconnect(there.clusterId)
      await back(there, { availableReplicas: 1, letGo })
      await known(ill)
      await waits(next)
    },
    120_000,
  )

  test.each(['stopped', 'under way'])(
    'where its group is deleted: %s',
    async (how) => {
      const { ill, next } = await (how === 'stopped' ? stopped() : canaries())
      await kept(next)
      await overtaken(ill)
      await db().group.delete({ where: { id: ill.change.groupId } })
      await waits(next)
      await known(ill)
      await waits(next)
    },
    120_000,
  )

  test('where another rollout had stopped after its version was through, and its cluster is disconnected', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    await changed(ill, { state: 'done', detectedAt: ago(2), finishedAt: ago(1) })
    await another(canary, ill, { state: 'reverted', finishedAt: new Date(), stoppedAt: new Date(), stoppedBy: 'p' })
    const { id: changeId } = await db().change.findFirstOrThrow({
      where: { groupId: ill.change.groupId, state: 'reverted' },
    })
    const step = { machineId: randomUUID(), machineName: 'm', state: 'updating', startedAt: new Date() }
    await db().machineProgress.create({ data: { changeId, ...step } })
    await settled(ill)
    await waits(next)
    await disconnect(await moved(ill))
    await known(ill)
    await waits(next)
  }, 120_000)

  test('by who looks while its cluster is disconnected', async () => {
    const { ill, next } = await canaries()
    await kept(next)
    await another(canary, ill)
    await overtaken(ill)
    await settled(ill)
    const clusterId = await moved(ill)
    await known(ill)
    // Each of the statements of one look sees what is there by then.
    let looked = 0
    const looking = new Proxy(db(), {
      get(target, key) {
        const value = Reflect.get(target, key) as unknown
        if (key !== '$queryRawUnsafe') return typeof value === 'function' ? (value as () => void).bind(target) : value
        return async (sql: string, ...args: unknown[]) => {
          const answer: unknown = await target.$queryRawUnsafe(sql, ...args)
          if (sql.includes('machine_group g LEFT JOIN LATERAL') && looked++ === 0) await disconnect(clusterId)
          return answer
        }
      },
    })
    await placeAll(looking)
    expect(looked).toBe(1)
    expect(await placed(next)).toMatchObject({ state: 'waits' })
  }, 120_000)
})

describe('what is waited for stays in its wave', () => {
  test('while another group comes before it in one that has a size', async () => {
    const [well, ill, next] = [await cluster.running(), await cluster.running(), await cluster.slow()]
    const fresh = `a${randomUUID()}`
    const waves = [
      { name: 'canary', select: { names: [well.name, ill.name, fresh] }, size: 2 },
      { name: 'next', select: names(next) },
    ]
    await policy({ select: { names: [well.name, ill.name, next.name, fresh] }, waves })
    await changed(well, { state: 'done', finishedAt: new Date() })
    // In the order of clusters it is the last of them.
    await moved(ill)
    await kept(next)
    await placeAll()
    expect(await placed(ill)).toMatchObject({ name: 'canary' })
    await changed(ill, { state: 'reverted', finishedAt: new Date() })
    await settled(ill, BEFORE)
    const { clusterId, namespace, workloadCluster } = well.change
    const of = await db().group.findUniqueOrThrow({ where: { id: well.change.groupId } })
    await db().group.create({
      data: {
        ...{
          clusterId,
          namespace,
          workloadCluster,
          name: fresh,
          id: randomUUID(),
          governed: true,
        },
        ...{ kind: of.kind, apiVersion: of.apiVersion, resourceVersion: '1', createdAt: new Date() },
      },
    })
    await known(ill)
    await waits(next)
    await db().group.deleteMany({ where: { name: fresh } })
  }, 120_000)

  test.each(['deleted', 'written without waves'])(
    'of the policy that holds now, while its cluster is away, and the one of before is %s',
    async (how) => {
      const { well, ill, next } = await canaries()
      await kept(next)
      await disconnect((await elsewhere(ill)).clusterId)
      if (how === 'deleted') await db().rolloutPolicy.deleteMany({})
      else await db().rolloutPolicy.updateMany({ data: { spec: { select: names(well, ill, next) }, version: 9 } })
      const waves = [
        { name: 'canary', select: names(well, ill) },
        { name: 'next', select: names(next) },
      ]
      await policy({ select: names(well, ill, next), waves })
      await waits(next)
      // Not of one that is not for it.
      await db().rolloutPolicy.deleteMany({})
      const { name: other } = well
      await policy({ select: names(well, next), waves: [{ name: 'canary', select: { names: [other] } }, waves[1]!] })
      await cluster.round()
      expect(await placed(next)).toMatchObject({ state: 'open' })
    },
    120_000,
  )
})

test('that waves are stopped does not end while what had begun is away behind another content', async () => {
  const { ill, next, run } = await canaries()
  await kept(next)
  await stopWaves(op, { ...run, reason: 'it breaks' })
  const there = await elsewhere(ill)
  await disconnect(there.clusterId)
  await back(there)
  await another(canary, ill, { stoppedAt: null, stoppedBy: null })
  await known(ill)
  await disconnect(there.clusterId)
  await changed(next, { state: 'reverted', finishedAt: ago(2) })
  await db().change.updateMany({ where: { finishedAt: { not: null } }, data: { finishedAt: ago(2) } })
  await db().waveWord.updateMany({ data: { at: ago(2) } })
  await lookAtRuns()
  expect(await db().waveWord.count({ where: { what: 'stop', endedAt: null } })).toBe(1)
}, 120_000)
