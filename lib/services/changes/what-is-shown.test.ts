import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { NOT_NOW, STOPPED } from '@/lib/domain/latch/names'
import { UNASKED } from '@/lib/domain/latch/unasked'
import type { PolicySpec } from '@/lib/domain/policies'
import { failure, inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { fares } from '@/testenv/faring'
import { ada, bo, CLOSED, cy, FROZEN, HOUR, lifted, person, row, says } from '@/testenv/timed'
import { placed, seen, waved, wavedCluster } from '@/testenv/waved'
import { getUpdate, listUpdates } from '../fleet/list-updates'
import { needsYou } from '../fleet/needs-you'
import { listRuns } from '../waves/list-runs'
import { skipWave } from '../waves/skip-wave'
import { stopWaves } from '../waves/stop-waves'
import { approveChange } from './approve-change'
import { approveSeveral } from './approve-several'
import type { ChangePolicy } from './policy-of-change'
import { waveBesides } from './wave-besides'

useTestDatabase()
const { at, place } = wavedCluster()

const detail = (held: Held) => getUpdate(ada, held.change.id)
const asked = async (held: Held): Promise<ChangePolicy> => {
  const { policy } = await detail(held)
  if (!('rules' in policy)) throw new Error(policy.problem)
  return policy
}
const need = async (held: Held) => (await needsYou(ada, {})).find(({ id }) => id === held.change.id)?.sentence
/** All of it can be updated where it stands, as far as updaters say. */
const inPlace = { counts: { 'in-place': 1 }, created: 0, deleted: 0, headline: '1 machine would be updated in place.' }
const replace = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '1 machine would be replaced.' }
async function able(held: Held, outlook: object = { inPlace, replace, uncovered: [] }): Promise<Held> {
  const { id, clusterId, namespace, groupKind, groupName, workloadCluster } = held.change
  await db().change.update({ where: { id }, data: { outlook: outlook as Prisma.InputJsonObject } })
  await db().machine.create({
    data: {
      ...{ clusterId, namespace, groupKind, groupName, workloadCluster, provider: 'cluster.x-k8s.io' },
      ...{ id: crypto.randomUUID(), name: `${groupName}-1`, resourceVersion: '1', createdAt: new Date() },
      ...{ phase: 'Running', state: 'ready', sentence: '', ready: true, available: true, upToDate: false },
      ...{ verdict: 'in-place', verdictReason: 'Updated in place by u.' },
    },
  })
  return held
}

test('what was stopped because nobody is asked any more says so on its page, in lists, and to who may decide', async () => {
  const held = await able(await at.held())
  const { groupId, id } = held.change
  const words = (text: string) => db().group.update({ where: { id: groupId }, data: { held: text } })
  await words(`${STOPPED}${UNASKED.off}`)
  expect((await detail(held)).unasked).toBe('off')
  expect((await listUpdates(ada, {})).unasked[id]).toBe('off')
  expect(await need(held)).toBe('Stopped on its way: in-place updates were switched off. Waiting for your approval')
  await words(`${STOPPED}${NOT_NOW}paused by Bo`)
  expect((await detail(held)).unasked).toBeNull()
  expect((await listUpdates(ada, {})).unasked).toEqual({})
  expect(await need(held)).toBe('Waiting for your approval')
})

describe('approved before its approvals last until it may go', () => {
  test('no start is promised, and somebody is asked again', async () => {
    const held = await at.held()
    await says(held, { ...CLOSED, expiresAfter: '8h' })
    expect((await asked(held)).early).toMatchObject({ zone: 'UTC', policy: expect.stringMatching(/^p-/) as string })
    expect(await need(held)).toMatch(/^Waiting for your approval, after \d{4}-/)
    const given = await approveChange(ada, inputFor(held))
    expect(given).toMatchObject({ state: 'gathering', missing: 0, early: { may: given.timing?.opens } })
    const { listed } = await asked(held)
    expect(listed).toMatchObject({ due: true, early: { ends: expect.any(String) as string } })
    expect(await need(held)).toMatch(/^The approval expires at .*, before it may go, at the earliest at /)
    const { standings } = await listUpdates(ada, {})
    expect(standings[held.change.id]).toMatchObject({ early: listed.early })
  })

  test('where they last it goes by itself, and asks nobody', async () => {
    const held = await at.held()
    await says(held, { ...CLOSED, expiresAfter: '7d' })
    expect(await approveChange(ada, inputFor(held))).toMatchObject({ early: null })
    expect((await asked(held)).listed).toMatchObject({ due: true, early: null })
    expect(await need(held)).toBeUndefined()
  })

  test('also a freeze that is over only later; of several approvals the one that ends too early counts', async () => {
    const held = await at.held()
    await says(held, { ...FROZEN, expiresAfter: '30m', approvals: 2 })
    await approveChange(ada, inputFor(held))
    await approveChange(bo, inputFor(held))
    expect((await asked(held)).listed).toMatchObject({ due: true, early: { from: expect.any(String) as string } })
    await lifted()
    await says(held, { ...FROZEN, expiresAfter: '2h', approvals: 2 })
    const { approvals, listed } = await asked(held)
    // What was said when they were given holds, too.
    expect(listed.early).not.toBeNull()
    expect(approvals.map(({ expiresAt, at: since }) => Date.parse(expiresAt!) - Date.parse(since))).toEqual([
      ...[1_800_000, 1_800_000],
    ])
  })
})

describe('an approval that does not count says why', () => {
  const why = async (held: Held) => (await asked(held)).approvals.map(({ whyNot }) => whyNot)
  test.each<[string, Omit<PolicySpec, 'select'>]>([
    ['too-old', { approvals: 2, expiresAfter: '5m' }],
    ['no-reason', { approvals: 2, reasonRequired: true }],
  ])('%s', async (words, rules) => {
    const held = await at.held()
    await says(held, { approvals: 2 })
    await approveChange(ada, inputFor(held))
    expect(await why(held)).toEqual([null])
    const since = new Date(Date.now() - 600_000)
    await db().approval.updateMany({ where: { changeId: held.change.id }, data: { at: since } })
    await says(held, rules)
    expect(await why(held)).toEqual([words])
  })

  test('the person who wrote it, who left, who may no more, and another state', async () => {
    const held = await at.held()
    await says(held, { approvals: 5 })
    for (const id of ['kim', 'lou', 'mel', 'nat']) await approveChange(person(id), inputFor(held))
    const user = (id: string, more: object) => ({ id, name: id, email: `${id}@example.com`, role: 'approver', ...more })
    await db().user.create({ data: user('kim', { disabledAt: new Date() }) })
    await db().user.create({ data: user('lou', { role: 'operator' }) })
    await db().user.create({ data: user('mel', { name: 'mel-writes' }) })
    const { id: changeId } = held.change
    await db().change.update({ where: { id: changeId }, data: { author: 'mel-writes' } })
    await db().approval.updateMany({ where: { changeId, actorId: 'nat' }, data: { fingerprint: 'f'.repeat(64) } })
    await says(held, { approvals: 5, notTheAuthor: true })
    expect(await why(held)).toEqual(['disabled', 'role', 'author', 'fingerprint'])
  })
})

test('a policy that allows in place only, and nobody covers it: nothing is shown that somebody could approve', async () => {
  const [held, other] = [await able(await at.held()), await at.held()]
  const { id, groupName } = held.change
  const whyNotInPlace = 'No updater covers spec.failureDomain.'
  const outlook = { inPlace: null, whyNotInPlace, replace, uncovered: ['spec.failureDomain'] }
  await db().change.update({ where: { id }, data: { outlook } })
  await db().machine.updateMany({ where: { groupName }, data: { verdict: 'replace' } })
  await waved([held, other], [{ name: 'first' }, { name: 'second' }])
  await place()
  const shown = async () => (await listRuns(ada)).runs.flatMap(({ waves }) => waves[0]!.open.map(({ at: how }) => how))
  expect(await shown()).toEqual(['waiting for approval'])
  await says(held, { strategy: 'in-place-only' })
  const { hull, machinesList, policy } = await detail(held)
  expect(policy).toMatchObject({
    mayApprove: null,
    listed: { forbidden: expect.stringContaining('failureDomain') as string },
  })
  expect(hull.counts).toEqual([{ mark: 'blocked', count: 1 }])
  expect(machinesList).toMatchObject([{ verdict: 'blocked' }])
  expect((await listUpdates(ada, {})).hulls[id]?.cells).toMatchObject([{ mark: 'blocked' }])
  expect(await need(held)).toContain('allows in place only')
  expect(await shown()).toEqual(['not allowed so by its policy'])
  // Who waits for it is not told of an approval that nobody can give.
  await place()
  expect((await placed(other)).why).toContain('(not allowed so by its policy)')
  expect((await listRuns(ada)).runs[0]!.waves[1]!.why).toContain('(not allowed so by its policy)')
})

describe('a policy that wants new machines', () => {
  test('shows them wherever the change is shown', async () => {
    const held = await able(await at.held())
    const { id } = held.change
    expect((await detail(held)).hull.counts).toEqual([{ mark: 'in-place', count: 1 }])
    const name = await says(held, { strategy: 'replace' }).then(({ name: called }) => called)
    const { hull, machinesList, policy } = await detail(held)
    expect(policy).toMatchObject({ listed: { way: 'replace' } })
    expect(hull.counts).toEqual([{ mark: 'replace', count: 1 }])
    expect(machinesList).toMatchObject([
      { verdict: 'replace', verdictReason: `The policy ${name} asks for new machines: approve replacing.` },
    ])
    const { hulls, standings } = await listUpdates(ada, {})
    expect(hulls[id]?.cells).toMatchObject([{ mark: 'replace' }])
    expect(standings[id]?.way).toBe('replace')
  })
})

describe('all that holds it is named', () => {
  test('its wave, and a window besides, also before somebody says that the wave begins', async () => {
    const [first, second] = [await at.held(), await at.held()]
    const run = await waved([first, second], [{ name: 'canary' }, { name: 'others', ownApproval: true }], CLOSED)
    await place()
    expect((await asked(second)).listed.timing).toMatchObject({ why: 'wave', besides: [{ why: 'window' }] })
    expect((await asked(first)).listed.timing).toMatchObject({ why: 'window', besides: [] })
    expect(await waveBesides(ada, { ...run, wave: 'others' })).toMatchObject({
      ...{ more: 0, held: [{ groups: 1, timing: { why: 'window' } }], risks: [] },
      // With its management cluster before it.
      groups: [
        {
          name: expect.stringMatching(`^[^/]+/[^/]+/${second.name}$`) as string,
          machines: 1,
          goes: false,
        },
      ],
    })
    expect(await waveBesides(ada, { ...run, wave: 'canary' })).toMatchObject({ held: [], more: 0 })
    await approveChange(ada, inputFor(second))
    expect((await waveBesides(ada, { ...run, wave: 'others' })).groups).toMatchObject([{ goes: true }])
  })

  test('of a wave that soaks, its window of then; who lets it begin before that is told of the one of now', async () => {
    const [first, second] = [await at.held(), await at.held()]
    const window = { starts: new Date(Date.now() - HOUR).toISOString().slice(0, 16), lasts: '2h', timeZone: 'UTC' }
    const run = await waved([first, second], [{ name: 'canary' }, { name: 'others' }], {
      windows: [{ ...window, repeats: 'FREQ=DAILY' }],
    })
    await place()
    const { wave } = await row(second)
    const soaks = { ...(wave as object), opens: new Date(Date.now() + 3 * HOUR).toISOString() }
    await db().change.update({ where: { id: second.change.id }, data: { wave: soaks } })
    const { besides } = (await asked(second)).listed.timing
    expect(besides).toMatchObject([
      { why: 'window', opens: new Date(Date.parse(`${window.starts}Z`) + 24 * HOUR).toISOString() },
    ])
    expect(await waveBesides(ada, { ...run, wave: 'others' })).toMatchObject({ held: [], more: 0 })
  })
})

describe('before a wave is not waited for', () => {
  const WAVES = [{ name: 'canary' }, { name: 'few' }, { name: 'asked', ownApproval: true }]

  test('the groups that go by it are named, approved or not, and nothing is said yet', async () => {
    const [first, second, third] = [await at.held(), await at.held(), await at.held()]
    const run = await waved([first, second, third], WAVES)
    await place()
    const skip = (wave: string) => waveBesides(ada, { ...run, wave, what: 'skip' })
    const name = expect.stringMatching(`/${second.name}$`) as string
    expect(await skip('canary')).toMatchObject({ held: [], more: 0, groups: [{ name, machines: 1, goes: false }] })
    await approveChange(ada, inputFor(second))
    expect((await skip('canary')).groups).toMatchObject([{ name, goes: true }])
    // One before it is waited for all the same, or somebody has to say that the next one begins.
    expect((await skip('few')).groups).toEqual([])
    expect((await skip('asked')).groups).toEqual([])
    expect(await db().waveWord.count({ where: run })).toBe(0)
    expect(await row(second)).toMatchObject({ state: 'waiting', wave: { state: 'waits' } })
    await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it hangs' })
    expect(await row(second)).toMatchObject({ wave: { state: 'open' } })
    expect((await skip('canary')).groups).toEqual([])
  })

  test('also where it only soaks, and what holds them all the same', async () => {
    const [first, second] = [await at.held(), await at.held()]
    const run = await waved([first, second], [{ name: 'canary', soak: '2h' }, { name: 'others' }], CLOSED)
    const done = { state: 'done', finishedAt: new Date() }
    await db().change.update({ where: { id: first.change.id }, data: done })
    await place()
    expect(await row(second)).toMatchObject({
      wave: { state: 'waits', why: expect.stringMatching('it soaks') as string },
    })
    expect(await waveBesides(ada, { ...run, wave: 'canary', what: 'skip' })).toMatchObject({
      ...{ held: [{ groups: 1, timing: { why: 'window' } }], groups: [{ machines: 1 }] },
    })
  })
})

test('before waves go on that somebody stopped, the groups whose waves are open are named', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'others' }])
  await place()
  await approveChange(ada, inputFor(second))
  const goes = async () => (await waveBesides(ada, { ...run, what: 'resume' })).groups
  // Nobody stopped it.
  expect(await goes()).toEqual([])
  await stopWaves(ada, { ...run, reason: 'it fails' })
  const name = expect.stringMatching(`/${first.name}$`) as string
  expect(await goes()).toMatchObject([{ name, machines: 1, goes: false }])
  await approveChange(ada, inputFor(first))
  expect(await goes()).toMatchObject([{ name, goes: true }])
  // Half way, only those that have not begun.
  await db().change.update({ where: { id: first.change.id }, data: { machines: 2 } })
  await fares(first, 'w-1', { state: 'done' })
  expect(await goes()).toMatchObject([{ name, machines: 1 }])
  // Scaled while it is held, as many as its page speaks of.
  const scaled = { ...replace, counts: { replace: 3 }, created: 3, deleted: 3 }
  const outlook = (replaced: object) => ({ data: { outlook: { inPlace: null, replace: replaced, uncovered: [] } } })
  await db().change.update({ where: { id: first.change.id }, ...outlook(scaled) })
  expect(await goes()).toMatchObject([{ name, machines: 3 }])
  await fares(first, 'w-2', { state: 'updating' })
  expect(await goes()).toEqual([])
})

describe('a policy that asks nobody', () => {
  test('says what it waits for, or why it does not go by itself', async () => {
    const [first, second] = [await able(await at.held()), await able(await at.held())]
    await waved([first, second], [{ name: 'canary' }, { name: 'others' }], { approvals: 0 })
    await place()
    expect(await asked(second)).toMatchObject({ unasked: { goes: true }, listed: { goes: true, due: false } })
    expect(JSON.stringify((await listRuns(ada)).runs)).toContain('held, its policy asks nobody')
    // What it waits for is on its way.
    expect(await need(second)).toBeUndefined()
    await lifted()
    expect(await asked(second)).toMatchObject({ unasked: null, listed: { goes: false } })
    await says(second, { approvals: 0, strategy: 'in-place-only' })
    await able(second, { inPlace: null, whyNotInPlace: 'Nobody covers it.', replace, uncovered: [] })
    expect(await asked(second)).toMatchObject({
      unasked: { goes: false, why: expect.stringMatching(/^Its machines would be replaced/) as string },
    })
  })

  test('says that it is not known yet, but of what is for people whatever turns out', async () => {
    const held = await able(await at.held())
    await says(held, { approvals: 0 })
    const unknown = { ...replace, counts: { unknown: 1 } }
    await able(held, { inPlace: null, whyNotInPlace: 'No updater answers.', unknown, replace, uncovered: [] })
    const why = expect.stringMatching(/No updater answers\. Where it can, it goes by itself once/) as string
    expect(await asked(held)).toMatchObject({ unasked: { goes: false, why, open: true }, listed: { open: true } })
    expect(await need(held)).toBe('Its policy asks nobody, and whether it can go in place is not known yet')
    const { fingerprint, id: changeId } = await row(held)
    const by = { state: 'voided', actorId: cy.actor.id, actorName: 'Cy' } as const
    await db().decision.create({ data: { changeId, fingerprint, mode: 'in-place', ...by } })
    const people = { goes: false, why: expect.stringContaining('decided on before') as string }
    expect(await asked(held)).toMatchObject({ unasked: expect.not.objectContaining({ open: true }) as object })
    expect(await asked(held)).toMatchObject({ unasked: people, listed: { open: false } })
  })

  test('of a control plane whose machine would be deleted it goes only with somebody’s word', async () => {
    const plane = await at.held('KubeadmControlPlane')
    await says(plane, { approvals: 0, strategy: 'replace' })
    expect(await asked(plane)).toMatchObject({
      ...{ unasked: { goes: false, why: 'Machines of control planes are never deleted by itself.' } },
      listed: { goes: false },
    })
  })

  test('and what was decided on before is for people', async () => {
    const held = await able(await at.held())
    await says(held, { approvals: 0 })
    const { fingerprint, id: changeId } = await row(held)
    await db().decision.create({
      data: { changeId, fingerprint, mode: 'in-place', state: 'voided', actorId: cy.actor.id, actorName: 'Cy' },
    })
    expect(await asked(held)).toMatchObject({
      unasked: { goes: false, why: expect.stringContaining('decided on before') as string },
    })
  })

  test('what Cluster API remembers otherwise, or somebody decided on in any way, asks somebody', async () => {
    const held = await able(await at.held())
    await says(held, { approvals: 0, strategy: 'replace' })
    expect(await asked(held)).toMatchObject({ unasked: { goes: true } })
    const { id: _, changeSet, detectedAt: __, ...change } = await row(held)
    const changes = [{ object: 'machine', path: 'version', current: 'v1', desired: 'v2' }]
    const pairs = [{ from: 'ms1', machines: 1, fingerprint: 'p', changes }]
    const remembers = { ...(changeSet as object), pairs } as Prisma.InputJsonObject
    await db().change.update({ where: { id: held.change.id }, data: { changeSet: remembers } })
    const taken = { fingerprint: 'f', mode: 'in-place', actorId: cy.actor.id, actorName: 'Cy', state: 'seen' } as const
    const before = await db().change.create({
      data: {
        ...(change as object as Prisma.ChangeUncheckedCreateInput),
        ...{ state: 'superseded', digest: 'before', finishedAt: new Date(), changeSet: remembers },
        decisions: { create: { ...taken, acceptedAt: new Date() } },
      },
    })
    expect(await asked(held)).toMatchObject({
      ...{ unasked: { goes: false, why: expect.stringContaining('was approved in place before') as string } },
      listed: { goes: false },
    })
    expect(await need(held)).toBe('Waiting for your approval')
    await db().change.delete({ where: { id: before.id } })
    expect(await asked(held)).toMatchObject({ unasked: { goes: true } })
    await db().decision.create({ data: { ...taken, mode: 'replace', changeId: held.change.id } })
    expect(await asked(held)).toMatchObject({
      unasked: { goes: false, why: 'What was decided on or under way before is for people.' },
    })
  })
})

test('a sheet that was open as the configuration of its machines was edited approves nothing, alone or with others', async () => {
  const held = await able(await at.held())
  const { id, fingerprint } = held.change
  const digest = async (of: string) => {
    const config = { apiVersion: 'v1beta2', digest: of }
    const pairs = [{ from: 'old', machines: 1, fingerprint, changes: [], config }]
    await db().change.update({ where: { id }, data: { changeSet: { pairs, fields: [] } } })
  }
  await digest('a')
  const { configs } = await detail(held)
  await digest('b')
  const looked = { ...inputFor(held), configs }
  expect(await failure(approveChange(bo, looked))).toMatchObject({ code: 'conflict' })
  const { mode, changeId } = looked
  const [one] = await approveSeveral(bo, { mode, changes: [{ changeId, fingerprint, configs }] })
  expect(one).toMatchObject({ failure: { message: 'The desired state changed while you were looking at it.' } })
  await digest('a')
  expect((await approveChange(bo, looked)).mode).toBe(mode)
})

test('what was asked for of workers says nothing of the hold of a control plane', async () => {
  const held = await able(await at.held())
  await says(held, { approvals: 1, holdLimit: '9d' })
  await approveChange(ada, { ...inputFor(held), reason: 'fine' })
  const { rules, decided } = await asked(held)
  expect([rules, decided!.rules].map(({ approvals, holdLimit }) => [approvals.policy, holdLimit.policy])).toEqual(
    Array(2).fill([expect.objectContaining({ version: 1 }), null]),
  )
})
