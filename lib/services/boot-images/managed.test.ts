import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import type { Json, JsonObject } from '@/lib/domain/json'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { failure } from '@/testenv/deciding'
import { startApplier } from '@/worker/applier'
import { amiOf } from '@/sandbox/openshift/seed'
import { skewConsumer } from '@/worker/skew'
import { startWorker, type Worker } from '@/worker/worker'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import type { Ctx, Role } from '../context'
import { cancelAction } from '../openshift/cancel-action'
import { previewGoOn } from '../openshift/preview-go-on'
import { retryAction } from '../openshift/retry-action'
import { getBootImageCard } from '../skew/get-card'
import { getManaged } from './get-managed'
import { previewManaged } from './preview-managed'
import { setManaged } from './set-managed'

// How long it has to be there is a test of its own (steady.test.ts).
vi.mock('@/lib/domain/skew/settle', async (original) => ({ ...(await original<object>()), SETTLE_MS: 0 }))
useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const operator = as('operator')
const MC = 'machineconfigurations.operator.openshift.io'
const SETS = 'machinesets.machine.openshift.io'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const RECORD = { action: 'acknowledge', versionKind: 'OCPVersion', version: '4.22.4' }
const LABELLED = {
  mode: 'Partial',
  rows: [{ key: 'example.com/boot-image', operator: 'In', values: ['managed'] }],
}

let server: RunningApiServer
let controllers: { stop(): Promise<void> } | null
let worker: Worker
let clusterId: string

const begin = () => {
  controllers ??= startOpenShiftControllers(server.store, { speed: 50, life: false, onError: (e) => console.error(e) })
}
const pause = async () => {
  await controllers?.stop()
  controllers = null
}

beforeAll(async () => {
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
    users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
  })
  // Whose image is its owner's business leaves nothing recorded by itself.
  await server.store.delete(SETS, 'openshift-machine-api/tidal-7k2qd-worker-gpu', SOMEBODY)
  begin()
  clusterId = (await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  const log = pino({ level: 'silent' })
  worker = await startWorker({ consumers: [skewConsumer], parts: [], intervalMs: 20, tickMs: 100, log })
})
afterAll(async () => {
  server?.faults.fail(0)
  await worker?.stop()
  await pause()
  await closeClients()
  await server?.stop()
})

async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 25_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 40))) {
    const found = await probe()
    if (found) return found
  }
  const card = await db().openShiftCluster.findFirst()
  throw new Error(`Waited in vain for ${what}: ${JSON.stringify([card?.mode, card?.managed, await actions()])}`)
}
const actions = async () =>
  (await db().openShiftAction.findMany()).map(({ state, step, error }) => `${state} ${step} ${error}`)
const configuration = () => server.store.get(MC, 'cluster')!
const spec = () => configuration().spec as { managedBootImages?: JsonObject; bootImageSkewEnforcement?: Json }
const write = (to: JsonObject) => server.store.merge(MC, 'cluster', { spec: to }, SOMEBODY)
const row = (id: string) => db().openShiftAction.findUniqueOrThrow({ where: { id } })
const reaches = (id: string, ...states: string[]) =>
  until(states.join(' or '), async () => {
    const now = await row(id)
    return states.includes(now.state) ? now : null
  })
const events = async (id: string) =>
  (await db().auditEvent.findMany({ where: { targetId: id }, orderBy: { id: 'asc' } })).map((e) => e.action)
const look = (wish: object) => previewManaged(operator, { clusterId, ...wish })
async function decide(wish: object, more: object = {}) {
  const { resourceVersion, generation, uid } = await look(wish)
  const looked = { resourceVersion, generation: generation ?? undefined, uid }
  return setManaged(operator, { clusterId, ...wish, ...looked, ...more })
}

type Start = 'Automatic' | 'Manual' | 'None' | 'nothing managed'
const STARTS: Record<Start, JsonObject> = {
  Automatic: { bootImageSkewEnforcement: null, managedBootImages: null },
  Manual: {
    bootImageSkewEnforcement: { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } },
    managedBootImages: null,
  },
  None: { bootImageSkewEnforcement: { mode: 'None', manual: null }, managedBootImages: null },
  'nothing managed': { bootImageSkewEnforcement: null, managedBootImages: { machineManagers: [] } },
}
/** Whatever was before, without an error on the way: the operator's own rules ask for the order. */
async function startFrom(start: Start): Promise<void> {
  begin()
  await db().openShiftAction.deleteMany()
  await write({ bootImageSkewEnforcement: { mode: 'None', manual: null } })
  await settled('None')
  await write(STARTS[start])
  await settled(start === 'nothing managed' ? 'Manual' : start)
}
const settled = (mode: string) =>
  until(`the operator is at ${mode}`, async () => {
    const card = await getBootImageCard(as('viewer'), { cluster: 'tidal' })
    return card && !card.pending && card.mode === mode
  })

describe('every way from every state', () => {
  const WISHES = {
    all: { sets: { mode: 'All' } },
    'all, and automatic': { sets: { mode: 'All' }, skew: { action: 'automatic' } },
    'all, with the control plane': { sets: { mode: 'All' }, controlPlanes: 'All' },
    'some, recorded before': { sets: LABELLED, skew: RECORD },
    'none, switched off before': { sets: { mode: 'None' }, skew: { action: 'opt-out' } },
  } as const
  const table = (Object.keys(STARTS) as Start[]).flatMap((start) =>
    (Object.keys(WISHES) as (keyof typeof WISHES)[]).map((wish) => [start, wish] as const),
  )
  test.each(table)('from %s: %s', async (start, name) => {
    await startFrom(start)
    const wish: { sets: { mode: string }; skew?: { action: string }; controlPlanes?: string } = WISHES[name]
    const preview = await look(wish)
    expect(preview.dryRun).toMatchObject({ ok: true })
    // Shown as it is sent.
    expect(preview.steps[0]!.call.body).toMatchObject({ metadata: { resourceVersion: preview.resourceVersion } })
    const two = start === 'Automatic' && wish.sets.mode !== 'All'
    expect(preview.steps).toHaveLength(two ? 2 : 1)
    const { id } = await decide(wish)
    await reaches(id, 'seen')
    const managers = (spec().managedBootImages?.machineManagers ?? []) as unknown as { resource: string; selection: JsonObject }[] // prettier-ignore
    expect(managers.find((m) => m.resource === 'machinesets')?.selection.mode).toBe(wish.sets.mode)
    if (wish.controlPlanes)
      expect(managers.find((m) => m.resource !== 'machinesets')?.selection.mode).toBe(wish.controlPlanes)
    const card = await db().openShiftCluster.findFirstOrThrow()
    expect([card.mode, card.generation]).toEqual([preview.follows.mode, card.observedGeneration])
    expect(await events(id)).toEqual([
      ...['managed.set', ...(two ? ['managed.step-stored'] : [])],
      ...['managed.accepted', 'managed.seen'],
    ])
  })
})

describe('in the middle', () => {
  beforeEach(() => startFrom('Automatic'))
  const narrow = { sets: LABELLED, skew: RECORD }

  test('without a word on the record it is refused before anything is sent', async () => {
    const refused = await failure(look({ sets: LABELLED }))
    expect(refused).toMatchObject({ code: 'invalid', message: expect.stringContaining('recorded first') as string })
    const bogus = { mode: 'Partial', rows: [{ key: 'a b', operator: 'Bogus', values: [] }] }
    expect((await failure(look({ sets: bogus }))).code).toBe('invalid')
    const dated = decide({ sets: { mode: 'All' } }, { reviewAt: '2099-01-01' })
    expect((await failure(dated)).more.fields).toMatchObject([{ field: 'reviewAt' }])
    expect(await db().openShiftAction.count({ where: { reviewAt: { not: null } } })).toBe(0)
    expect((await failure(setManaged(as('viewer'), { clusterId }))).code).toBe('forbidden')
  })

  test('what is recorded first and would close updates that are open takes somebody who says so', async () => {
    await until('nothing is kept closed', async () => (await db().openShiftCluster.findFirst())?.blocks === null)
    const below = { action: 'acknowledge', versionKind: 'OCPVersion', version: '4.12.0' }
    expect((await look(narrow)).confirm).toBeNull()
    const { confirm } = await look({ ...narrow, skew: below })
    expect(confirm).toContain('this closes updates beyond')
    expect((await failure(decide({ ...narrow, skew: below }, { confirmed: `${confirm} Not that.` }))).message).toBe(
      confirm,
    )
    const refused = await failure(decide({ ...narrow, skew: below }))
    expect(refused.more).toMatchObject({
      fields: [{ field: 'skew.version' }],
      hint: expect.stringContaining('confirm') as string,
    })
    expect(await db().openShiftAction.count()).toBe(0)
    const { id } = await decide({ ...narrow, skew: below }, { confirmed: confirm, resourceVersion: '1', generation: 0 })
    // As if it had failed at what was looked at.
    const { resourceVersion, generation } = await look(narrow)
    const { wish } = await row(id)
    const retried = async (confirmed: string) => {
      const data = { resourceVersion, generation, wish: { ...(wish as JsonObject), confirmed } }
      await db().openShiftAction.update({ where: { id }, data })
      return retryAction(operator, { actionId: id })
    }
    expect(await retried('Something else.')).toMatchObject({
      ...{ state: 'failed', conflict: true },
      error: `${confirm} Nothing was recorded: look again, and confirm it where it is meant.`,
    })
    expect((await retried(confirm!)).state).not.toBe('failed')
    await reaches(id, 'seen')
    const event = await db().auditEvent.findFirstOrThrow({ where: { targetId: id, action: 'managed.set' } })
    expect(event.details).toMatchObject({ closingConfirmed: true })
  })

  test('the operator does not run: it waits, says for what, and goes on when it does, also with another process', async () => {
    await pause()
    const begun = await decide(narrow)
    expect(begun).toMatchObject({
      ...{ state: 'waiting', step: 1, back: { label: 'Let the operator record by itself again' } },
      waiting: { until: 'the operator has left Automatic', overdue: false },
    })
    expect(spec().managedBootImages).toBeUndefined()
    await worker.stop()
    begin()
    const applier = startApplier({ owner: 'later', intervalMs: 20, graceMs: 0, log: pino({ level: 'silent' }) })
    await reaches(begun.id, 'accepted', 'seen')
    await applier.stop()
    const log = pino({ level: 'silent' })
    worker = await startWorker({ consumers: [skewConsumer], parts: [], intervalMs: 20, tickMs: 100, log })
    await reaches(begun.id, 'seen')
  })

  test('while it waits it can be taken back, and the operator records by itself again', async () => {
    await pause()
    const { id } = await decide(narrow)
    await cancelAction(operator, { actionId: id, takeBack: true })
    // The watch, which has just heard of the first write, may be the one that sends it.
    await reaches(id, 'cancelled')
    expect(spec().bootImageSkewEnforcement).toBeUndefined()
    begin()
    await settled('Automatic')
  })

  test('the second write is refused: it says where it stands, and goes on, or back', async () => {
    await pause()
    const { id } = await decide(narrow)
    const manual = { mode: 'OCPVersion', ocpVersion: '4.22.4' }
    const status = { bootImageSkewEnforcementStatus: { mode: 'Manual', manual, automatic: null } }
    // Somebody else writes before the operator has said so: what was decided is decided on something else.
    await write({ logLevel: 'Debug' })
    await server.store.merge(MC, 'cluster', { status }, SOMEBODY, 'status')
    const failed = await reaches(id, 'failed')
    expect(failed.error).toContain('Of its 2 steps 1 was stored, and no more')
    expect(failed.error).toContain('Manual, 4.22.4')
    const found = await getManaged(as('viewer'), { cluster: 'tidal' })
    expect(found?.action).toMatchObject({ id, state: 'failed', conflict: true, step: 1 })
    expect(found?.ended).toBeNull()
    // Another decision is refused: it would end this one without a word.
    expect((await getBootImageCard(as('viewer'), { cluster: 'tidal' }))?.underWay).toMatchObject({ id, halfway: true })
    await expect(decide({ sets: LABELLED })).rejects.toMatchObject({ code: 'conflict' })
    // On: for what was looked at it cannot.
    expect(await retryAction(operator, { actionId: id })).toMatchObject({ state: 'failed', conflict: true })
    // Of what somebody else wrote since nobody is the author: as an older Drydock left it.
    const ended = async (state: string, step: number) => {
      await db().openShiftAction.update({ where: { id }, data: { state, step } })
      return getManaged(as('viewer'), { cluster: 'tidal' })
    }
    expect((await ended('superseded', 1))?.ended).toMatch(
      /^Of its 2 steps 1 was stored, and no more; it was decided anew/,
    )
    expect((await ended('superseded', 0))?.action?.id).not.toBe(id)
    await ended('failed', 1)
    const { resourceVersion, generation, uid } = await previewGoOn(operator, { actionId: id })
    const looked = { resourceVersion, generation: generation ?? undefined, uid }
    const taken = await cancelAction(operator, { actionId: id, takeBack: true, ...looked })
    expect(taken.state).toBe('cancelled')
    expect(spec()).toMatchObject({ logLevel: 'Debug' })
    expect(spec().bootImageSkewEnforcement).toBeUndefined()
  })
})

test('afterwards it is told what the controller did', async () => {
  const { discovery } = await db().managementCluster.findFirstOrThrow()
  expect(discovery).toMatchObject({ openshift: { managed: { spec: true, status: true, none: true } } })
  await startFrom('nothing managed')
  const [a, c] = ['us-east-1a', 'us-east-1c'].map(
    (suffix) => server.store.list(SETS).find((set) => set.metadata.name.endsWith(suffix))!.metadata.name,
  )
  const old = amiOf('4.16.0', 'us-east-1')
  const spec = { template: { spec: { providerSpec: { value: { ami: { id: old } } } } } }
  await server.store.merge(SETS, `openshift-machine-api/${a}`, { spec }, SOMEBODY)
  await until('the old image', () => db().bootImageSet.findFirst({ where: { name: a, current: old } }))
  const preview = await look({ sets: LABELLED })
  expect(preview.follows.sets.filter((set) => set.managedThen).map((set) => set.name)).toEqual([c])
  expect(preview.commands).toContain(
    `oc -n openshift-machine-api label machineset/${a} --overwrite example.com/boot-image=managed`,
  )
  const all = (await look({ sets: { mode: 'All' } })).follows.sets.find((set) => set.name === a)
  expect(all).toMatchObject({ managedNow: false, managedThen: true, from: old })
  const { id } = await decide({ sets: { mode: 'All' } })
  await reaches(id, 'seen')
  const found = await until('the pass', async () => {
    const now = await getManaged(as('viewer'), { cluster: 'tidal' })
    const told = now?.outcome?.sentences.join(' ').includes('3 of 3 as they should be')
    return told && now?.outcome?.changed.length === 1 ? now : null
  })
  expect(found).toMatchObject({
    ...{ sets: { mode: 'All' }, planes: 'None', may: { planes: true } },
    outcome: { changed: [{ name: a, from: old, to: all!.to }], open: [], failed: [] },
  })
  // As it is recorded where Drydock's clock is an hour ahead of the cluster's: a pass is since the write by the cluster's own.
  const { calls } = await db().openShiftAction.findUniqueOrThrow({ where: { id } })
  const at = new Date(Date.now() + 3_600_000)
  const ahead = (calls as JsonObject[]).map((call) => ({ ...call, at: at.toISOString() }))
  await db().openShiftAction.update({ where: { id }, data: { calls: ahead, acceptedAt: at } })
  expect((await getManaged(as('viewer'), { cluster: 'tidal' }))!.outcome!.sentences.join(' ')).toContain(
    'last pass: 3 of 3',
  )
  // Of a step whose answer was lost there is no such call: another one's says nothing of it.
  const others = ahead.map((call) => ({ ...call, step: 1 }))
  await db().openShiftAction.update({ where: { id }, data: { calls: others } })
  expect((await getManaged(as('viewer'), { cluster: 'tidal' }))!.outcome!.sentences.join(' ')).not.toContain(
    'last pass',
  )
})

test('when a write was stored that only takes away is told by no earlier one', async () => {
  await startFrom('None')
  const both = await decide({ sets: { mode: 'All' }, skew: RECORD })
  await reaches(both.id, 'seen')
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const from = Date.now()
  const less = await decide({ sets: { mode: 'All' }, skew: { action: 'automatic' } })
  await reaches(less.id, 'seen')
  const storedAt = async (id: string) => {
    const { calls } = await db().openShiftAction.findUniqueOrThrow({ where: { id } })
    // The operator may write between the look and the write, which is then sent once more.
    return (calls as JsonObject[]).filter(({ code }) => code === 200).map((call) => call.storedAt)
  }
  expect(await storedAt(both.id)).toEqual([expect.any(String)])
  expect(await storedAt(less.id)).toEqual([undefined])
  expect(Date.parse(less.calls[0]!.at!)).toBeGreaterThanOrEqual(from)
})

const ARGO = { user: 'argo', groups: ['system:masters'], fieldManager: 'argocd-controller' }
const named = (mode: string): JsonObject => ({
  machineManagers: [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode } }],
})
const synced = (to: JsonObject) => server.store.merge(MC, 'cluster', { spec: to }, ARGO)

test('who holds what only the second write changes is named', async () => {
  await startFrom('Automatic')
  await synced({ managedBootImages: named('All') })
  await settled('Automatic')
  for (const sets of [{ mode: 'None' }, LABELLED]) {
    const preview = await look({ sets, skew: RECORD })
    expect(preview.steps).toHaveLength(2)
    const said = preview.warnings.filter((warning) => warning.includes('Argo CD'))
    expect(said).toEqual([
      expect.stringMatching(/^Argo CD \(argocd-controller\) holds spec\.managedBootImages\. Its next sync writes/),
    ])
  }
})

test('a choice that somebody wrote over is nobody’s here any more, and who did is said', async () => {
  await startFrom('None')
  const { id } = await decide({ sets: { mode: 'None' } })
  await reaches(id, 'seen')
  const now = async () => (await getManaged(as('viewer'), { cluster: 'tidal' }))!
  expect((await now()).lost).toBeNull()
  await synced({ managedBootImages: named('All') })
  const told = await until('it to be lost', async () => (await now()).lost !== null && now())
  expect(told).toMatchObject({
    sets: { mode: 'All' },
    action: { id },
    lost: { by: 'argocd-controller' },
    outcome: null,
  })
  // The same, written later, is somebody else's.
  await write({ managedBootImages: named('None') })
  await until('it to be none again', async () => (await now()).sets.mode === 'None')
  expect((await now()).lost).toMatchObject({ by: 'argocd-controller' })
  const again = await decide({ sets: { mode: 'None' } })
  await reaches(again.id, 'seen')
  expect(await now()).toMatchObject({ action: { id: again.id }, lost: null })
})

test('an acknowledgement that somebody wrote over after it was seen is said to be, and by whom', async () => {
  await startFrom('None')
  const { id } = await decide({ sets: { mode: 'All' }, skew: RECORD })
  await reaches(id, 'seen')
  const card = async () => (await getBootImageCard(as('viewer'), { cluster: 'tidal' }))!
  expect(await card()).toMatchObject({ saidBy: 'l.varga', lostWord: null })
  await synced({ bootImageSkewEnforcement: { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } } })
  const told = await until('it to be lost', async () => (await card()).lostWord !== null && card())
  expect(told).toMatchObject({
    saidBy: null,
    lostWord: { by: 'argocd-controller', actorName: 'l.varga', action: 'acknowledge', version: '4.22.4' },
  })
})
