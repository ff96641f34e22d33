import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { getChange } from '@/lib/services/changes/get-change'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { beginWave } from '@/lib/services/waves/begin-wave'
import { listRuns } from '@/lib/services/waves/list-runs'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { waitForWave } from '@/lib/services/waves/wait-for-wave'
import { annotations, audited, expectHeld, expectReleased, failure, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, begins, bo, cy, decisions, row } from '@/testenv/timed'
import { op, placed, seen, waved, wavedCluster } from '@/testenv/waved'
import { requireInTime } from '../gate/decisions'
import { holdToTimes } from './times'

useTestDatabase()
const HOUR = 3_600_000
const { at, view, look, running, slow, place, round } = wavedCluster()

const isThrough = (held: Held, ago = 0) =>
  db().change.update({
    where: { id: held.change.id },
    data: { state: 'done', finishedAt: new Date(Date.now() - ago) },
  })
const stands = async () =>
  (await listRuns(ada)).runs.flatMap(({ waves }) => waves.map(({ name, state }) => `${name} ${state}`))

describe('what is approved waits for its wave', () => {
  test('not placed yet it waits; the first is open, and the next goes by itself when that is through and has soaked', async () => {
    const [first, second] = [await at.held(), await at.held()]
    await waved([first, second], [{ name: 'canary', soak: '1h' }, { name: 'next' }])
    // Before the worker has placed anything.
    expect(await approveChange(ada, inputFor(first))).toMatchObject({ state: 'gathering', timing: { why: 'wave' } })
    await place()
    expect(await placed(second)).toMatchObject({
      state: 'waits',
      why: expect.stringContaining('canary is not through'),
    })
    await round()
    expect(await stateOf(first)).toBe('approved')
    expect(await approveChange(bo, inputFor(second))).toMatchObject({
      ...{ state: 'gathering', missing: 0 },
      timing: { open: false, why: 'wave', wave: { place: { name: 'next', index: 1, of: 3 } } },
    })
    await round()
    await expectHeld(second)
    expect((await failure(requireInTime(await row(second), {}))).message).toContain('in wave 2 of 3 (next)')
    await isThrough(first)
    await round()
    expect(await placed(second)).toMatchObject({ state: 'waits', why: expect.stringContaining('it soaks') })
    await expectHeld(second)
    await isThrough(first, 3_700_000)
    await round()
    const [decision] = await decisions(second)
    expect(decision).toMatchObject({ state: 'accepted', actorName: 'Bo' })
    await expectReleased(second, decision!.id)
    expect(await stands()).toEqual(['canary through', 'next open', 'rest through'])
  })

  test('another version of the policy places anew, and until then nothing begins', async () => {
    const [first, second] = [await at.held(), await at.held()]
    const { policyId } = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
    await place()
    const { version, name, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: policyId } })
    const turned = { ...(spec as object), waves: [{ name: 'next', select: { names: [second.name] } }] }
    await savePolicy(cy, { policyId, version, name, spec: turned })
    expect(await approveChange(ada, inputFor(first))).toMatchObject({ state: 'gathering' })
    await place()
    expect(await placed(first)).toMatchObject({ state: 'waits', name: 'rest' })
    expect(await placed(second)).toMatchObject({ state: 'open', name: 'next' })
  })

  test('what has begun goes on, also when its wave is no longer open and when its policy is written anew', async () => {
    const [canary, held] = [await at.held(), await running()]
    await begins(held)
    const { policyId } = await waved([canary, held], [{ name: 'canary' }, { name: 'next' }])
    await round()
    expect(await annotations(held)).not.toHaveProperty([HELD])
    const { version, name, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: policyId } })
    await savePolicy(cy, { policyId, version, name, spec: { ...(spec as object), approvals: 2 } })
    await holdToTimes(await view())
    expect(await annotations(held)).not.toHaveProperty([HELD])
    await place()
    expect(await placed(held)).toMatchObject({ state: 'open' })
  })

  test('taken back before anything began, it waits again for its wave', async () => {
    const [canary, held] = [await slow(), await slow()]
    await waved([canary, held], [{ name: 'canary' }, { name: 'next' }])
    await isThrough(canary, 1_000)
    await place()
    await approveChange(ada, inputFor(held))
    await look(held)
    await place()
    expect(await placed(held)).toMatchObject({ state: 'open' })
    await withdrawApproval(ada, { changeId: held.change.id })
    await holdToTimes(await view())
    await look(held)
    expect(await stateOf(held)).toBe('waiting')
    await db().change.update({ where: { id: canary.change.id }, data: { state: 'waiting', finishedAt: null } })
    await place()
    expect(await placed(held)).toMatchObject({ state: 'waits' })
    expect(await approveChange(bo, inputFor(held))).toMatchObject({ state: 'gathering', timing: { why: 'wave' } })
    await expectHeld(held)
  })

  test('outside its wave by a named person and with a reason; not while the waves are stopped', async () => {
    const [first, second] = [await at.held(), await at.held()]
    const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
    await place()
    await approveChange(ada, inputFor(second))
    const override = { changeId: second.change.id, fingerprint: second.change.fingerprint, reason: 'outage' }
    await stopWaves(op, run)
    await place()
    expect((await failure(overrideTimes(ada, override))).message).toContain('stopped by Op')
    await resumeWaves(ada, run)
    await place()
    await overrideTimes(ada, override)
    expect(await stateOf(second)).toBe('approved')
  })
})

describe('what people say', () => {
  test('a wave that asks for it begins with somebody’s word, of this run only', async () => {
    const [first, second] = [await at.held(), await at.held()]
    const run = await waved([first, second], [{ name: 'canary' }, { name: 'next', ownApproval: true }])
    await place()
    await isThrough(first)
    await place()
    expect(await placed(second)).toMatchObject({ state: 'waits', why: 'somebody has to say that it begins' })
    const begin = await seen(run, 'next')
    expect((await failure(beginWave(op, begin))).code).toBe('forbidden')
    expect((await failure(beginWave(ada, await seen(run, 'canary')))).code).toBe('conflict')
    const both = await Promise.allSettled([beginWave(ada, begin), beginWave(bo, begin)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await place()
    expect(await placed(second)).toMatchObject({ state: 'open' })
    const told = (await getChange(ada, { id: second.change.id })).timeline.map(({ text }) => text)
    expect(told.join()).toMatch(/(Ada|Bo) let the wave next begin/)
    // The run is over, and an hour later the word with it.
    await isThrough(second, 7_200_000)
    await isThrough(first, 7_200_000)
    await db().waveWord.updateMany({ data: { at: new Date(Date.now() - 7_200_000) } })
    await place()
    expect(await db().waveWord.count({ where: { endedAt: null } })).toBe(0)
    const ended = await db().auditEvent.findMany({ where: { targetId: run.policyId, action: 'waves.word-ended' } })
    expect(ended).toMatchObject([
      { reason: 'Nothing that it was said of is open any more.', details: { said: 'begin' } },
    ])
    expect((await failure(beginWave(ada, begin))).code).toBe('not-found')
  })

  test('skipped with a reason, the next ones do not wait; taken back, they do', async () => {
    const [first, second] = [await at.held(), await at.held()]
    const run = await waved([first, second], [{ name: 'canary', soak: '7d' }, { name: 'next' }])
    expect((await failure(skipWave(ada, await seen(run, 'canary')))).code).toBe('invalid')
    const skip = await seen(run, 'canary')
    await skipWave(ada, { ...skip, reason: 'it is gone' })
    await place()
    expect(await placed(second)).toMatchObject({ state: 'open' })
    expect((await failure(skipWave(bo, { ...skip, reason: 'too' }))).code).toBe('conflict')
    await waitForWave(op, { ...run, wave: 'canary' })
    await place()
    expect(await placed(second)).toMatchObject({ state: 'waits' })
    const events = await db().auditEvent.findMany({ where: { targetId: run.policyId }, orderBy: { id: 'asc' } })
    expect(events.map(({ action, reason }) => [action, reason])).toEqual([
      ['rollout-policy.added', null],
      ['waves.skip', 'it is gone'],
      ['waves.skip-ended', null],
    ])
  })

  test('stopped, what is under way is held as well, and goes on by itself when somebody lets it', async () => {
    const held = await running()
    const other = await at.held()
    const run = await waved([held, other], [{ name: 'canary' }, { name: 'next' }])
    await stopWaves(op, { ...run, reason: 'nodes flap' })
    expect((await failure(stopWaves(op, run))).code).toBe('conflict')
    await round()
    await expectHeld(held)
    expect((await annotations(held))[HELD]).toContain('its waves were stopped by Op (nodes flap)')
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    expect((await failure(resumeWaves(op, run))).code).toBe('forbidden')
    await resumeWaves(ada, run)
    await round()
    expect(await annotations(held)).not.toHaveProperty([HELD])
    expect((await audited(held)).filter((action) => action.startsWith('change.approved'))).toHaveLength(2)
  })
})

test('a wave that nobody has tried holds the others, and what changed back has not', async () => {
  const [first, second] = [await at.held(), await at.held()]
  await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await db().change.update({ where: { id: first.change.id }, data: { state: 'reverted', finishedAt: new Date() } })
  await place()
  expect(await placed(second)).toMatchObject({
    why: 'no group in canary wants it now, and none is known to have it and keep it',
  })
  expect(await placed(second)).toMatchObject({ state: 'waits', needsPerson: true })
  // The version that is wanted is not yet that of its machines.
  const has = (part: object) => db().group.update({ where: { id: first.change.groupId }, data: part })
  await has({ version: 'v1.34.1', desiredReplicas: 1, upToDateReplicas: 1, generation: 2, observedGeneration: 1 })
  await place()
  expect(await placed(second)).toMatchObject({ state: 'waits' })
  await has({ observedGeneration: 2, held: 'x' })
  await place()
  expect(await placed(second)).toMatchObject({ state: 'waits' })
  await has({ held: null })
  await place()
  // None of its machines has come up.
  expect(await placed(second)).toMatchObject({ state: 'waits' })
  await has({ availableReplicas: 1 })
  await place()
  expect(await placed(second)).toMatchObject({ state: 'open' })
})

describe('a canary that wants something newer by now', () => {
  const change = async (held: Held, more: object = {}) => {
    const { id: _, ...like } = await row(held)
    const pairs = [{ from: 'b', machines: 1, fingerprint: 'g', changes: [] }]
    return db().change.create({
      data: {
        ...(like as Prisma.ChangeUncheckedCreateInput),
        ...{ state: 'waiting', fingerprint: 'g', wish: 'version v1.34.2', finishedAt: null, detectedAt: new Date() },
        ...{ fromVersion: 'v1.34.1', toVersion: 'v1.34.2', changeSet: { pairs, fields: [] } },
        ...more,
      },
    })
  }
  const available = ({ change: { groupId: id } }: Held, availableReplicas = 1) =>
    db().group.update({ where: { id }, data: { desiredReplicas: 1, availableReplicas } })
  /** The canary was through an hour ago, and the second one waits for it. */
  const tried = async (soak?: string) => {
    const [first, second] = [await at.held(), await at.held()]
    await waved([first, second], [{ name: 'canary', ...(soak ? { soak } : {}) }, { name: 'next' }])
    await isThrough(first, HOUR)
    const detectedAt = new Date(Date.now() - 2 * HOUR)
    await db().change.update({ where: { id: first.change.id }, data: { detectedAt } })
    await available(first)
    return { first, second }
  }
  const NONE = 'no group in canary wants it now, and none is known to have it and keep it'
  const NOBODY = { state: 'waits', why: NONE }
  /** Who waits for it is told that it was through, and why that counts no more. */
  const lost = ({ name }: Held, why: string) => ({
    state: 'waits',
    why: expect.stringMatching(
      new RegExp(`^${NONE} \\(\\S*${name} was through \\S+ \\S+ UTC and counts no more: ${why}\\)$`),
    ) as string,
  })

  test('has tried what it has, until its machines move on; then the others say so, and wait', async () => {
    const { first, second } = await tried('2h')
    const { id } = await change(first)
    await place()
    // It soaks all the same.
    expect(await placed(second)).toMatchObject({ state: 'waits', why: expect.stringContaining('it soaks') })
    await isThrough(first, 3 * HOUR)
    await place()
    expect(await placed(second)).toMatchObject({ state: 'open' })
    await db().machineProgress.create({
      data: { changeId: id, machineId: randomUUID(), machineName: 'm', state: 'updating', startedAt: new Date() },
    })
    await place()
    expect(await placed(second)).toMatchObject(lost(first, 'some of its machines may have moved on'))
    const [run] = (await listRuns(ada)).runs.filter(({ wish }) => wish === 'version v1.34.1')
    expect(run!.waves[0]).toMatchObject({ state: 'open', wanting: 0, was: 1, why: expect.stringContaining(first.name) })
  })

  test.each<[string, string, object]>([
    [
      'goes back',
      'it is to go back to v1.34.0',
      { fromVersion: 'v1.34.1', toVersion: 'v1.34.0', wish: 'version v1.34.0' },
    ],
    [
      'may be to be rid of it: no version says',
      'whether what it wants by now takes that back is not known',
      { fromVersion: null, toVersion: null, wish: 'fields x' },
    ],
    [
      'changes what is behind a plus sign',
      'whether it still has it is not known',
      { fromVersion: 'v1.34.1+r2', toVersion: 'v1.34.1+r1', wish: 'version v1.34.1+r1' },
    ],
    [
      'is of several revisions',
      'some of its machines may have moved on',
      { changeSet: { pairs: [{}, {}], fields: [] } },
    ],
    ['was let go', 'it moves on to v1.34.2', { state: 'running' }],
    ['went back since', 'it has v1.34.0 since', { state: 'done', wish: 'version v1.34.0', finishedAt: new Date() }],
  ])('that %s has not', async (_, why, more) => {
    const { first, second } = await tried()
    await change(first, more)
    if (why.includes('has v'))
      await db().group.update({ where: { id: first.change.groupId }, data: { version: 'v1.34.0' } })
    await place()
    expect(await placed(second)).toMatchObject(lost(first, why))
  })

  test('whose machines are not all available has not', async () => {
    const { first, second } = await tried()
    await available(first, 0)
    await change(first)
    await place()
    expect(await placed(second)).toMatchObject(lost(first, 'not all of its machines are available'))
  })

  test('that began it and was not through has not: it stopped, or was superseded in the middle', async () => {
    const { first, second } = await tried()
    const { fingerprint } = first.change
    await db().change.update({ where: { id: first.change.id }, data: { state: 'superseded', stoppedAt: new Date() } })
    await db().decision.create({
      data: {
        ...{ changeId: first.change.id, fingerprint, mode: 'replace', actorId: 'a', actorName: 'Ada', state: 'voided' },
        sentAt: new Date(),
      },
    })
    await change(first)
    await place()
    expect(await placed(second)).toMatchObject(NOBODY)
  })

  test('that moved on in the middle of another has not, whatever it was through with before', async () => {
    const { first, second } = await tried()
    await change(first, { state: 'reverted', wish: 'version v1.34.3', detectedAt: new Date(Date.now() - 1_000) }).then(
      ({ id }) =>
        db().machineProgress.create({
          data: { changeId: id, machineId: randomUUID(), machineName: 'm', state: 'done', startedAt: new Date() },
        }),
    )
    await change(first)
    await place()
    expect(await placed(second)).toMatchObject(lost(first, 'whether it still has it is not known'))
  })

  test('has it from before, where nothing ever began', async () => {
    const { first, second } = await tried()
    await db().change.update({ where: { id: first.change.id }, data: { state: 'superseded' } })
    await change(first)
    await place()
    expect(await placed(second)).toMatchObject({ state: 'open' })
  })
})
