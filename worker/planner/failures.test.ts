import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { restoreLimit } from '@/lib/services/changes/restore-limit'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { annotations, audited, expectHeld, failure, stateOf } from '@/testenv/deciding'
import { REMEDIATE } from '@/lib/domain/health-checks'
import { HELD } from '@/lib/domain/latch/names'
import { NO_NODE } from '@/lib/providers/cluster-api'
import type { Held } from '@/testenv/held'
import { ago, fares, OLD } from '@/testenv/faring'
import { ada, bo, CLOSED, decisions, person, row, says, timedCluster } from '@/testenv/timed'
import { requireInTime } from '../gate/decisions'
import { stopFailing } from './failures'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const goOn = ({ change: { id: changeId } }: Held, stoppedAt: Date | null) => ({
  ...{ changeId, asDone: false, stoppedAt: stoppedAt!.toISOString() },
})
const { view, look, running } = timedCluster()

const ill = (minutes: number) => ({ ready: false, available: false, state: 'not-ready', notReadySince: ago(minutes) })
const fails = (held: Held, name: string) =>
  fares(held, name, { state: 'failed', updater: 'u', message: 'its updater failed' }, { updating: true })
const stopped = async (held: Held) => (await row(held)).stoppedWhy

/** As the worker does, every few seconds. */
async function round(): Promise<void> {
  await stopFailing(await view())
  await holdToTimes(await view())
}

describe('what counts as failed', () => {
  test.each<[string, object, object, boolean]>([
    [
      'its updater says so',
      { ...OLD, state: 'failed', updater: 'u', startedAt: ago(1) },
      { updating: true, upToDate: false },
      true,
    ],
    ['its controllers say so', {}, { error: 'no capacity', ready: false }, true],
    ['its health check failed', {}, { checkFailedSince: ago(0) }, true],
    [
      'remediated while it is updated',
      { ...OLD, state: 'updating', updater: 'u', startedAt: ago(2) },
      { checkFailedSince: ago(1), updating: true },
      true,
    ],
    [
      'ill before it began',
      { ...OLD, state: 'updating', updater: 'u' },
      { checkFailedSince: ago(9), updating: true },
      false,
    ],
    ['remediated, and going already', { state: 'deleting' }, { checkFailedSince: ago(0), deleting: true }, true],
    ['new, and not Ready in time', { startedAt: ago(16) }, { ...ill(15), node: 'n', createdAt: ago(16) }, true],
    ['new, without a node in time', { startedAt: ago(16) }, { ...ill(0), createdAt: ago(16) }, true],
    [
      'new, and its workload cluster cannot be asked',
      { startedAt: ago(16) },
      { ...ill(0), notReadySince: null, node: 'n', createdAt: ago(16) },
      false,
    ],
    ['new, slow to join, with time left', { state: 'failed' }, { ...ill(0), error: `${NO_NODE} 20 minutes: x` }, false],
    ['updated, and not Ready in time', { ...OLD, state: 'done', finishedAt: ago(16) }, { ...ill(16), node: 'n' }, true],
    [
      'updated long ago, and not Ready since a moment',
      { ...OLD, state: 'done', finishedAt: ago(99) },
      { ...ill(1), node: 'n' },
      false,
    ],
    ['new, with time left', { startedAt: ago(8) }, { ...ill(8), createdAt: ago(8) }, false],
    [
      'updated a moment ago',
      { ...OLD, state: 'done', finishedAt: ago(1) },
      { ...ill(60), createdAt: ago(1000) },
      false,
    ],
    ['well', { state: 'done', finishedAt: ago(100) }, {}, false],
    [
      'at work for long',
      { ...OLD, state: 'updating', updater: 'u', startedAt: ago(99) },
      { ...ill(99), updating: true },
      false,
    ],
    [
      'at the end of its update',
      { ...OLD, state: 'updating', updater: 'u', startedAt: ago(99) },
      { ...ill(99), createdAt: ago(999) },
      false,
    ],
    [
      'the error of the update before, a moment after it began',
      { ...OLD, state: 'failed', updater: 'u' },
      { error: 'x', updating: true },
      false,
    ],
    ['hanging in what was wanted before', { ...OLD, state: 'failed' }, { error: 'hangs', updating: true }, false],
    ['up to date before, and ill now', { state: 'failed' }, { error: 'disk', createdAt: ago(100) }, false],
    ['an old one that was ill before', { ...OLD, state: 'failed' }, { error: 'disk', upToDate: false }, false],
    [
      'an old one whose drain hangs',
      { state: 'deleting' },
      { error: 'budget', upToDate: false, deleting: true },
      false,
    ],
    ['it was what is wanted before', { predicted: 'up-to-date', state: 'failed' }, { error: 'disk' }, false],
    ['it has not begun', { ...OLD, state: 'waiting', startedAt: null }, { ...ill(100), createdAt: ago(100) }, false],
  ])('%s', async (_, progress, machine, counts) => {
    const held = await running()
    await says(held, { stopsAt: 1, readyWithin: '15m' })
    await fares(held, 'm-1', progress, machine)
    await round()
    expect((await stopped(held)) !== null).toBe(counts)
  })

  test('made, and not Ready in time, it is shown as failed, until somebody accepts that', async () => {
    const held = await running()
    await says(held, { stopsAt: 1, readyWithin: '15m' })
    await fares(held, 'm-1', { startedAt: ago(16) }, { ...ill(15), node: 'n', createdAt: ago(16) })
    await fares(held, 'm-2', { ...OLD, state: 'done', startedAt: ago(16), finishedAt: ago(2) })
    await round()
    await look(held)
    const shown = async () => {
      const { hull, machinesList, outcome } = await getUpdate(ada, held.change.id)
      const late = machinesList.find(({ name }) => name === 'm-1')?.progress?.late
      const marks = hull.cells?.map(({ name, mark, note }) => `${name} ${mark} ${note ?? ''}`.trim())
      return { marks, late, failed: outcome?.failed }
    }
    const failed = { marks: ['m-1 failed not Ready in time', 'm-2 in-place'], late: 'not Ready in time', failed: 1 }
    expect(await shown()).toEqual(failed)
    // It comes late, and the rollout stands still because of it all the same.
    await db().machine.updateMany({ where: { name: 'm-1' }, data: { ready: true, state: 'ready' } })
    expect(await shown()).toEqual(failed)
    const stoppedAt = (await row(held)).stoppedAt!.toISOString()
    await acceptFailures(ada, { changeId: held.change.id, stoppedAt, asDone: false, again: true, reason: 'slow' })
    expect(await shown()).toEqual({ marks: ['m-1 up-to-date', 'm-2 in-place'], late: null, failed: 0 })
  })

  test('why is said: a mark that somebody set is no check that failed', async () => {
    const why = async (checkWords: string, more: object = {}) => {
      const held = await running()
      await says(held, { stopsAt: 1 })
      await fares(held, 'm-1', {}, { checkFailedSince: ago(0), checkWords, ...more })
      await round()
      return stopped(held)
    }
    const remediated = 'its health check failed, and it is remediated'
    const begun = ['MachineDeleting', 'WaitingForRemediation']
    for (const remediationReason of begun)
      expect(await why('Ready is Unknown', { remediationReason })).toContain(remediated)
    expect(await why('Ready is Unknown', { deleting: true })).toContain(remediated)
    // Too many are ill, or its owner does not delete it: nothing is done about it.
    const plane = { parts: [], node: 'ready', hook: true }
    for (const more of [{}, { remediationReason: 'RemediationDeferred' }, { remediationReason: begun[1], plane }])
      expect(await why('Ready is Unknown', more)).toContain('its health check failed)')
    expect(await why(`marked for remediation via ${REMEDIATE} annotation`)).toContain(
      'somebody marked it to be remediated',
    )
  })

  test('a control plane machine counts only while its manager looks, and a minute after that', async () => {
    const held = await running()
    await says(held, { stopsAt: 1, readyWithin: '15m' })
    const plane = { parts: [], node: 'ready', hook: true }
    await fares(held, 'cp-1', { startedAt: ago(16) }, { ...ill(15), node: 'n', createdAt: ago(16), plane })
    const group = (words: string | null) =>
      db().group.update({ where: { id: held.change.groupId }, data: { held: words } })
    const accepted = (at: Date) =>
      db().decision.updateMany({ where: { changeId: held.change.id }, data: { acceptedAt: at } })
    const counts = async () => {
      await stopFailing(await view())
      return (await stopped(held)) !== null
    }
    await accepted(ago(2))
    await group('between two machines')
    expect(await counts()).toBe(false)
    await group(null)
    await accepted(ago(0))
    expect(await counts()).toBe(false)
    await accepted(ago(2))
    expect(await counts()).toBe(true)
  })

  test('without an end, or without a limit, being Ready counts for nothing', async () => {
    const held = await running()
    await says(held, { stopsAt: 1, readyWithin: 'never' })
    await fares(held, 'm-1', { startedAt: ago(10_000) }, { ...ill(10_000), createdAt: ago(10_000) })
    await round()
    expect(await stopped(held)).toBeNull()
    const free = await running()
    await fails(free, 'm-1')
    await round()
    expect(await stopped(free)).toBeNull()
  })
})

describe('at its limit a rollout', () => {
  test('holds the rest, says why, and goes on with the same approvals when somebody accepts what failed', async () => {
    const held = await running()
    await says(held, { stopsAt: 2 })
    await fails(held, 'm-1')
    await round()
    expect(await stopped(held)).toBeNull()
    await fails(held, 'm-2')
    await round()
    await expectHeld(held)
    expect((await annotations(held))[HELD]).toMatch(/stopped by the policy p-.*: 2 machines failed/)
    await look(held)
    const { stoppedAt, stoppedWhy, dueMode } = await row(held)
    expect(stoppedWhy).toBe(
      '2 machines failed (m-1: its updater failed; m-2: its updater failed); it stops when 2 machines failed',
    )
    expect(dueMode).toBe('replace')
    expect(await audited(held)).toContain('change.stopped-by-itself ok')
    // It waits for a person, not for a time.
    await goInTime(await view())
    await expectHeld(held)

    const input = { ...goOn(held, stoppedAt), again: true, reason: 'bad disks' }
    expect((await failure(acceptFailures(person('op', 'operator'), input))).code).toBe('forbidden')
    expect((await failure(acceptFailures(ada, { ...input, reason: ' ' }))).code).toBe('invalid')
    const other = new Date(0).toISOString()
    expect((await failure(acceptFailures(ada, { ...input, stoppedAt: other }))).code).toBe('conflict')
    // What failed since is accepted with the rest, and named with it.
    await fails(held, 'm-2b')
    await acceptFailures(bo, input)
    const accepted = { targetId: held.change.id, action: 'change.failures-accepted' }
    expect(await db().auditEvent.findFirst({ where: accepted })).toMatchObject({
      details: { failed: 'm-1, m-2, m-2b' },
    })
    expect((await failure(acceptFailures(ada, input))).code).toBe('conflict')
    expect(await annotations(held)).not.toHaveProperty(HELD)
    expect((await decisions(held)).at(-1)).toMatchObject({ state: 'accepted', actorName: 'Ada' })

    // What failed before does not count again; what fails from now on does.
    await look(held)
    await round()
    expect(await stopped(held)).toBeNull()
    await fails(held, 'm-3')
    await round()
    expect(await stopped(held)).toBeNull()
    await fails(held, 'm-4')
    await round()
    expect(await stopped(held)).toMatch(/^2 machines failed \(m-3/)
  })

  test('says why in its updater’s own words, which Cluster API keeps to its log', async () => {
    const held = await running()
    await says(held, { stopsAt: 1 })
    const error = 'failed to update in place, please check controller logs for errors'
    const progress = { ...OLD, state: 'failed', updater: 'u', message: 'the disk is full', startedAt: ago(1) }
    const troubleWords = 'its updater failed, or was not reached, in the middle of the in-place update'
    await fares(held, 'm-1', progress, { error, troubleWords, updating: true, upToDate: false })
    await round()
    expect(await stopped(held)).toMatch(/^1 machine failed \(m-1: the disk is full\)/)
  })

  test('says on its page who let it go on and after what, and while it stands still that what it was approved with stands', async () => {
    const held = await running()
    const { name } = await says(held, { stopsAt: 1 })
    await fails(held, 'm-1')
    await round()
    await look(held)
    const page = () => getUpdate(ada, held.change.id)
    const stands = await page()
    expect(stands).toMatchObject({ state: 'waiting', wentOn: null, policy: { listed: { due: true } } })
    const { stoppedAt } = await row(held)
    const input = { ...goOn(held, stoppedAt), again: true, reason: 'bad disks' }
    await acceptFailures(bo, input)
    const { wentOn, timeline } = await page()
    expect(wentOn).toMatchObject({
      by: 'Bo',
      reason: 'bad disks',
      policy: name,
      was: expect.stringMatching(/^1 machine failed/) as string,
    })
    const texts = timeline.map(({ text }) => text)
    const among = (words: RegExp) => texts.findIndex((text) => words.test(text))
    const told = [
      among(new RegExp(`^It stopped by itself, by the policy ${name}: 1 machine failed`)),
      among(/^Held, for it had stopped by itself\. The machine that had begun failed\.$/),
      among(/^Bo let it go on: bad disks$/),
      among(/^It went on replacing, as approved: Bo had let it go on\.$/),
    ]
    expect(told).toEqual(told.toSorted((a, b) => a - b))
    expect(told[0]).toBeGreaterThan(0)
  })

  test('does not stop again where somebody said so', async () => {
    const held = await running()
    await says(held, { stopsAt: 1 })
    await fails(held, 'm-1')
    await round()
    const { stoppedAt } = await row(held)
    const input = { ...goOn(held, stoppedAt), reason: 'known' }
    await acceptFailures(ada, { ...input, again: false })
    await look(held)
    await fails(held, 'm-2')
    await round()
    expect(await row(held)).toMatchObject({ stoppedAt: null, neverStops: true })
    expect((await failure(restoreLimit(person('v', 'viewer'), { changeId: held.change.id }))).code).toBe('forbidden')
    await restoreLimit(person('op', 'operator'), { changeId: held.change.id })
    await round()
    expect(await stopped(held)).toBeNull()
    await fails(held, 'm-3')
    await round()
    expect(await stopped(held)).toMatch(/^1 machine failed/)
  })

  test('and a pause by a person do not release each other', async () => {
    const held = await running()
    await says(held, { stopsAt: 1 })
    await pauseChange(ada, { changeId: held.change.id })
    await fails(held, 'm-1')
    await round()
    await look(held)
    const { stoppedAt } = await row(held)
    await resumeChange(bo, { changeId: held.change.id })
    await goInTime(await view())
    await expectHeld(held)
    await pauseChange(ada, { changeId: held.change.id })
    const input = { ...goOn(held, stoppedAt), again: true, reason: 'x' }
    await acceptFailures(bo, input)
    await goInTime(await view())
    await expectHeld(held)
    await resumeChange(bo, { changeId: held.change.id })
    expect(await annotations(held)).not.toHaveProperty(HELD)
  })

  test('rejected and approved anew, what failed until then does not stop it, nor keep it', async () => {
    const held = await running()
    await says(held, { stopsAt: 1 })
    await fails(held, 'm-1')
    await round()
    await look(held)
    const { id: changeId, fingerprint } = await row(held)
    await rejectChange(ada, { changeId, fingerprint })
    await look(held)
    // While it is rejected.
    await fails(held, 'm-2')
    await says(held, { ...CLOSED })
    await approveChange(bo, { changeId, fingerprint, mode: 'replace' })
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    await round()
    expect(await stopped(held)).toBeNull()
    // While it waits for its time.
    await fails(held, 'm-3')
    await round()
    expect(await stopped(held)).toMatch(/^1 machine failed \(m-3/)
  })

  test('does not go on where machines failed while a person paused it', async () => {
    const held = await running()
    await says(held, { stopsAt: 1 })
    await pauseChange(ada, { changeId: held.change.id })
    await round()
    await look(held)
    expect(await stateOf(held)).toBe('waiting')
    await fails(held, 'm-1')
    // Before the worker has looked.
    await resumeChange(bo, { changeId: held.change.id })
    await expectHeld(held)
    await round()
    expect(await stopped(held)).toMatch(/^1 machine failed/)
    // What fails while it is stopped is accepted with the rest.
    await fails(held, 'm-2')
    const { stoppedAt } = await row(held)
    const input = { ...goOn(held, stoppedAt), reason: 'known' }
    await acceptFailures(ada, { ...input, again: true })
    expect(await annotations(held)).not.toHaveProperty(HELD)
    await look(held)
    await round()
    expect(await stopped(held)).toBeNull()
  })

  test('can be rejected; the gate says why it holds', async () => {
    const held = await running()
    await says(held, { stopsAt: 1 })
    await fails(held, 'm-1')
    await stopFailing(await view())
    await expect(requireInTime(await row(held), { group: held.name, machine: null })).rejects.toThrow(
      /stopped by the policy/,
    )
    await holdToTimes(await view())
    await look(held)
    const { id: changeId, fingerprint } = await row(held)
    await rejectChange(ada, { changeId, fingerprint })
    expect(await row(held)).toMatchObject({ stoppedAt: null, state: 'rejected' })
    expect(await stateOf(held)).toBe('rejected')
    await expectHeld(held)
  })
})
