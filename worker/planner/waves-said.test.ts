import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { databaseNow } from '@/lib/db/now'
import { useTestDatabase } from '@/lib/db/testing'
import type { PolicySpec, Wave } from '@/lib/domain/policies'
import { approveChange } from '@/lib/services/changes/approve-change'
import { waveBesides } from '@/lib/services/changes/wave-besides'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { getChange } from '@/lib/services/changes/get-change'
import { previewPolicy } from '@/lib/services/policies/preview-policy'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { beginWave } from '@/lib/services/waves/begin-wave'
import { listRuns } from '@/lib/services/waves/list-runs'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { takeBackBegin } from '@/lib/services/waves/take-back-begin'
import { annotations, as, expectHeld, failure, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { HELD } from '@/lib/domain/latch/names'
import { ada, bo, cy, says } from '@/testenv/timed'
import { op, placed, seen, waved, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const { at, place, round } = wavedCluster()

const isThrough = (held: Held) =>
  db().change.update({ where: { id: held.change.id }, data: { state: 'done', finishedAt: new Date(Date.now() - 1) } })

/** The canary is through, and the next wave asks for somebody's word. */
async function asking(more: Partial<PolicySpec> = {}) {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next', ownApproval: true }], more)
  await place()
  await isThrough(first)
  await place()
  return { first, second, run }
}

type Spec = Omit<PolicySpec, 'waves'> & { waves: Wave[] }
/** The policy is written anew, and the worker has placed everything. */
async function edited(policyId: string, change: (spec: Spec) => PolicySpec): Promise<void> {
  const { version, name, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: policyId } })
  await savePolicy(cy, { policyId, version, name, spec: change(spec as unknown as Spec) })
  await place()
}
const actions = async (policyId: string) =>
  (await db().auditEvent.findMany({ where: { targetId: policyId }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  )

describe('a wave begins with a reason where one is asked for', () => {
  test('by the policy of any of its groups, whichever policy the waves are from', async () => {
    const { second, run } = await asking()
    await says(second, { reasonRequired: true })
    await place()
    const begin = await seen(run, 'next')
    expect((await listRuns(ada)).runs[0]!.waves[1]!.reasonAsked).toMatch(/^The policy p-/)
    const error = await failure(beginWave(ada, begin))
    expect(error).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'reason' }] } })
    expect(error.message).toMatch(/^The policy p-.* asks for a reason\.$/)
    await beginWave(ada, { ...begin, reason: 'the canary is fine' })
    await place()
    expect(await placed(second)).toMatchObject({ state: 'open' })
  })

  test('by the governance of its management cluster; nobody is asked for one otherwise', async () => {
    const { run } = await asking()
    const begin = await seen(run, 'next')
    const { clusterId } = at
    await db().policy.upsert({
      where: { clusterId },
      create: { clusterId, reasonNeeded: true },
      update: { reasonNeeded: true },
    })
    expect((await failure(beginWave(ada, begin))).message).toContain('governance')
    await db().policy.update({ where: { clusterId }, data: { reasonNeeded: false } })
    await beginWave(ada, begin)
  })
})

describe('that a wave begins is taken back', () => {
  test('for as long as nothing of it has moved: its groups wait for a word again, at once', async () => {
    const { second, run } = await asking()
    const next = { ...run, wave: 'next' }
    expect((await failure(takeBackBegin(op, next))).code).toBe('conflict')
    await beginWave(ada, { ...(await seen(run, 'next')), reason: 'go' })
    expect((await listRuns(ada)).runs[0]!.waves[1]!.begun).toMatchObject({ by: 'Ada', reason: 'go', back: true })
    const again = await failure(beginWave(bo, { ...(await seen(run, 'next')), reason: 'go' }))
    expect(again.message).toBe('Ada has said already that the wave next begins.')
    expect((await failure(takeBackBegin(as('viewer'), next))).code).toBe('forbidden')
    await takeBackBegin(op, next)
    expect(await placed(second)).toMatchObject({ state: 'waits' })
    await approveChange(bo, inputFor(second))
    await round()
    await expectHeld(second)
    expect(await placed(second)).toMatchObject({ why: 'somebody has to say that it begins' })
    expect((await actions(run.policyId)).slice(-2)).toEqual(['waves.begin', 'waves.begin-ended'])
    await beginWave(ada, await seen(run, 'next'))
    await round()
    expect(await annotations(second)).not.toHaveProperty([HELD])
  })

  test('by whose clock ever that was said, it counts no more from then on', async () => {
    const { run } = await asking()
    await beginWave(ada, await seen(run, 'next'))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
    await takeBackBegin(op, { ...run, wave: 'next' }).finally(() => vi.useRealTimers())
    const { at: said, endedAt } = await db().waveWord.findFirstOrThrow({ where: { policyId: run.policyId } })
    expect(endedAt!.getTime()).toBeGreaterThanOrEqual(said.getTime())
    expect(endedAt!.getTime()).toBeLessThanOrEqual((await databaseNow(db())).getTime())
  })

  test('and not once something of it has begun, or is through since', async () => {
    const { second, run } = await asking()
    const next = { ...run, wave: 'next' }
    await beginWave(ada, await seen(run, 'next'))
    await approveChange(bo, inputFor(second))
    await round()
    expect(await stateOf(second)).toBe('approved')
    expect((await failure(takeBackBegin(op, next))).message).toContain(`${second.name} has begun`)
    expect((await listRuns(ada)).runs[0]!.waves[1]!.begun).toMatchObject({ back: false })
    expect(await annotations(second)).not.toHaveProperty([HELD])
  })
})

describe('that a wave begins is not taken back where what moved wants something else by now', () => {
  const isReplaced = async ({ change: { id } }: Held) => {
    const { id: _, ...row } = await db().change.findUniqueOrThrow({ where: { id } })
    const newer = {
      state: 'waiting',
      wish: 'another',
      fingerprint: 'another',
      finishedAt: null,
      detectedAt: new Date(),
    }
    await db().change.create({ data: { ...row, ...newer, wave: Prisma.DbNull } as Prisma.ChangeUncheckedCreateInput })
  }
  const begun = async () => {
    const [first, moved, waits] = [await at.held(), await at.held(), await at.held()]
    const run = await waved([first, moved, waits], [{ name: 'canary' }, { name: 'next', ownApproval: true }])
    await place()
    await isThrough(first)
    await place()
    await beginWave(ada, await seen(run, 'next'))
    return { moved, next: { ...run, wave: 'next' } }
  }
  const back = async ({ wish: of }: { wish: string }) =>
    (await listRuns(ada)).runs.find(({ wish }) => wish === of)!.waves[1]!.begun

  test('it is through', async () => {
    const { moved, next } = await begun()
    const done = { state: 'done', finishedAt: new Date(Date.now() + 1000) }
    await db().change.update({ where: { id: moved.change.id }, data: done })
    await isReplaced(moved)
    expect((await failure(takeBackBegin(op, next))).message).toContain(`${moved.name} has begun`)
    expect(await back(next)).toMatchObject({ back: false })
  })

  test('it had begun; and is where it only waited', async () => {
    const { moved, next } = await begun()
    const { id: changeId, fingerprint } = moved.change
    await db().change.update({ where: { id: changeId }, data: { state: 'superseded', finishedAt: new Date() } })
    await isReplaced(moved)
    expect(await back(next)).toMatchObject({ back: true })
    const who = { actorId: bo.actor.id, actorName: 'Bo', mode: 'replace' }
    await db().decision.create({
      data: { ...who, changeId, fingerprint, state: 'accepted', sentAt: new Date(), acceptedAt: new Date() },
    })
    await db().machineProgress.create({
      data: { changeId, machineId: randomUUID(), machineName: 'm', state: 'done', startedAt: new Date() },
    })
    expect(await back(next)).toMatchObject({ back: false })
    expect((await failure(takeBackBegin(op, next))).message).toContain(`${moved.name} has begun`)
  })
})

describe('what is said of a wave is said of it as it is written', () => {
  test('an edit of its groups, its order or its share makes it count no more, and shows it', async () => {
    const named = (waves: Wave[], of: string, part: Partial<Wave>) =>
      waves.map((wave) => (wave.name === of ? { ...wave, ...part } : wave))
    const others = (waves: Wave[]) => ['other', ...(waves[0]!.select?.names ?? [])]
    // One after the other.
    const edits: ((spec: Spec) => Partial<PolicySpec>)[] = [
      ({ waves }) => ({ waves: named(waves, 'next', { select: { names: ['*'] } }) }),
      ({ waves }) => ({ waves: named(waves, 'next', { size: 1 }) }),
      ({ waves }) => ({ waves: waves.toSpliced(1, 0, { name: 'between', select: { names: ['other'] } }) }),
      ({ waves }) => ({ waves: named(waves, 'canary', { select: { names: others(waves) } }) }),
      ({ select }) => ({ select: { names: [...select.names!, 'other'] } }),
    ]
    const { second, run } = await asking()
    for (const edit of edits) {
      await beginWave(ada, { ...(await seen(run, 'next')), reason: 'go' })
      expect(await placed(second)).toMatchObject({ state: 'open' })
      const { id: policyId, name, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: run.policyId } })
      const saving = (more: object) => previewPolicy(cy, { policyId, name, spec: { ...(spec as object), ...more } })
      const ended = [{ policy: name, wave: 'next', what: 'begin', by: 'Ada' }]
      expect((await saving(edit(spec as unknown as Spec))).atOnce).toMatchObject({ ended })
      expect((await saving({ approvals: 2 })).atOnce).toMatchObject({ ended: [] })
      await edited(run.policyId, (spec) => ({ ...spec, ...edit(spec) }))
      expect(await placed(second)).toMatchObject({ state: 'waits' })
      const [shown] = (await listRuns(ada)).runs
      expect(shown!.lapsed).toMatchObject([{ what: 'begin', wave: 'next', by: 'Ada', reason: 'go' }])
      expect(shown!.waves.find(({ name }) => name === 'next')).toMatchObject({ begun: null })
    }
  })

  test('nobody is asked for a word again where all of it has begun by then', async () => {
    const { second, run } = await asking()
    await beginWave(ada, await seen(run, 'next'))
    await approveChange(bo, inputFor(second))
    await round()
    await edited(run.policyId, ({ waves: [canary, next], ...spec }) => ({
      ...spec,
      waves: [canary!, { ...next!, size: 1 }],
    }))
    const next = async () => (await listRuns(ada)).runs[0]!.waves[1]
    // It was let go, and no machine of it moved: it is held again, and waits for that word.
    expect(await next()).toMatchObject({ state: 'waits', asksPerson: true, allBegun: false })
    await round()
    expect(await annotations(second)).toMatchObject({
      [HELD]: expect.stringContaining('somebody has to say') as string,
    })
    expect(await next()).toMatchObject({ asksPerson: true, allBegun: false })
    const { id: changeId } = second.change
    const { id: begunBy } = await db().decision.findFirstOrThrow({ where: { changeId } })
    const machine = { machineId: randomUUID(), machineName: 'm', state: 'updating', startedAt: new Date() }
    await db().machineProgress.create({ data: { changeId, begunBy, ...machine } })
    expect(await next()).toMatchObject({ asksPerson: true, allBegun: true })
  })

  test('an edit elsewhere does not: approvals, soaking, waves after it', async () => {
    const { second, run } = await asking()
    await beginWave(ada, await seen(run, 'next'))
    await edited(run.policyId, ({ waves: [canary, next], ...spec }) => ({
      ...{ ...spec, approvals: 2 },
      waves: [canary!, { ...next!, soak: '2d' }, { name: 'last', select: { names: ['other'] } }],
    }))
    expect(await placed(second)).toMatchObject({ state: 'open' })
    expect((await listRuns(ada)).runs[0]!.lapsed).toEqual([])
  })

  test('that one is not waited for lapses as well; said anew, it counts, and nothing is left of what was said before', async () => {
    const [first, second] = [await at.held(), await at.held()]
    const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
    await place()
    await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it is away' })
    expect(await placed(second)).toMatchObject({ state: 'open' })
    await edited(run.policyId, ({ waves: [canary, next], ...spec }) => ({
      ...spec,
      waves: [{ ...canary!, select: { names: [first.name, 'another'] } }, next!],
    }))
    expect(await placed(second)).toMatchObject({ state: 'waits' })
    expect((await listRuns(ada)).runs[0]!.lapsed).toMatchObject([{ what: 'skip', wave: 'canary' }])
    // On record once, however often it is looked at.
    await place()
    const ended = await db().auditEvent.findMany({ where: { targetId: run.policyId, action: 'waves.word-ended' } })
    expect(ended).toMatchObject([
      {
        ...{ actorKind: 'system', result: 'ok', reason: 'Its wave is written otherwise since.' },
        details: { wave: 'canary', said: 'skip', by: 'Ada', wish: run.wish },
      },
    ])
    const told = (await getChange(ada, { id: second.change.id })).timeline.map(({ text }) => text)
    expect(told.join()).toContain('What Ada said counts no more, that the wave canary is not waited for')
    await skipWave(bo, { ...(await seen(run, 'canary')), reason: 'both are away' })
    expect(await placed(second)).toMatchObject({ state: 'open' })
    const [shown] = (await listRuns(ada)).runs
    expect([shown!.lapsed, shown!.waves[0]!.notWaitedFor?.by]).toEqual([[], 'Bo'])
  })

  test('written back, it does not count again by itself', async () => {
    const { second, run } = await asking()
    await beginWave(ada, await seen(run, 'next'))
    const spec = async () => (await db().rolloutPolicy.findUniqueOrThrow({ where: { id: run.policyId } })).spec
    const before = (await spec()) as unknown as PolicySpec
    await edited(run.policyId, ({ waves: [canary, next], ...rest }) => ({
      ...rest,
      waves: [canary!, { ...next!, size: 1 }],
    }))
    await edited(run.policyId, () => before)
    expect(await placed(second)).toMatchObject({ state: 'waits' })
    await beginWave(bo, await seen(run, 'next'))
    expect(await placed(second)).toMatchObject({ state: 'open' })
  })

  test('whoever looked at the wave as it was before says nothing of how it is now', async () => {
    const { run, second } = await asking()
    const before = await seen(run, 'next')
    await edited(run.policyId, ({ waves: [canary, next], ...spec }) => ({
      ...spec,
      waves: [canary!, { ...next!, select: { names: [second.name, 'more'] } }],
    }))
    expect((await failure(beginWave(ada, before))).message).toContain('was written otherwise while you were looking')
    expect((await failure(skipWave(ada, { ...before, reason: 'x' }))).code).toBe('conflict')
    expect((await failure(beginWave(ada, { ...run, wave: 'next' }))).code).toBe('invalid')
  })

  test('that the waves are stopped stays, however they are written', async () => {
    const { run, second } = await asking()
    await stopWaves(op, run)
    await edited(run.policyId, ({ waves: [canary, next], ...spec }) => ({ ...spec, waves: [next!, canary!] }))
    expect(await placed(second)).toMatchObject({ state: 'stopped', stoppedBy: op.actor.name })
  })
})

test('approved while its wave is shut, and taken back: it waits for approval, and whoever begins the wave is told so', async () => {
  const { second, run } = await asking()
  await approveChange(ada, inputFor(second))
  await place()
  const told = async () => {
    const { runs } = await listRuns(ada)
    const { groups } = await waveBesides(ada, { ...run, wave: 'next' })
    return [JSON.stringify(runs[0]!.waves[1]).includes('waiting for approval'), groups[0]!.goes]
  }
  expect(await told()).toEqual([false, true])
  await withdrawApproval(ada, { changeId: second.change.id })
  await place()
  expect(await told()).toEqual([true, false])
})
