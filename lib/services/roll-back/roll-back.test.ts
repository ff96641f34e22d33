import { describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import type { Json } from '@/lib/domain/json'
import { managed } from '@/lib/providers/cluster-api/managed'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { getChange } from '@/lib/services/changes/get-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { annotations, as, audited, expectHeld, failure } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { ada, lifted, row, says, timedCluster } from '@/testenv/timed'
import { holdToTimes } from '@/worker/planner/times'
import { PRE_TERMINATE } from '@/sandbox/controllers/names'
import { until } from '@/testenv/process'
import { planRollBack } from './plan-roll-back'
import { rollBack } from './roll-back'

useTestDatabase()
const { at, view, look, running } = timedCluster()
const SETS = { ...MD, plural: 'machinesets' }

const input = ({ change }: Held) => ({ changeId: change.id })
const planned = async (held: Held) => (await planRollBack(ada, input(held))).offer
const wish = async (held: Held, more: object = {}) => {
  const { changeId, fingerprint, generation } = await planned(held)
  return { changeId, fingerprint, generation, reason: 'it fails', ...more }
}
const version = async (held: Held) =>
  valueAt((await held.read()) as unknown as Json, 'spec', 'template', 'spec', 'version')
const former = (held: Held) => changeSetOf(held.change).pairs[0]!.from

/** Let go, and paused in the middle. */
async function stopped(): Promise<Held> {
  const held = await running()
  await pauseChange(ada, input(held))
  await holdToTimes(await view())
  await expectHeld(held)
  return held
}

describe('going back in the middle', () => {
  test('is planned, written as it was planned and held, and the change that comes of it waits', async () => {
    const held = await stopped()
    const { plan, offer } = await planRollBack(as('operator'), input(held))
    expect(offer).toMatchObject({ why: null, endsByItself: false, writesBack: [], may: false })
    expect(plan.groups).toHaveLength(1)
    expect(plan.groups[0]).toMatchObject({ groupName: held.name, fingerprint: offer.fingerprint, heldBy: 'latch' })
    expect(offer.call.body).toMatchObject({
      metadata: { resourceVersion: expect.any(String) as string, annotations: { [PAUSED]: PAUSED_BY_DRYDOCK } },
      spec: { template: { spec: { version: 'v1.34.0' } } },
    })
    expect(await version(held)).toBe('v1.34.1')
    const { answer } = await rollBack(ada, await wish(held))
    expect(answer).toMatch(/^stored as resourceVersion \d+$/)
    expect(await version(held)).toBe('v1.34.0')
    await expectHeld(held)
    const { timeline } = await getChange(ada, { id: held.change.id })
    expect(timeline.map(({ text }) => text)).toContain('Ada had its group written back to what it was before: it fails')
    // Who wrote it counts as its author.
    expect(managed(await held.read())).toBe('Ada')
    expect((await audited(held)).slice(-2)).toEqual(['change.roll-back ok', 'change.rolled-back ok'])
    await look(held)
    expect(await row(held)).toMatchObject({ state: 'superseded' })
    const next = await db().change.findFirstOrThrow({
      where: { groupId: held.change.groupId, state: 'waiting' },
      include: { decisions: true },
    })
    expect(next).toMatchObject({ heldBy: 'latch', author: 'Ada', decisions: [] })
    // Whoever is asked for it sees why it is there; what was there before it came of nothing.
    const { goesBack } = await getChange(ada, { id: next.id })
    expect(goesBack).toMatchObject({ changeId: held.change.id, by: 'Ada', reason: 'it fails' })
    expect((await getChange(ada, { id: held.change.id })).goesBack).toBeNull()
    await expectHeld(held)
  })

  test('under a policy that asks nobody, it is said before that it goes by itself', async () => {
    const held = await stopped()
    await says(held, { approvals: 0, strategy: 'replace' })
    expect((await planned(held)).goesByItself).toBe(true)
    await lifted()
    expect((await planned(held)).goesByItself).toBe(false)
  })

  test('under a policy with waves, it is said before that it is in them', async () => {
    const held = await stopped()
    expect((await planned(held)).waves).toBeNull()
    await says(held, { waves: [{ name: 'canary', select: { names: ['none'] } }] })
    expect((await planned(held)).waves).toMatch(/^p-/)
  })

  test('what controllers write of its status meanwhile does not keep it from going back', async () => {
    const held = await stopped()
    const seen = await wish(held)
    const labels = { seen: 'by-a-controller' }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { metadata: { labels } })
    await rollBack(ada, seen)
    expect(await version(held)).toBe('v1.34.0')
  })

  test('somebody’s own pause stays theirs', async () => {
    const held = await at.held()
    const theirs = { metadata: { annotations: { [PAUSED]: 'night shift' } } }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', theirs)
    await rollBack(ada, await wish(held))
    expect((await annotations(held))[PAUSED]).toBe('night shift')
    expect(await annotations(held)).toHaveProperty([HELD])
  })

  test('what never began: the group wants again what it was let go with, and its hold ends by itself', async () => {
    const held = await at.held()
    expect(await planned(held)).toMatchObject({ why: null, endsByItself: true, fingerprint: '' })
    await rollBack(ada, await wish(held))
    await expectHeld(held)
    // Its controllers write as well: what is refused for that is tried again.
    const ended = async () => {
      await look(held)
      return !(PAUSED in (await annotations(held)))
    }
    await until('its hold to end', ended, { ms: 20_000 })
    expect(await row(held)).toMatchObject({ state: 'reverted' })
  })
})

describe('nothing is written', () => {
  const unchanged = async (held: Held, seen: object, who = ada) => {
    // Its controllers write its status meanwhile.
    const wanted = async () => {
      const { spec, metadata } = await held.read()
      return { spec, annotations: metadata.annotations }
    }
    const before = await wanted()
    const error = await failure(rollBack(who, seen))
    expect(await wanted()).toEqual(before)
    expect(await audited(held)).not.toContain('change.rolled-back ok')
    return error
  }

  test('where somebody wrote to the group since it was planned, or the plan was another', async () => {
    const held = await at.held()
    const seen = await wish(held)
    await held.bump('v1.34.2')
    const error = await unchanged(held, seen)
    expect(error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('changed since this was planned'),
    })
    const other = await wish(held, { fingerprint: 'a'.repeat(64) })
    expect((await unchanged(held, other)).code).toBe('conflict')
  })

  test('where somebody writes at that very moment, each time: the API server’s own words, on record', async () => {
    const held = await at.held()
    const seen = await wish(held)
    const client = await kubeClientFor(at.clusterId)
    const { patch } = client
    let times = 0
    const spy = vi.spyOn(client, 'patch').mockImplementation(async (...given) => {
      const labels = { written: String(++times) }
      if (!given[5]?.dryRun)
        await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { metadata: { labels } })
      return patch(...given)
    })
    const lost = await failure(rollBack(ada, seen))
    spy.mockRestore()
    expect(lost).toMatchObject({ code: 'conflict', more: { answer: expect.stringContaining('modified') } })
    expect((await audited(held)).slice(-2)).toEqual(['change.roll-back ok', 'change.rolled-back refused'])
    expect(await version(held)).toBe('v1.34.1')
  })

  test('by whoever may not, and without a reason', async () => {
    const held = await at.held()
    const seen = await wish(held)
    expect((await unchanged(held, seen, as('operator'))).code).toBe('forbidden')
    expect((await failure(planRollBack(as('viewer'), input(held)))).code).toBe('forbidden')
    expect((await unchanged(held, { ...seen, reason: ' ' })).code).toBe('invalid')
  })

  test('to a group that nothing holds: it would go back at once', async () => {
    const held = await at.held()
    const ns = { group: '', version: 'v1', plural: 'namespaces' }
    const { metadata } = await at.cluster.admin.get(ns, held.namespace)
    const labels = Object.fromEntries(Object.keys(metadata.labels ?? {}).map((key) => [key, null]))
    await at.cluster.admin.patch(ns, held.namespace, undefined, 'merge', { metadata: { labels } })
    // However fast it goes, its former revision is still there.
    const MACHINES = { ...MD, plural: 'machines' }
    const stays = { [`${PRE_TERMINATE}test`]: '' }
    for (const {
      metadata: { name },
    } of (await at.cluster.admin.list(MACHINES, held.namespace, {})).items)
      await at.cluster.admin.patch(MACHINES, name, held.namespace, 'merge', { metadata: { annotations: stays } })
    const client = await kubeClientFor(at.clusterId)
    const none = { metadata: { annotations: { [HELD]: null, [PAUSED]: null } } }
    await client.patch(MD, held.name, held.namespace, 'merge', none)
    const offer = await planned(held)
    expect(offer.why).toMatch(/^Nothing holds this group: written, it would go back at once/)
    expect((await failure(rollBack(ada, await wish(held)))).message).toBe(offer.why)
    expect(await version(held)).toBe('v1.34.1')
  })

  test('to a group of a ClusterClass: it would be written back, and says what to change instead', async () => {
    const held = await at.held()
    const labels = { 'topology.cluster.x-k8s.io/owned': '' }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { metadata: { labels } })
    expect((await planned(held)).why).toMatch(/A ClusterClass manages it.*spec\.topology\.version of the Cluster/)
  })

  test('where the former machine set, or a template that it names, is gone, and to control planes', async () => {
    const held = await at.held()
    const set = await at.cluster.admin.get(SETS, former(held), held.namespace)
    const ref = valueAt(set as unknown as Json, 'spec', 'template', 'spec', 'infrastructureRef') as { name: string }
    const templates = { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta2', plural: 'devmachinetemplates' }
    await at.cluster.admin.delete(templates, ref.name, held.namespace)
    expect((await planned(held)).why).toContain(`The template ${ref.name} of its former revision does not exist`)
    const plane = await at.held('KubeadmControlPlane')
    expect((await failure(planRollBack(ada, input(plane)))).message).toContain('is kept nowhere')
  })

  test('once the change is over', async () => {
    const held = await at.held()
    await db().change.update({ where: { id: held.change.id }, data: { state: 'done' } })
    expect((await planned(held)).why).toBe('This change is over.')
  })
})

test('who applies the fields is named before, and what they write back is held', async () => {
  const held = await at.held()
  const applied = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', metadata: { name: held.name } }
  const spec = { template: { spec: { version: 'v1.34.1' } } }
  const apply = () =>
    at.cluster.admin.patch(MD, held.name, held.namespace, 'apply', { ...applied, spec }, { author: 'our-gitops' })
  await apply()
  expect((await planned(held)).writesBack[0]).toMatch(/^our-gitops .* it writes them back when it applies them next/)
  await rollBack(ada, await wish(held))
  await apply()
  expect(await version(held)).toBe('v1.34.1')
  await expectHeld(held)
})
