import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { PolicySpec } from '@/lib/domain/policies'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { previewPolicy } from '@/lib/services/policies/preview-policy'
import { previewRemoval } from '@/lib/services/policies/preview-removal'
import { removePolicy } from '@/lib/services/policies/remove-policy'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { failure, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, begins, bo, cy, FROZEN, HOUR, row, timedCluster } from '@/testenv/timed'
import { admit } from './admit'
import { goInTime } from './times'
import { placeInWaves } from './waves'

useTestDatabase()
const { at, view } = timedCluster()
type Rules = Omit<PolicySpec, 'select'>

/** As the worker does every few seconds. */
async function round({ change }: Held): Promise<void> {
  await placeInWaves(await view())
  await goInTime(await view())
  await admit(await view(), change.groupId)
}

/** Who is in which wave is kept for a second. */
async function soon(held: Held): Promise<void> {
  await new Promise((done) => setTimeout(done, 1_100))
  await round(held)
}

const itself: Rules = { approvals: 0, strategy: 'replace' }
const asks = { waves: [{ name: 'a', ownApproval: true }] }
const frozen = { ...FROZEN, waves: [{ name: 'a', soak: '1h' }] }
const open = { waves: [{ name: 'a' }] }
const soaks = { waves: [{ name: 'a', soak: '2h' }] }

test.each<[string, Rules, Rules, boolean]>([
  ['approved; its wave asks somebody, and then nobody', asks, open, true],
  ['approved; a freeze ends, and its wave is written otherwise', frozen, soaks, true],
  ['asks nobody; its wave asks somebody, and then nobody', { ...itself, ...asks }, { ...itself, ...open }, false],
  [
    'asks nobody; a freeze ends, and its wave is written otherwise',
    { ...itself, ...frozen },
    { ...itself, ...soaks },
    false,
  ],
])('%s: that saving it lets it go is said, and bound to that', async (_, before, after, isApproved) => {
  const held = await at.held()
  const select = { names: [held.name] }
  const { id: policyId, name, version } = await savePolicy(cy, { name: held.name, spec: { select, ...before } })
  await placeInWaves(await view())
  if (isApproved) await approveChange(ada, inputFor(held))
  await round(held)
  expect(await stateOf(held)).toBe('waiting')
  const draft = { policyId, name, version, spec: { select, ...after } }
  const same = (await previewPolicy(cy, { policyId, name, spec: { select, ...before } })).atOnce!
  expect(same).toMatchObject({ goes: { changes: 0 }, later: { changes: 0, may: 0 } })
  const { goes, later } = (await previewPolicy(cy, draft)).atOnce!
  expect([goes.changes, later]).toMatchObject([0, { changes: 1, may: 1, replaced: 1, first: [{ id: held.change.id }] }])
  const refused = await failure(savePolicy(cy, { ...draft, goes: same.goes.digest }))
  expect(refused.message).toBe('By now 1 change may go at once by it, and not as you were shown. Nothing was saved.')
  await savePolicy(cy, { ...draft, goes: goes.digest })
  await soon(held)
  expect(await stateOf(held)).toBe('approved')
})

test('taken out: that it goes by the waves of a wider one is said', async () => {
  const held = await at.held()
  const wide = { select: { namespaces: [held.change.namespace] }, ...open }
  await savePolicy(cy, { name: 'wide', spec: wide })
  const narrow = await savePolicy(cy, { name: 'narrow', spec: { select: { names: [held.name] }, ...asks } })
  await placeInWaves(await view())
  await approveChange(ada, inputFor(held))
  await round(held)
  expect(await stateOf(held)).toBe('waiting')
  const { goes, later } = await previewRemoval(cy, { policyId: narrow.id })
  expect(later).toMatchObject({ changes: 1, may: 1 })
  await removePolicy(cy, { policyId: narrow.id, version: narrow.version, goes: goes.digest })
  await soon(held)
  expect(await stateOf(held)).toBe('approved')
})

test('another one leaves its waves, for which alone its own waits: that it goes is said', async () => {
  const [first, other, held] = [await at.held(), await at.held(), await at.held()]
  const [names, name] = [[first.name, other.name, held.name], `r-${randomUUID()}`]
  const waves = [{ name: 'canary', select: { names: names.slice(0, 2) } }, { name: 'rest' }]
  await savePolicy(cy, { name, spec: { select: { names }, waves } })
  await placeInWaves(await view())
  await approveChange(ada, inputFor(held))
  const { changeId, fingerprint } = inputFor(other)
  await rejectChange(bo, { changeId, fingerprint })
  const through = { state: 'done', finishedAt: new Date() }
  await db().change.update({ where: { id: first.change.id }, data: through })
  await soon(held)
  expect(await stateOf(held)).toBe('waiting')
  const select = { names: [other.name], namespaces: [other.change.namespace] }
  const draft = (rules: Rules) => ({ name: 'narrow', spec: { select, ...rules } })
  expect((await previewPolicy(cy, draft({ approvals: 2 }))).atOnce?.later.changes).toBe(0)
  const { goes, later } = (await previewPolicy(cy, draft({ waves: 'none' }))).atOnce!
  expect(later).toMatchObject({ changes: 1, may: 1, first: [{ id: held.change.id }] })
  await savePolicy(cy, { ...draft({ waves: 'none' }), goes: goes.digest })
  await soon(held)
  expect(await stateOf(held)).toBe('approved')
})

/** The same group's, besides what it has. */
async function another(held: Held, more: Partial<Prisma.ChangeUncheckedCreateInput>): Promise<void> {
  const { id: _, ...change } = await row(held)
  const data = { ...change, stoppedAt: null, ...more } as unknown as Prisma.ChangeUncheckedCreateInput
  await db().change.create({ data: { ...data, wave: undefined } })
}
const over = (state: string) => ({ state, finishedAt: new Date() })

test.each<[string, (canary: Held) => Promise<void>]>([
  ['it has nothing open', () => Promise.resolve()],
  [
    'it had the same once, and was rolled back from it',
    (canary) => {
      const [wishedAt, finishedAt] = [new Date(Date.now() - 48 * HOUR), new Date(Date.now() - 47 * HOUR)]
      return another(canary, { state: 'done', detectedAt: wishedAt, wishedAt, finishedAt })
    },
  ],
  [
    'it wants another version by now, which waits',
    (canary) => {
      const wants = { wish: 'version v1.34.2', toVersion: 'v1.34.2', digest: 'x', fingerprint: 'x' }
      const [detectedAt, wishedAt] = [new Date(), new Date()]
      return another(canary, { ...wants, state: 'waiting', finishedAt: null, startedAt: null, detectedAt, wishedAt })
    },
  ],
])('one that was stopped alone keeps a wave shut, and leaves: what goes then is said (%s)', async (_, besides) => {
  const [first, canary, held] = [await at.held(), await at.held(), await at.held()]
  const [names, name] = [[first.name, canary.name, held.name], `r-${randomUUID()}`]
  const waves = [{ name: 'canary', select: { names: names.slice(0, 2) } }, { name: 'rest' }]
  await savePolicy(cy, { name, spec: { select: { names }, waves } })
  await approveChange(ada, inputFor(held))
  await db().change.update({ where: { id: first.change.id }, data: over('done') })
  // Stopped in the middle, and edited back since.
  await begins(canary)
  await db().change.update({ where: { id: canary.change.id }, data: { ...over('reverted'), stoppedAt: new Date() } })
  await besides(canary)
  await soon(held)
  expect((await row(held)).wave).toMatchObject({ state: 'waits' })
  const select = (of: Held) => ({ names: [of.name], namespaces: [of.change.namespace] })
  const draft = (of: Held) => ({ name: 'narrow', spec: { select: select(of), waves: 'none' as const } })
  // What is through keeps nothing shut.
  expect((await previewPolicy(cy, draft(first))).atOnce?.later.changes).toBe(0)
  const { goes, later } = (await previewPolicy(cy, draft(canary))).atOnce!
  expect(later).toMatchObject({ changes: 1, may: 1, first: [{ id: held.change.id }] })
  await savePolicy(cy, { ...draft(canary), goes: goes.digest })
  await soon(held)
  expect(await stateOf(held)).toBe('approved')
})

const opens = (after: number) => new Date(Date.now() + after).toISOString().slice(0, 16)
const from = (after: number) => ({ windows: [{ starts: opens(after), lasts: '2h', timeZone: 'UTC' }] })
const SOON = from(HOUR / 2)

test.each<[string, Rules, Rules]>([
  ['frozen; a window that opens sooner, and waves beside it', FROZEN, { ...SOON, ...open }],
  ['its wave asks somebody; a window instead', asks, SOON],
  ['its wave asks somebody; a window, and waves that ask nobody', asks, { ...SOON, ...open }],
])('%s: that it goes sooner is said', async (_, before, after) => {
  const held = await at.held()
  const select = { names: [held.name] }
  const { id: policyId, name } = await savePolicy(cy, { name: held.name, spec: { select, ...before } })
  await approveChange(ada, inputFor(held))
  await placeInWaves(await view())
  const { goes, sooner } = (await previewPolicy(cy, { policyId, name, spec: { select, ...after } })).atOnce!
  expect([goes.changes, sooner]).toMatchObject([0, { changes: 1, at: Date.parse(`${SOON.windows[0]!.starts}Z`) }])
})

test('its waves are taken away, and it waits for others: that it goes by a window alone is said, and not as sooner', async () => {
  const [canary, held] = [await at.held(), await at.held()]
  const [names, name] = [[canary.name, held.name], `r-${randomUUID()}`]
  const waves = [{ name: 'canary', select: { names: [canary.name] } }, { name: 'rest' }]
  const { id: policyId } = await savePolicy(cy, { name, spec: { select: { names }, waves } })
  await approveChange(ada, inputFor(held))
  await soon(held)
  expect((await row(held)).wave).toMatchObject({ state: 'waits' })
  const spec = { select: { names }, ...from(24 * HOUR) }
  const said = (await previewPolicy(cy, { policyId, name, spec })).atOnce
  expect(said).toMatchObject({ goes: { changes: 0 }, later: { changes: 1, may: 0 }, sooner: { changes: 0 } })
})

/** Approved, and somebody stopped its waves. */
async function stopped() {
  const held = await at.held()
  const spec = { select: { namespaces: [held.change.namespace] }, ...asks }
  const wide = await savePolicy(cy, { name: 'wide', spec })
  await placeInWaves(await view())
  await approveChange(ada, inputFor(held))
  await stopWaves(ada, { policyId: wide.id, wish: (await row(held)).wish, reason: 'outage' })
  await round(held)
  return { held, wide, spec }
}

test('somebody stopped its waves, and a window takes their place: that it goes then is said', async () => {
  const { held } = await stopped()
  const draft = { select: { names: [held.name] }, waves: 'none' as const, ...SOON }
  const { sooner, ended } = (await previewPolicy(cy, { name: 'narrow', spec: draft })).atOnce!
  expect([sooner.changes, ended.length]).toEqual([1, 1])
})

test('who is through, and for whom alone its wave still soaks, leaves: what goes then is said', async () => {
  const [first, canary, held] = [await at.held(), await at.held(), await at.held()]
  const [names, name] = [[first.name, canary.name, held.name], `r-${randomUUID()}`]
  const waves = [{ name: 'canary', select: { names: names.slice(0, 2) }, soak: '7d' as const }, { name: 'rest' }]
  await savePolicy(cy, { name, spec: { select: { names }, waves } })
  await approveChange(ada, inputFor(held))
  const finishedAt = new Date(Date.now() - 8 * 24 * HOUR)
  await db().change.update({ where: { id: first.change.id }, data: { state: 'done', finishedAt } })
  await db().change.update({ where: { id: canary.change.id }, data: over('done') })
  for (const one of [first, canary]) await begins(one)
  await soon(held)
  expect((await row(held)).wave).toMatchObject({ state: 'waits' })
  const select = { names: [canary.name], namespaces: [canary.change.namespace] }
  const draft = { name: 'narrow', spec: { select, waves: 'none' as const } }
  const { goes, later } = (await previewPolicy(cy, draft)).atOnce!
  expect(later).toMatchObject({ changes: 1, may: 1 })
  await savePolicy(cy, { ...draft, goes: goes.digest })
  await soon(held)
  expect(await stateOf(held)).toBe('approved')
})

test('somebody stopped its waves, and others take over: that this stop holds it no more is said', async () => {
  const { held, wide, spec } = await stopped()
  expect((await row(held)).wave).toMatchObject({ state: 'stopped' })
  const edit = { policyId: wide.id, name: wide.name, spec: { ...spec, ...open } }
  expect((await previewPolicy(cy, edit)).atOnce).toMatchObject({ later: { changes: 0 }, ended: [] })
  const draft = { name: 'narrow', spec: { select: { names: [held.name] }, ...open } }
  const { goes, later, ended } = (await previewPolicy(cy, draft)).atOnce!
  expect(later).toMatchObject({ changes: 1, may: 1 })
  const stop = { policy: 'wide', what: 'stop', by: 'Ada', changes: 1 }
  expect(ended).toEqual([stop])
  expect((await previewRemoval(cy, { policyId: wide.id })).ended).toEqual([stop])
  await savePolicy(cy, { ...draft, goes: goes.digest })
  await soon(held)
  expect(await stateOf(held)).toBe('approved')
})
