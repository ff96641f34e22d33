import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { heldFor } from '@/lib/services/changes/held-for'
import type { Ctx } from '@/lib/services/context'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { approveChange } from '@/lib/services/changes/approve-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { inputFor } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { lockedInOrder } from '@/testenv/locked'
import { pausesCluster } from '@/testenv/paused-cluster'
import { ada, cy, FROZEN, HOUR, lifted, person, row, says, timedCluster } from '@/testenv/timed'
import { op, waved } from '@/testenv/waved'
import { forgetClusterMetrics, registry } from '../metrics'
import { ageHolds } from './hold-ages'
import { lookAtRuns } from './kept-runs'
import { placeInWaves } from './waves'

useTestDatabase()
const { at, view, look } = timedCluster()
const viewer = person('vi', 'viewer')

const heldSince = (held: Held, hours: number) =>
  db().group.update({
    where: { id: held.change.groupId },
    data: { heldSince: new Date(Date.now() - hours * HOUR), held: 'waiting' },
  })
const age = async () => ageHolds(await view())
const level = async (held: Held) => (await row(held)).holdLevel
const told = async (held: Held) =>
  (await db().auditEvent.findMany({ where: { targetId: held.change.id }, orderBy: { id: 'asc' } }))
    .map(({ action }) => action)
    .filter((action) => action.startsWith('hold.'))
/** What people with kubectl are told. */
async function eventsOf(held: Held): Promise<(string | undefined)[]> {
  const events = await at.cluster.admin.list({ group: '', version: 'v1', plural: 'events' }, held.namespace, {})
  return events.items.map((event) => (event as { message?: string }).message)
}
const needs = async (ctx: Ctx, { change }: Held) =>
  (await needsYou(ctx, {})).find(({ id, kind }) => id === change.id && ['approval', 'paused', 'blocked'].includes(kind))
    ?.sentence ?? null
beforeEach(async () => void (await db().rolloutPolicy.deleteMany({})))

describe('a hold that is old', () => {
  test('is told of once, then shown to everybody, each on record and on the object; what is young is neither', async () => {
    const [old, young] = [await at.held(), await at.held()]
    await heldSince(old, 25)
    await heldSince(young, 1)
    await age()
    await age()
    expect([await level(old), await level(young)]).toEqual([1, 0])
    expect([await told(old), await told(young)]).toEqual([['hold.reminded'], []])
    expect(await needs(ada, old)).toBe('It has stood still for 25 hours. Waiting for your approval')
    expect(await needs(viewer, old)).toBeNull()
    await heldSince(old, 24 * 4)
    await age()
    expect([await level(old), await told(old)]).toEqual([2, ['hold.reminded', 'hold.put-before-everybody']])
    expect(await needs(viewer, old)).toBe('It has stood still for 4 days. Waiting for approval')
    const [first] = (await needsYou(ada, {})).filter(({ kind }) => kind === 'approval')
    expect(first?.id).toBe(old.change.id)
    const [reminded, overdue] = [
      / for 25 hours\. It waits in/,
      / for 4 days\. That is .* before everybody\. It waits in/,
    ]
    for (const words of [reminded, overdue]) expect(await eventsOf(old)).toContainEqual(expect.stringMatching(words))
    expect(await registry.getSingleMetricAsString('drydock_holds')).toMatch(/age="overdue"\} 1/)
  })

  test('of a control plane becomes dangerous by the limit of its policy, and says what does not happen meanwhile', async () => {
    const held = await at.held('KubeadmControlPlane')
    await says(held, { holdLimit: '12h' })
    await heldSince(held, 13)
    await age()
    expect([await level(held), await told(held)]).toEqual([3, ['hold.dangerous']])
    expect(await needs(viewer, held)).toMatch(/^This control plane has stood still for 13 hours, which is dangerous\./)
    const { held: shown, holdLevel } = await getUpdate(ada, held.change.id)
    expect(holdLevel).toBe('dangerous')
    expect(shown?.suspended.join(' ')).toContain('nothing renews its kubeconfig or a machine whose certificates end')
    const dangerous = /for 13 hours\. That is dangerous: ill machines .* certificates end\. It waits in Drydock\.$/
    expect(await eventsOf(held)).toContainEqual(expect.stringMatching(dangerous))
  })

  test('is as old as the group stands still: a newer change does not make it young', async () => {
    const held = await at.held()
    await heldSince(held, 30)
    await db().change.update({ where: { id: held.change.id }, data: { detectedAt: new Date() } })
    await age()
    expect(await level(held)).toBe(1)
  })

  test('nothing says since when: what never began is as old as its change, what was let go as old as the end of that', async () => {
    const [waits, again, now] = [await at.held(), await at.held(), await at.held()]
    const ago = (hours: number) => new Date(Date.now() - hours * HOUR)
    for (const held of [waits, again, now]) {
      await db().group.update({ where: { id: held.change.groupId }, data: { held: 'waiting', heldSince: null } })
      // The planner forgets when it began where something waits again.
      await db().change.update({ where: { id: held.change.id }, data: { detectedAt: ago(240), startedAt: null } })
    }
    for (const [held, voidedAt] of [
      [again, ago(30)],
      [now, null],
    ] as const)
      await db().decision.create({
        data: {
          ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode: 'replace', actorId: 'a' },
          ...{ actorName: 'Ada', state: voidedAt ? 'voided' : 'accepted', acceptedAt: ago(40), voidedAt },
        },
      })
    await age()
    expect([await level(waits), await level(again), await level(now)]).toEqual([2, 1, 0])
    expect(await heldFor(now.change)).toMatchObject({ since: null })
  })

  test('that is approved and does not go by itself is told of like any other', async () => {
    const [stopped, expired, withdrawn] = [await at.held(), await at.held(), await at.held()]
    const run = await waved([stopped, await at.held()], [{ name: 'canary' }, { name: 'next' }])
    await placeInWaves(await view(), lookAtRuns)
    await stopWaves(op, run)
    for (const held of [expired, withdrawn]) await says(held, { ...FROZEN, expiresAfter: '1h' })
    for (const held of [stopped, expired, withdrawn]) {
      await approveChange(ada, inputFor(held))
      await heldSince(held, 240)
    }
    const approved = { changeId: expired.change.id }
    await db().approval.updateMany({ where: approved, data: { expiresAt: new Date(Date.now() - 1_000) } })
    await withdrawApproval(ada, { changeId: withdrawn.change.id, fingerprint: withdrawn.change.fingerprint })
    await age()
    expect([await level(stopped), await level(expired), await level(withdrawn)]).toEqual([2, 2, 2])
  })

  test('that could go, and does not, is told of as well', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    await heldSince(held, 240)
    await lifted()
    await age()
    expect(await level(held)).toBe(0)
    // Half a minute later it has not gone.
    await age()
    expect(await level(held)).toBe(2)
    expect(await needs(viewer, held)).toMatch(/^It has stood still for 10 days\./)
  })

  test('is told of once, whatever is written to the group and whoever changes their mind meanwhile', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await heldSince(held, 30)
    await age()
    for (let i = 2; i < 4; i++) {
      const before = await db().change.findFirstOrThrow({ where: { groupId: held.change.groupId, state: 'waiting' } })
      const one = { changeId: before.id, fingerprint: before.fingerprint }
      await approveChange(ada, { ...one, mode: 'replace' })
      await age()
      await withdrawApproval(ada, one)
      await age()
      await held.bump(`v1.34.${i}`)
      await look(held)
      await age()
    }
    const newest = await db().change.findFirstOrThrow({ where: { groupId: held.change.groupId, state: 'waiting' } })
    expect(newest.holdLevel).toBe(1)
    const { namespace, name } = held
    const events = await db().auditEvent.findMany({
      where: { targetName: `${namespace}/${name}`, action: 'hold.reminded' },
    })
    expect(events).toHaveLength(1)
    await db().group.update({ where: { id: held.change.groupId }, data: { held: null, heldSince: null } })
    await age()
    await heldSince(held, 30)
    await age()
    expect(
      await db().auditEvent.count({ where: { targetName: `${namespace}/${name}`, action: 'hold.reminded' } }),
    ).toBe(2)
  })

  test('of a cluster that was given up meanwhile is not counted here', async () => {
    const v = await view()
    await ageHolds(v, () => true)
    forgetClusterMetrics(v.name, [])
    await ageHolds(v, () => true)
    expect(await registry.getSingleMetricAsString('drydock_holds')).not.toContain(`"${v.name}"`)
  })

  test('that is over waits for whoever locks changes in their order, and nobody fails', async () => {
    const helds = [await at.held(), await at.held()]
    for (const held of helds) await heldSince(held, 30)
    await age()
    for (const { change } of helds)
      await db().group.update({ where: { id: change.groupId }, data: { held: null, heldSince: null } })
    await lockedInOrder(
      helds.map(({ change }) => change.id),
      age,
    )
    expect([await level(helds[0]!), await level(helds[1]!)]).toEqual([0, 0])
  })

  test('what waits at its hook is not said to have stood still: its group goes on as it is', async () => {
    const held = await at.held()
    await db().change.update({ where: { id: held.change.id }, data: { heldBy: 'hook' } })
    await heldSince(held, 25)
    await age()
    const [event] = await db().auditEvent.findMany({ where: { targetId: held.change.id, action: 'hold.reminded' } })
    expect(event).toMatchObject({
      reason: expect.stringMatching(/: it has waited for 25 hours$/) as string,
      details: { unpaused: true },
    })
  })

  test('people are reminded of what was rejected and forgotten, too', async () => {
    const held = await at.held()
    await rejectChange(ada, { ...inputFor(held), reason: 'no' })
    await heldSince(held, 25)
    expect(await needs(ada, held)).toBeNull()
    await age()
    expect(await needs(ada, held)).toMatch(/^It has stood still for 25 hours\. Rejected, and still held/)
  })

  test('what is approved and goes by itself asks nobody, but a control plane is dangerous all the same', async () => {
    const [workers, plane] = [await at.held(), await at.held('KubeadmControlPlane')]
    for (const held of [workers, plane]) {
      await savePolicy(cy, {
        name: `p-${randomUUID()}`,
        spec: { select: { names: [held.name] }, ...FROZEN, holdLimit: '1d' },
      })
      await approveChange(ada, { ...inputFor(held), typedName: held.name })
      await heldSince(held, 25)
    }
    await age()
    expect([await level(workers), await level(plane)]).toEqual([0, 3])
    expect(await needs(ada, workers)).toBeNull()
    expect(await needs(ada, plane)).toContain('dangerous')
  })

  test('what goes by itself later leaves no machine out of service until then without a word', async () => {
    const held = await at.held()
    await says(held, FROZEN)
    await approveChange(ada, inputFor(held))
    expect(await needs(ada, held)).toBeNull()
    const before = { inPlace: 1, created: 0, deleted: 0, outOfService: 1 }
    const { outlook } = await row(held)
    await db().change.update({
      where: { id: held.change.id },
      data: { outlook: { ...(outlook as object), before } },
    })
    expect(await needs(ada, held)).toMatch(/^Approved, .*\. 1 machine is out of service until its group goes on$/)
    expect(await needs(viewer, held)).toBeNull()
    await lifted()
    expect(await needs(ada, held)).toBeNull()
  })

  test('is young again when nothing holds it, and by a longer limit, without a word', async () => {
    const [gone, longer] = [await at.held(), await at.held()]
    for (const held of [gone, longer]) await heldSince(held, 30)
    await age()
    await db().group.update({ where: { id: gone.change.groupId }, data: { held: null, heldSince: null } })
    await says(longer, { remindAfter: '2d' })
    await age()
    expect([await level(gone), await level(longer)]).toEqual([0, 0])
    expect(await told(longer)).toEqual(['hold.reminded'])
    expect(await heldFor(gone.change)).toBeNull()
  })

  test('two workers at once tell it once', async () => {
    const held = await at.held()
    await heldSince(held, 30)
    const [a, b] = [await view(), await view()]
    await Promise.allSettled([ageHolds(a), ageHolds(b)])
    expect(await told(held)).toEqual(['hold.reminded'])
  })
})

describe('somebody’s own pause', () => {
  const ago = (hours: number) => new Date(Date.now() - hours * HOUR)
  /** By the annotation, as its manager says it. */
  const paused = (held: Held, hours: number, more: object = {}) =>
    db().group.update({
      where: { id: held.change.groupId },
      data: { paused: true, held: null, heldSince: ago(hours), ...more },
    })
  const heldBy = (held: Held, by: string, more: object = {}) =>
    db().change.update({ where: { id: held.change.id }, data: { heldBy: by, ...more } })

  test('with a change that waits grows old like a hold, and says whose it is', async () => {
    const held = await at.held()
    await heldBy(held, 'person')
    await paused(held, 25)
    await age()
    expect([await level(held), await told(held)]).toEqual([1, ['hold.reminded']])
    const words = 'It has stood still for 25 hours. Somebody paused the group themselves, and has to take that away'
    expect(await needs(ada, held)).toBe(words)
    expect(await needs(viewer, held)).toBeNull()
    await paused(held, 24 * 4)
    await age()
    expect(await level(held)).toBe(2)
    expect(await needs(viewer, held)).toMatch(/^It has stood still for 4 days\. Somebody paused/)
    const { held: shown } = await getUpdate(ada, held.change.id)
    expect(shown).toMatchObject({ theirs: 'group', scaling: null })
    expect(shown?.suspended.join(' ')).toContain('does not scale')
    expect(await eventsOf(held)).toContainEqual(
      expect.stringMatching(/ 4 days, paused by somebody\. That is .* everybody\. Drydock never takes that pause away/),
    )
  })

  test('of a control plane becomes dangerous', async () => {
    const held = await at.held('KubeadmControlPlane')
    await heldBy(held, 'person')
    await paused(held, 24 * 8)
    await age()
    expect([await level(held), await told(held)]).toEqual([3, ['hold.dangerous']])
    expect(await needs(viewer, held)).toMatch(
      /^This control plane has stood still for 8 days, which is dangerous\. Somebody/,
    )
  })

  test('beside Drydock’s hold: what is to be decided, and that the pause stays', async () => {
    const held = await at.held()
    await paused(held, 25)
    await age()
    expect(await needs(ada, held)).toMatch(
      /^It has stood still for 25 hours\. Waiting for your approval\. Somebody paused/,
    )
    await db().change.update({
      where: { id: held.change.id },
      data: { outlook: { blocked: 'What is older has to go.', replace: { counts: {} } } },
    })
    expect(await needs(ada, held)).toMatch(/has to go\. Somebody paused/)
  })

  test('of a rollout that was let go, and what is approved for a time that comes: it does not go by itself', async () => {
    const [running, due] = [await at.held(), await at.held()]
    await heldBy(running, 'none', { state: 'running' })
    await says(due, FROZEN)
    await approveChange(ada, inputFor(due))
    for (const held of [running, due]) await paused(held, 24 * 4)
    await age()
    expect([await level(running), await level(due)]).toEqual([2, 2])
    expect(await needs(viewer, running)).toMatch(/^It has stood still for 4 days\. Somebody paused the group/)
  })

  test('by spec.paused, of which nobody says since when, is as old as Drydock knows of it; taken away, it is forgotten', async () => {
    const held = await at.held()
    await heldBy(held, 'person', { detectedAt: ago(500) })
    await paused(held, 0, { heldSince: null })
    await age()
    expect(await level(held)).toBe(0)
    await db().group.update({ where: { id: held.change.groupId }, data: { pausedSeenAt: ago(30) } })
    await age()
    expect(await level(held)).toBe(1)
    const { held: shown } = await getUpdate(ada, held.change.id)
    expect(shown).toMatchObject({ theirs: 'group', suspended: [] })
    await db().group.update({ where: { id: held.change.groupId }, data: { paused: false } })
    expect((await db().group.findUniqueOrThrow({ where: { id: held.change.groupId } })).pausedSeenAt).toBeNull()
    await age()
    expect(await level(held)).toBe(0)
  })

  test('of its whole Cluster is one: what was let go below it is as old as Drydock knows of that', async () => {
    const [running, waiting] = [await at.held(), await at.held()]
    await heldBy(running, 'none', { state: 'running', detectedAt: ago(500) })
    await heldSince(waiting, 1)
    for (const held of [running, waiting]) await pausesCluster(held)
    await age()
    expect(await level(running)).toBe(0)
    const { clusterId, namespace, workloadCluster: name } = running.change
    const where = { clusterId_namespace_name: { clusterId, namespace, name } }
    await db().workloadCluster.update({ where, data: { pausedSeenAt: ago(25) } })
    await heldSince(waiting, 25)
    await age()
    expect([await level(running), await level(waiting)]).toEqual([1, 1])
    expect(await needs(ada, running)).toBe(
      'It has stood still for 25 hours. Somebody paused its whole Cluster, and has to take that away',
    )
    const pause =
      /for 25 hours, its Cluster is paused by somebody\. Drydock never takes that pause away: whoever set it does\./
    expect(await eventsOf(running)).toContainEqual(expect.stringMatching(pause))
    expect(await eventsOf(waiting)).toContainEqual(
      expect.stringMatching(new RegExp(`${pause.source} It waits in Drydock`)),
    )
    await pausesCluster(running, false)
    await age()
    expect(await level(running)).toBe(0)
  })

  test('on a group of which nothing is pending is nobody’s business', async () => {
    const held = await at.held()
    await heldBy(held, 'person', { state: 'done' })
    await paused(held, 24 * 30)
    await age()
    expect([await level(held), await told(held), await needs(ada, held)]).toEqual([0, [], null])
  })
})
