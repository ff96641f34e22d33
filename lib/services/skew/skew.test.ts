import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { DRYDOCK } from '@/lib/providers/written-by'
import { skewConsumer } from '@/worker/skew'
import { failure } from '@/testenv/deciding'
import { startWorker, type Worker } from '@/worker/worker'
import { listAudit } from '../audit/list-audit'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { getManaged } from '../boot-images/get-managed'
import type { Ctx, Role } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { applyAction } from '../openshift/apply-action'
import { retryAction } from '../openshift/retry-action'
import { acknowledgeSkew } from './acknowledge'
import { getBootImageCard, type BootImageCard } from './get-card'
import { optOutSkew } from './opt-out'
import { previewSkewAction } from './preview'
import { returnToAutomatic } from './return-to-automatic'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const operator = as('operator')
const MC = 'machineconfigurations.operator.openshift.io'
const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }

let server: RunningApiServer
let controllers: { stop(): Promise<void> }
let worker: Worker
let clusterId: string

beforeAll(async () => {
  server = await startApiServer({
    version: 'v1.35.4',
    families: ['openshift'],
    resources: openShiftResources(),
    objects: openShiftFleet(),
    users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
  })
  controllers = startOpenShiftControllers(server.store, { speed: 50, life: false, onError: (e) => console.error(e) })
  clusterId = (await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  const consumers = [skewConsumer]
  worker = await startWorker({ consumers, parts: [], intervalMs: 20, tickMs: 100, log: pino({ level: 'silent' }) })
})
afterAll(async () => {
  server?.faults.fail(0)
  await worker?.stop()
  await controllers?.stop()
  await closeClients()
  await server?.stop()
})
beforeEach(() => untilCard((card) => card.mode !== null && !card.pending))

async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + 25_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 40))) {
    const found = await probe()
    if (found) return found
  }
  const streams = await db().stream.findMany({ select: { resource: true, state: true, message: true, objects: true } })
  throw new Error(
    `Waited in vain for ${what}; streams: ${streams.map((x) => `${x.resource} ${x.state} ${x.objects} ${x.message ?? ''}`).join('; ')}`,
  )
}
const card = () => getBootImageCard(as('viewer'), { cluster: 'tidal' })
const untilCard = (is: (card: BootImageCard) => boolean): Promise<BootImageCard> =>
  until('the card', async () => {
    const found = await card()
    return found && is(found) ? found : null
  })
const untilSeen = (id: string) =>
  until('the third tick', async () => {
    const row = await db().openShiftAction.findUniqueOrThrow({ where: { id } })
    if (row.state === 'failed') throw new Error(`It failed: ${row.error}`)
    return row.state === 'seen'
  })
const stanza = () => server.store.get(MC, 'cluster')?.spec?.bootImageSkewEnforcement
const preview = (action: string, more: object = {}) => previewSkewAction(operator, { clusterId, action, ...more })
/** What stands at the box is confirmed where `more` says nothing else. */
const acknowledge = async (version: string, more: object = {}): Promise<ActionDto> => {
  const { resourceVersion, confirm: confirmed } = await preview('acknowledge', { version })
  const looked = { clusterId, versionKind: 'OCPVersion', version, resourceVersion, confirmed }
  return acknowledgeSkew(operator, { ...looked, ...more })
}
/** As a process left it that is gone. */
const left = (data: object) =>
  db().openShiftAction.create({
    data: { ...{ clusterId, actorId: 'u1', actorName: 'l.varga', action: 'acknowledge' }, ...data },
  })
const audited = async (id: string) =>
  (await db().auditEvent.findMany({ where: { targetId: id }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )

describe('the card', () => {
  test('is below the floor, with the evidence that says what to acknowledge', async () => {
    const found = await untilCard((c) => c.verdict === 'out-of-skew')
    expect(found).toMatchObject({
      name: 'tidal',
      mode: 'Manual',
      recorded: { ocpVersion: '4.12.7' },
      floor: { ocp: '4.13.0', rhel: '9.2' },
      sentence: 'Boot image 4.12.7 is below the floor 4.13.0. Updates are closed.',
      managed: 'Partial, 1 of 4',
      configured: false,
    })
    expect(found.best).toMatchObject({ versionKind: 'OCPVersion', version: '4.16.0', sure: 'likely' })
    expect(found.best?.why).toContain('gpu could not be dated')
    const states = Object.fromEntries(found.sets.map((s) => [s.name.replace('tidal-7k2qd-worker-', ''), s.state]))
    expect(states).toMatchObject({ 'us-east-1a': 'outdated', 'us-east-1c': 'current', gpu: 'custom' })
    const [a] = found.sets.filter((s) => s.name.endsWith('us-east-1a'))
    expect(a?.reason).toContain('Boot image updates are off for this set.')
  })

  test('agrees with what the cluster’s own operator says', async () => {
    const operatorSays = await until('the operator', async () => {
      const conditions = server.store.get('clusteroperators.config.openshift.io', 'machine-config')?.status?.conditions
      return (conditions as { type: string; status: string; reason: string }[]).find(
        (c) => c.type === 'Upgradeable' && c.status === 'False',
      )
    })
    expect(operatorSays.reason).toBe('ClusterBootImageSkewError')
    // Another operator repeats it, when it has looked.
    const repeated = 'Cluster operator machine-config should not be upgraded between minor or major versions'
    await until('ClusterVersion', () => {
      const version = server.store.get('clusterversions.config.openshift.io', 'version')
      return Promise.resolve(JSON.stringify(version?.status?.conditions).includes(repeated))
    })
  })
})

describe('before acting', () => {
  test('shows the exact call, the server’s own answer to it and what follows, and changes nothing', async () => {
    const before = server.store.get(MC, 'cluster')
    const shown = await preview('acknowledge', { version: '4.16.0' })
    expect(shown.call.body).toEqual({
      metadata: { resourceVersion: shown.resourceVersion },
      spec: {
        bootImageSkewEnforcement: {
          mode: 'Manual',
          manual: { mode: 'OCPVersion', ocpVersion: '4.16.0', rhcosVersion: null },
        },
      },
    })
    expect(shown.dryRun).toMatchObject({ ok: true })
    expect(shown.follows.judgement.verdict).toBe('ok')
    expect(server.store.get(MC, 'cluster')).toBe(before)
  })

  test('says what a return leads to, and that managing all sets goes with it', async () => {
    const alone = await preview('automatic')
    expect(alone.follows).toMatchObject({ mode: 'Manual', recorded: { ocpVersion: '4.12.7' } })
    const together = await preview('automatic', { manageAll: true })
    expect(together.follows).toMatchObject({ mode: 'Automatic', judgement: { verdict: 'out-of-skew' } })
    expect(together.follows.sentences.join(' ')).toContain('tidal-7k2qd-worker-gpu will be skipped')
    expect(together.dryRun.ok).toBe(true)
  })

  test.each([
    [{ version: 'v4.16.0' }, 'version', 'x.y.z'],
    [{ version: '4.19.0-rc.1' }, 'version', 'x.y.z'],
    [{ version: '9.6.20251023', versionKind: 'RHCOSVersion' }, 'version', '9.6.20251023-0'],
    [{ version: '4.16.0', reviewAt: '2020-01-01' }, 'reviewAt', 'future'],
    [{ version: '4.16.0', resourceVersion: undefined }, 'resourceVersion', 'Look at what would happen first'],
    [{ version: '4.16.0', clusterId: 'x' }, 'clusterId', 'not the id'],
  ])('refuses %j with one sentence', async (input, field, words) => {
    const error = await failure(
      acknowledgeSkew(operator, { clusterId, versionKind: 'OCPVersion', resourceVersion: '1', ...input }),
    )
    expect(error.code).toBe('invalid')
    expect(error.more.fields?.find((f) => f.field === field)?.message).toContain(words)
    expect(await db().openShiftAction.count()).toBe(0)
  })

  test('a version above the cluster’s own release takes somebody who says so', async () => {
    const shown = await preview('acknowledge', { version: '4.23.0' })
    expect(shown.confirm).toMatch(/newer than the cluster itself \(4\.22\.\d+\): no machine can have started from it/)
    expect(shown.confirm).toBe(shown.warnings.join(' '))
    const one = shown.warnings[0]
    for (const confirmed of [undefined, null, '', one, `${shown.confirm} And more.`])
      expect((await failure(acknowledge('4.23.0', { confirmed }))).message).toBe(shown.confirm)
    expect(await db().openShiftAction.count()).toBe(0)
    expect((await preview('acknowledge', { version: '4.20.0' })).confirm).toContain('By the evidence 4.20.0 is not the')
    expect((await preview('acknowledge', { version: '4.16.0' })).confirm).toBeNull()
  })

  test('asks for the role', async () => {
    for (const verb of [acknowledgeSkew, optOutSkew, returnToAutomatic, retryAction, previewSkewAction])
      expect((await failure(verb(as('viewer'), {}))).code).toBe('forbidden')
    expect(await db().openShiftAction.count()).toBe(0)
  })
})

describe('acting', () => {
  test('an acknowledgement is recorded, accepted and seen, and opens updates', async () => {
    const reviewAt = new Date(Date.now() + 86_400_000).toISOString()
    const done = await acknowledge(' 4.16.0 ', { reason: 'images checked by hand', reviewAt })
    expect(done).toMatchObject({ version: '4.16.0', reason: 'images checked by hand', reviewAt, error: null })
    expect(['accepted', 'seen']).toContain(done.state)
    expect(stanza()).toEqual({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } })
    await untilSeen(done.id)
    const found = await untilCard((c) => c.verdict === 'ok')
    expect(found).toMatchObject({
      mode: 'Manual',
      recorded: { ocpVersion: '4.16.0' },
      configured: true,
      action: { id: done.id, state: 'seen' },
    })
    expect(await audited(done.id)).toEqual(['skew.acknowledged ok', 'skew.accepted ok', 'skew.seen ok'])
  })

  test('a version above the cluster’s own, confirmed, is recorded, and the audit says that it was', async () => {
    const done = await acknowledge('4.23.0')
    await untilSeen(done.id)
    expect(stanza()).toMatchObject({ manual: { ocpVersion: '4.23.0' } })
    const [event] = (await listAudit(operator, { action: 'skew.acknowledged' })).rows
    expect(event).toMatchObject({ target: { id: done.id }, details: { version: '4.23.0', newerConfirmed: true } })
    const accepted = await listAudit(operator, { action: 'skew.accepted' })
    expect(accepted.known[accepted.rows[0]!.id]).toMatchObject({ version: '4.23.0', decision: null })
    const again = await acknowledge('4.16.0')
    await untilSeen(again.id)
    const last = (await listAudit(operator, { action: 'skew.acknowledged' })).rows[0]
    expect(last?.details).not.toHaveProperty('newerConfirmed')
  })

  test('from one kind of version to the other, to off, and back to the default', async () => {
    const typed = { version: '9.6.20251023-0', versionKind: 'RHCOSVersion' }
    let { resourceVersion, confirm: confirmed } = await preview('acknowledge', typed)
    const rhcos = await acknowledgeSkew(operator, {
      ...{ ...typed, clusterId, resourceVersion, confirmed },
    })
    await untilSeen(rhcos.id)
    expect(stanza()).toEqual({ mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion: '9.6.20251023-0' } })
    resourceVersion = (await preview('opt-out')).resourceVersion
    const off = await optOutSkew(operator, { clusterId, resourceVersion })
    await untilSeen(off.id)
    await untilCard((c) => c.verdict === 'not-enforced')
    expect(stanza()).toEqual({ mode: 'None' })
    ;({ resourceVersion, confirm: confirmed } = await preview('automatic'))
    const back = await returnToAutomatic(operator, { clusterId, resourceVersion, confirmed })
    await untilSeen(back.id)
    await untilCard((c) => c.verdict === 'out-of-skew' && c.recorded.ocpVersion === '4.12.7')
    expect(stanza()).toBeUndefined()
  })

  test('what somebody else changed meanwhile is told, and nothing is overwritten', async () => {
    const { resourceVersion } = await preview('opt-out')
    const theirs = { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.14.0' } }
    await server.store.merge(MC, 'cluster', { spec: { bootImageSkewEnforcement: theirs } }, SOMEBODY)
    const failed = await optOutSkew(operator, { clusterId, resourceVersion })
    expect(failed).toMatchObject({ state: 'failed', conflict: true })
    expect(failed.error).toContain('Manual, 4.14.0')
    expect(failed.answer).toContain('the object has been modified')
    expect(stanza()).toMatchObject({ manual: { ocpVersion: '4.14.0' } })
    const { state } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
    await db().managementCluster.update({ where: { id: clusterId }, data: { state: 'disconnected' } })
    const refused = failure(retryAction(operator, { actionId: failed.id }))
    await refused.finally(() => db().managementCluster.update({ where: { id: clusterId }, data: { state } }))
    expect(await refused).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('disconnected') as string,
    })
    expect((await retryAction(operator, { actionId: failed.id })).state).toBe('failed')
    expect(await audited(failed.id)).toEqual([
      'skew.opted-out ok',
      'skew.failed refused',
      'skew.retried ok',
      'skew.failed refused',
    ])
  })

  test('a server that fails leaves it failed with its words, and a retry applies it', async () => {
    const { resourceVersion } = await preview('opt-out')
    server.faults.fail(503)
    const failed = await optOutSkew(operator, { clusterId, resourceVersion }).finally(() => server.faults.fail(0))
    expect(failed).toMatchObject({ state: 'failed', conflict: false })
    expect(failed.error).toContain('Retry')
    const retried = await retryAction(operator, { actionId: failed.id })
    expect(['accepted', 'seen']).toContain(retried.state)
    expect(stanza()).toEqual({ mode: 'None' })
    expect(retried.calls).toHaveLength(2)
    expect((await failure(retryAction(operator, { actionId: failed.id }))).code).toBe('conflict')
  })

  test.each([
    ['was confirmed for something else', { confirmed: 'By the evidence 4.18.0 is not the oldest.' }],
    ['was recorded before Drydock kept that', { newerConfirmed: true }],
  ])('what %s is not sent', async (_, wish) => {
    const { resourceVersion, call, confirm } = await preview('acknowledge', { version: '4.17.0' })
    const before = stanza()
    const { id } = await left({ versionKind: 'OCPVersion', version: '4.17.0', wish, resourceVersion, calls: [call] })
    await applyAction(id, 'worker')
    const error = `${confirm} Nothing was recorded: look again, and confirm it where it is meant.`
    expect(await db().openShiftAction.findUnique({ where: { id } })).toMatchObject({
      state: 'failed',
      error,
      calls: [],
    })
    expect(stanza()).toEqual(before)
    await db().openShiftAction.delete({ where: { id } })
  })

  test('what a crash left recorded is applied once, however many try', async () => {
    const { resourceVersion, call, confirm: confirmed } = await preview('acknowledge', { version: '4.17.0' })
    expect(confirmed).toContain('By the evidence')
    const { id } = await left({
      ...{ versionKind: 'OCPVersion', version: '4.17.0', wish: { confirmed }, resourceVersion, calls: [call] },
    })
    await Promise.all(['a', 'b', 'c'].map((who) => applyAction(id, who)))
    await untilSeen(id)
    expect(await db().openShiftAction.findUniqueOrThrow({ where: { id } })).toMatchObject({ attempts: 1, error: null })
    expect(await audited(id)).toEqual(['skew.accepted ok', 'skew.seen ok'])
  })

  test('what a crash left applied but unrecorded is not a conflict', async () => {
    const { resourceVersion, call } = await preview('acknowledge', { version: '4.18.0' })
    const drydock = { ...SOMEBODY, fieldManager: DRYDOCK }
    await server.store.merge(MC, 'cluster', { spec: (call.body as { spec: object }).spec as never }, drydock)
    const { id } = await left({
      ...{ versionKind: 'OCPVersion', version: '4.18.0', resourceVersion, calls: [call] },
      ...{ state: 'applying', attempts: 1, claimedBy: 'dead', claimedUntil: new Date(Date.now() - 1000) },
    })
    await applyAction(id, 'worker')
    await untilSeen(id)
  })

  test('a claim that still runs is left alone', async () => {
    const { resourceVersion, call } = await preview('opt-out')
    const before = stanza()
    const { id } = await left({
      ...{ action: 'opt-out', resourceVersion, calls: [call] },
      ...{ state: 'applying', claimedBy: 'other', claimedUntil: new Date(Date.now() + 60_000) },
    })
    await applyAction(id, 'worker')
    expect(stanza()).toEqual(before)
    await db().openShiftAction.delete({ where: { id } })
  })
})

describe('the operator’s own ways', () => {
  test('returning with all sets managed leads to Automatic, and a skipped set keeps the record down without a flicker', async () => {
    const { resourceVersion, confirm: confirmed } = await preview('automatic', { manageAll: true })
    const seen: string[] = []
    const done = await returnToAutomatic(operator, { clusterId, resourceVersion, manageAll: true, confirmed })
    await untilSeen(done.id)
    const found = await until('the pass', async () => {
      const now = await card()
      if (now && seen.at(-1) !== now.verdict) seen.push(now.verdict)
      return now?.mode === 'Automatic' &&
        now.verdict === 'out-of-skew' &&
        now.sets.filter((s) => s.state === 'current').length >= 3
        ? now
        : null
    })
    expect(found.recorded.ocpVersion).toBe('4.12.7')
    expect(found.sets.find((s) => s.name.endsWith('gpu'))?.state).toBe('custom')
    expect(seen.filter((v) => v === 'ok')).toEqual([])
    const managed = await getManaged(as('viewer'), { cluster: clusterId })
    expect(managed).toMatchObject({ action: { id: done.id }, outcome: { open: [], skipped: [expect.anything()] } })
    expect(managed?.outcome?.sentences[0]).toContain('Another image since then: ')
  })

  test('with the skipped set gone the record rises, and updates open', async () => {
    await server.store.delete(
      'machinesets.machine.openshift.io',
      'openshift-machine-api/tidal-7k2qd-worker-gpu',
      SOMEBODY,
    )
    const found = await untilCard((c) => c.verdict === 'ok')
    expect(found).toMatchObject({ mode: 'Automatic', recorded: { ocpVersion: '4.22.4' } })
    expect(found.sets.map((s) => s.name)).not.toContain('tidal-7k2qd-worker-gpu')
  })

  test('a degraded pool hides the reason from the operator, not from the card', async () => {
    const done = await acknowledge('4.12.9')
    await untilSeen(done.id)
    const pools = 'machineconfigpools.machineconfiguration.openshift.io'
    const had = server.store.get(pools, 'worker')?.status?.conditions as { type: string }[]
    const conditions = had.map((c) => (c.type === 'Degraded' ? { ...c, status: 'True' } : c))
    await server.store.merge(pools, 'worker', { status: { conditions: conditions as never } }, SOMEBODY, 'status')
    const { otherReason } = await untilCard((c) => c.otherReason !== null && c.verdict === 'out-of-skew')
    expect(otherReason).toMatchObject({ reason: 'DegradedPool', hides: true })
  })
})

test('a release before skew enforcement is never written to', async () => {
  server.register(openShiftResources({ form: 'without-skew' })[0]!)
  const row = (data: object) => db().openShiftCluster.update({ where: { clusterId }, data })
  await row({ availability: 'field-without-operator' })
  expect((await failure(preview('opt-out'))).message).toContain('acts on boot image skew')
  await row({ skewSupported: false })
  expect((await failure(preview('opt-out'))).message).toContain('does not know boot image skew')
})
