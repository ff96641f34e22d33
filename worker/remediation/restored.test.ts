import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { REMEDIATE, SKIP_MARK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import { forgetRows } from '@/lib/services/clusters/forget-rows'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { mindRemediation } from '@/lib/services/remediation/mind-remediation'
import { restoreAll } from '@/lib/services/remediation/restore-all'
import { skippingCluster } from '@/testenv/skipping'
import { ada } from '@/testenv/timed'
import { forgetOver } from './forget'
import { noteIll } from './ill'

useTestDatabase()
const s = skippingCluster()
/** After its change was seen. */
const LATER = new Date(Date.now() + 3_600_000)
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const { at, view, input, annotate, marks, ours, look, is, fares, letGo, round, marked } = s

describe('what was found ill in the middle of its update is on record', () => {
  const BEGAN = new Date('2026-11-01T10:00:00.400Z')
  test.each<[string, object, { state: string; startedAt?: Date }, boolean]>([
    ['while it is updated', {}, { state: 'updating', startedAt: BEGAN }, true],
    [
      'in the second in which it began',
      { checkFailedSince: new Date('2026-11-01T10:00:00Z') },
      { state: 'updating', startedAt: BEGAN },
      true,
    ],
    ['going already', { deleting: true }, { state: 'deleting', startedAt: BEGAN }, true],
    [
      'ill before',
      { checkFailedSince: new Date('2026-11-01T09:59:59Z') },
      { state: 'updating', startedAt: BEGAN },
      false,
    ],
    ['not begun', { checkFailedSince: LATER }, { state: 'waiting' }, true],
    ['not begun, and an error by now', { checkFailedSince: LATER }, { state: 'failed' }, true],
    ['not begun, and ill before it was wanted', {}, { state: 'waiting' }, false],
    ['updated before', {}, { state: 'done', startedAt: BEGAN }, false],
    ['updated, and going already', { deleting: true }, { state: 'done', startedAt: BEGAN }, true],
    ['well', { checkFailedSince: null }, { state: 'updating', startedAt: BEGAN }, false],
  ])('%s', async (_what, machineIs, progress, noted) => {
    await letGo()
    await look({ checkFailedSince: new Date('2026-11-01T10:05:00Z'), ...machineIs })
    await fares(progress)
    await noteIll(await view())
    await db().machine.deleteMany({})
    await noteIll(await view())
    const [row] = await db().machineProgress.findMany({ where: { changeId: s.held.change.id } })
    expect(row!.illAt !== null).toBe(noted)
  })
})

test('nor is it lost where the group waits, held again', async () => {
  await look({ checkFailedSince: LATER })
  await fares({ state: 'waiting' })
  await is({ state: 'waiting' })
  await db().machineProgress.updateMany({ data: { predicted: null } })
  await noteIll(await view())
  const [row] = await db().machineProgress.findMany({ where: { changeId: s.held.change.id } })
  expect(row!.illAt).not.toBeNull()
})

test('with the checks that are over it', async () => {
  await letGo()
  const { clusterId, namespace, workloadCluster } = s.held.change
  const check = (name: string, labels: object, paused = false) =>
    db().healthCheck.create({
      data: {
        ...{ id: randomUUID(), clusterId, namespace, workloadCluster, name, paused },
        spec: { selector: { labels, expressions: [] }, node: [], machine: [] },
      },
    })
  await check('its-own', { tier: 'spot' })
  await check('another', { tier: 'base' })
  await check('at-rest', { tier: 'spot' }, true)
  await look({ checkFailedSince: new Date(), labels: { tier: 'spot' } })
  await fares({ state: 'updating', startedAt: new Date(0) })
  await noteIll(await view())
  const [row] = await db().machineProgress.findMany({ where: { changeId: s.held.change.id } })
  expect(row).toMatchObject({ illBy: 'its-own' })
})

test('what somebody marked by hand was found by none of them', async () => {
  await letGo()
  await look({
    checkFailedSince: new Date(),
    checkWords: `Health check failed: marked for remediation via ${REMEDIATE} annotation`,
  })
  await fares({ state: 'updating', startedAt: new Date(0) })
  await noteIll(await view())
  const [row] = await db().machineProgress.findMany({ where: { changeId: s.held.change.id } })
  expect(row).toMatchObject({ illBy: REMEDIATE })
})

describe('what was there is restored', () => {
  const over = (state: string) => () => is({ state })
  const stands = async () => {
    await db().group.update({ where: { id: s.held.change.groupId }, data: { held: 'held' } })
    await is({ state: 'waiting', dueMode: 'in-place' })
  }
  test.each<
    [string, () => Promise<unknown>, object, { state: string; startedAt?: Date; finishedAt?: Date } | null, boolean]
  >([
    ['it is done', over('done'), { updating: true }, null, true],
    ['it is superseded', over('superseded'), { updating: true }, null, true],
    ['it was changed back', over('reverted'), { updating: true }, null, true],
    ['it is rejected', over('rejected'), { updating: true }, null, true],
    ['the click is taken back', () => mindRemediation(ada, input()), { updating: true }, null, true],
    ['the change is gone from the database', () => db().change.deleteMany({}), { updating: true }, null, true],
    ['the machine belongs to no group any more', async () => {}, { groupName: null, updating: true }, null, true],
    [
      'the machine is through',
      async () => {},
      { verdict: 'up-to-date', upToDate: true },
      { state: 'done', startedAt: new Date() },
      true,
    ],
    [
      'updated, and not ready yet',
      async () => {},
      { verdict: 'up-to-date', upToDate: true, ready: false },
      { state: 'done', startedAt: new Date(), finishedAt: new Date() },
      false,
    ],
    [
      'updated, its change over, and not ready yet',
      () => is({ state: 'done', finishedAt: new Date() }),
      { verdict: 'up-to-date', upToDate: true, ready: false },
      { state: 'done', startedAt: new Date(), finishedAt: new Date() },
      false,
    ],
    [
      'updated long ago, and never ready, though its change goes on',
      async () => {},
      { verdict: 'up-to-date', upToDate: true, ready: false },
      { state: 'done', startedAt: new Date(), finishedAt: new Date(Date.now() - 21 * 60_000) },
      true,
    ],
    [
      'in the middle of its update when a newer change comes',
      () => is({ state: 'superseded', finishedAt: new Date() }),
      { updating: true },
      { state: 'updating', startedAt: new Date() },
      false,
    ],
    [
      'in the middle of its update when a newer change came long ago',
      () => is({ state: 'superseded', finishedAt: ago(21) }),
      { updating: true },
      { state: 'updating', startedAt: ago(30) },
      false,
    ],
    [
      'updated a minute ago, not back yet, and a newer change came long ago',
      () => is({ state: 'superseded', finishedAt: ago(21) }),
      { upToDate: true, ready: false },
      { state: 'done', startedAt: ago(30), finishedAt: ago(1) },
      false,
    ],
    [
      'its updater failed once, and is asked again, when a newer change comes',
      () => is({ state: 'superseded', finishedAt: new Date() }),
      { updating: true },
      { state: 'failed', startedAt: ago(1) },
      false,
    ],
    [
      'its updater failed once, and is asked again, and the rest is rejected for that',
      over('rejected'),
      { updating: true },
      { state: 'failed', startedAt: ago(1) },
      false,
    ],
    [
      'the rest is rejected in the middle of its update',
      over('rejected'),
      { updating: true },
      { state: 'updating', startedAt: new Date() },
      false,
    ],
    [
      'the rest is rejected, updated and not ready yet',
      over('rejected'),
      { verdict: 'up-to-date', upToDate: true, ready: false },
      { state: 'done', startedAt: new Date(), finishedAt: new Date() },
      false,
    ],
    ['the rest is rejected before its turn came', over('rejected'), {}, { state: 'waiting' }, true],
    [
      'the rest is rejected, and it is through',
      over('rejected'),
      { verdict: 'up-to-date', upToDate: true },
      { state: 'done', startedAt: new Date(), finishedAt: new Date() },
      true,
    ],
    ['its update failed', async () => {}, { verdict: 'up-to-date' }, { state: 'failed', startedAt: new Date() }, false],
    ['held again before its turn came', stands, {}, { state: 'waiting' }, true],
    [
      'held again in the middle of its update',
      stands,
      { updating: true },
      { state: 'updating', startedAt: new Date() },
      false,
    ],
    [
      'held again, updated and behind',
      stands,
      { upToDate: false },
      { state: 'updating', startedAt: new Date() },
      false,
    ],
  ])('%s', async (_what, happens, machineIs, progress, restored) => {
    await marked()
    await look(machineIs)
    if (progress) await fares(progress)
    await happens()
    await round()
    expect(await marks()).toEqual(restored ? {} : ours())
  })

  test('one that was held before its turn came is marked again when it comes', async () => {
    await marked()
    await stands()
    await round()
    expect(await marks()).toEqual({})
    await look()
    await db().group.update({ where: { id: s.held.change.groupId }, data: { held: null } })
    await is({ state: 'running' })
    await round()
    expect(await marks()).toEqual(ours())
  })

  test('one that is through is not marked again, whatever becomes of it', async () => {
    await marked()
    await fares({ state: 'done', startedAt: new Date() })
    await look({ verdict: 'up-to-date', upToDate: true })
    await round()
    await look({ ready: false, error: 'gone' })
    await fares({ state: 'failed', startedAt: new Date() })
    await round()
    expect(await marks()).toEqual({})
  })

  test('of what somebody took over only our mark goes', async () => {
    await marked()
    await annotate({ [SKIPS_REMEDIATION]: 'kept by the storage team' })
    await look()
    await is({ state: 'done' })
    await round()
    expect(await marks()).toEqual({ [SKIPS_REMEDIATION]: 'kept by the storage team' })
  })

  test.each<[string, Record<string, null>]>([
    ['both', { [SKIPS_REMEDIATION]: null, [SKIP_MARK]: null }],
    ['the one that counts', { [SKIPS_REMEDIATION]: null }],
  ])('where somebody took %s away it is not set again', async (_what, annotations) => {
    await marked()
    await annotate(annotations)
    await look({ updating: true })
    await round()
    expect(await marks()).not.toHaveProperty([SKIPS_REMEDIATION])
    await is({ state: 'done' })
    await round()
    expect(await marks()).toEqual({})
  })

  /** A newer change of the group, for which it is asked, too. */
  const newer = (asks: object = { skipsBy: 'Ada', skipsAt: new Date() }) => {
    const { id: _, changeSet, outlook, outcome: __, wave: ___, shape: ____, ...rest } = s.held.change
    const json = { changeSet: changeSet as object, outlook: outlook as object }
    return db().change.create({ data: { ...rest, ...json, ...asks, state: 'waiting' } })
  }

  test('a newer change for which it is asked, too, takes the machine over without a gap', async () => {
    await marked()
    const next = await newer()
    await is({ state: 'superseded' })
    await look({ updating: true })
    await round()
    expect(await marks()).toEqual({ ...ours(), [SKIP_MARK]: next.id })
  })

  test('a newer change for which nobody asked says what is skipped for the one before it, and there it can be ended', async () => {
    await marked()
    await fares({ state: 'updating', startedAt: new Date() })
    await is({ state: 'superseded', finishedAt: new Date() })
    const next = await newer({ skipsBy: null, skipsAt: null, detectedAt: new Date() })
    await look({ updating: true })
    await round()
    expect(await marks()).toEqual(ours())
    const { id, summary } = s.held.change
    const former = async () => (await getUpdate(ada, next.id)).remediation?.former
    expect(await former()).toEqual([{ changeId: id, summary, machines: 1 }])
    expect((await getUpdate(ada, id)).remediation).toMatchObject({ now: 1, skips: { by: 'Ada' } })
    await mindRemediation(ada, input())
    await round()
    expect(await marks()).toEqual({})
    await look({ updating: true })
    expect((await former()) ?? []).toEqual([])
  })

  test('one that went over to a newer change stays marked while the watch shows the older one still', async () => {
    await marked()
    const next = await newer()
    await is({ state: 'superseded' })
    await look({ updating: true })
    await round()
    await round() // the watch is late
    expect(await marks()).toEqual({ ...ours(), [SKIP_MARK]: next.id })
  })

  test('what was set, or taken, of it for other changes stays on record', async () => {
    await marked()
    const next = await newer()
    const machineId = s.machine.metadata.uid
    await db().remediationSkip.create({ data: { changeId: next.id, machineId, state: 'taken' } })
    await db().change.updateMany({ data: { state: 'superseded' } })
    await round()
    expect(await marks()).toEqual({})
    expect(await db().remediationSkip.findMany({ where: { machineId } })).toMatchObject([
      { changeId: next.id, state: 'taken' },
    ])
  })

  test.each([randomUUID(), 'not an id'])('a mark of nobody knows what (%s) goes', async (mark) => {
    await annotate({ [SKIPS_REMEDIATION]: 'drydock', [SKIP_MARK]: mark })
    await look()
    await round()
    expect(await marks()).toEqual({})
  })

  test('a machine that is gone, or made anew under its name, is left alone', async () => {
    await marked()
    await is({ state: 'done' })
    await db().machine.updateMany({ data: { name: 'gone' } })
    await round()
    await db().machine.deleteMany({})
    await look()
    await db().machine.updateMany({ data: { id: randomUUID() } })
    await round()
    expect(await marks()).toEqual(ours())
  })

  test('whoever disconnects the cluster leaves no mark there', async () => {
    await marked()
    await look({ updating: true })
    expect(await restoreAll(at.clusterId, () => Promise.resolve())).toBe(
      'the remediation of 1 of its machines is as it was before',
    )
    expect(await marks()).toEqual({})
    await look()
    await db().managementCluster.update({ where: { id: at.clusterId }, data: { state: 'disconnected' } })
    await db().remediationSkip.deleteMany({})
    await round()
    await db().managementCluster.update({ where: { id: at.clusterId }, data: { state: 'connected' } })
    expect(await marks()).toEqual({})
    expect(await restoreAll(at.clusterId, () => Promise.resolve())).toBeNull()
  })

  test('rows that are forgotten with their connection ask for nothing', async () => {
    await marked()
    await db().$transaction((tx) => forgetRows(tx, at.clusterId))
    await round()
    expect(await db().machine.count()).toBe(0)
  })
})

test.each([1, 21])(
  'a machine in the middle is marked again once a disconnect that failed is undone, %s minutes after its change was over',
  async (minutes) => {
    await marked()
    await look({ updating: true })
    await fares({ state: 'updating', startedAt: ago(30) })
    await is({ state: 'superseded', finishedAt: ago(minutes) })
    await round()
    await restoreAll(at.clusterId, () => Promise.resolve())
    expect(await marks()).toEqual({})
    await look({ updating: true })
    await forgetOver(await view())
    await round()
    expect(await marks()).toEqual(ours())
  },
)
