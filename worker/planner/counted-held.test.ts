import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { holdFields } from '@/lib/domain/latch/hold'
import { NOT_NOW, STOPPED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { approveChange } from '@/lib/services/changes/approve-change'
import { getChange } from '@/lib/services/changes/get-change'
import { planDisconnect } from '@/lib/services/clusters/disconnect-cluster'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { countDone, countedRollouts, HOW } from '@/testenv/counted'
import { audited, expectHeld, failure, inputFor } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { settlingRollouts } from '@/testenv/settling'
import { ada, bo, cy, row, timedCluster } from '@/testenv/timed'
import { planGroup } from './plan-group'

useTestDatabase()
const cluster = timedCluster()
const { counted, isBack, lookRefused, settled } = countedRollouts(cluster)
const { look } = cluster
const { allHaveIt, round } = settlingRollouts(cluster)
const long = 120_000
const WHY = 'it was counted as done, and machines of before are there again'

test.each(HOW)(
  '%s, counted as done, and an old one is there again before that is written: it is held, says why, and waits for approvals',
  async (how) => {
    const { held, sets } = await counted(how)
    await isBack(held, sets)
    expect(await round(held, 4)).toMatchObject({ state: 'waiting', heldBy: 'latch', settling: false })
    await expectHeld(held)
    expect(await audited(held)).toContain('change.stopped ok')
    const { timeline } = await getChange(ada, { id: held.change.id })
    expect(timeline.filter(({ text }) => text.startsWith(`Held, ${WHY}.`))).toHaveLength(1)
    await approveChange(ada, inputFor({ ...held, change: await row(held) }))
    expect(await round(held, 2)).toMatchObject({ state: 'running' })
  },
  long,
)

test.each(HOW)(
  '%s, counted as done, an old one is there again, and the API server refuses to hold it: that is told, and it is held as soon as it takes it',
  async (how) => {
    const { held, sets } = await counted(how)
    const changeId = held.change.id
    await isBack(held, sets)
    for (let i = 0; i < 2; i++) await lookRefused(held)
    const now = await row(held)
    expect(now).toMatchObject({ settling: false, stoppedBy: '', stoppedWhy: WHY })
    expect(await audited(held)).toContain('change.stopped refused')
    const needs = (await needsYou(bo, {})).filter(({ id }) => id === changeId)
    expect(needs).toMatchObject([{ held: false, sentence: `It is to stop, and is not held yet: ${WHY}` }])
    const input = { changeId, reason: 'x', again: true, asDone: false, stoppedAt: now.stoppedAt!.toISOString() }
    expect((await failure(acceptFailures(bo, input))).message).toContain('It was counted as done: it is being held')
    expect(await round(held, 4)).toMatchObject({ state: 'waiting', stoppedAt: null, dueMode: null })
    await expectHeld(held)
    // Nothing that was approved before lets it go.
    await round(held, 2)
    await expectHeld(held)
    await approveChange(ada, inputFor({ ...held, change: await row(held) }))
    expect(await round(held, 2)).toMatchObject({ state: 'running' })
  },
  long,
)

test.each(HOW)(
  '%s, counted as done, and the old one that was there again goes before it could be held: it is done by that word',
  async (how) => {
    const { held, sets } = await counted(how)
    await isBack(held, sets)
    for (let i = 0; i < 2; i++) await lookRefused(held)
    expect(await row(held)).toMatchObject({ stoppedWhy: WHY })
    await allHaveIt(held)
    expect(await round(held, 4)).toMatchObject({ state: 'done', stoppedAt: null, stoppedWhy: null })
  },
  long,
)

test(
  'counted as done while the worker looks at an old machine that is there again: nothing more begins by that word, and it is held',
  async () => {
    const { held, sets } = await settled('approved still')
    await isBack(held, sets)
    const context = await planningContext(cluster.at.clusterId)
    let said = false
    const source = {
      ...context.source,
      // The worker has read the change, and reads the cluster.
      machineSets: async (deployment: KubeObject) => {
        if (!said) await countDone(held, (await row(held)).stoppedAt)
        said = true
        return context.source.machineSets(deployment)
      },
    }
    await planGroup({ ...context, source }, { ...(await held.read()), kind: held.kind })
    expect(said).toBe(true)
    expect(await row(held)).toMatchObject({ settling: true })
    expect((await round(held, 4)).state).toBe('waiting')
    await expectHeld(held)
  },
  long,
)

test(
  'counted as done in the moment in which its window had it held, and an old one is there again: no window lets it go on',
  async () => {
    const { held, sets } = await counted('approved still')
    await db().decision.updateMany({ where: { changeId: held.change.id }, data: { awaitsTime: true } })
    const hold = holdFields({ ...(await held.read()), kind: held.kind }, `${STOPPED}${NOT_NOW}outside its windows`)
    const body = { metadata: { annotations: hold.annotations } }
    await cluster.at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', body as never)
    await look(held)
    await isBack(held, sets)
    expect(await round(held, 4)).toMatchObject({ state: 'waiting', dueMode: null })
    await expectHeld(held)
  },
  long,
)

test.each(HOW)(
  '%s, counted as done, and an old one is there again while its cluster was disconnected and connected: it is held, and nobody is said to have let it go',
  async (how) => {
    const { held, sets } = await counted(how)
    // Also connected more than once.
    await reconnected(held, { meanwhile: () => isBack(held, sets) })
    for (const refused of [true, false]) {
      await look(held)
      const anew = await newestOf(held)
      expect(await row(anew)).toMatchObject({ state: 'running', stoppedBy: '', stoppedWhy: WHY })
      expect(await audited(anew)).toEqual(['change.not-held ok'])
      const { letGoBefore } = await getUpdate(ada, anew.change.id)
      expect(letGoBefore).toMatchObject({ name: 'Ada', stood: false })
      const { reason } = await db().auditEvent.findFirstOrThrow({ where: { targetId: anew.change.id } })
      expect(reason).toBe('It was counted as done, and its cluster was disconnected before that was written.')
      if (refused) await reconnected(anew)
    }
    const anew = await newestOf(held)
    expect(await round(anew, 4)).toMatchObject({ state: 'waiting', stoppedAt: null })
    await expectHeld(held)
  },
  long,
)

test.each(HOW)(
  '%s, counted as done, an old one is there again, and no worker runs: whoever disconnects is told that it is to be held',
  async (how) => {
    const { held, sets } = await counted(how)
    const group = `MachineDeployment ${held.namespace}/${held.name}`
    const named = async () => {
      const { wouldMove } = await planDisconnect(cy, { clusterId: cluster.at.clusterId })
      return wouldMove.filter((one) => one.group === group)
    }
    expect(await named()).toEqual([])
    await isBack(held, sets)
    expect(await named()).toMatchObject([{ why: expect.stringContaining('is not held yet') as string }])
  },
  long,
)
