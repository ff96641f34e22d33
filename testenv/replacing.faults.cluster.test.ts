import { describe, expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { LONG, TIMES, useField } from './faults/field'
import { outages } from './faults/outages'
import { until } from './process'
import { isControlPlane, uids, versionOf, type Workload } from './suites/governing'

/** What was approved as replacing is half done when something is gone: it is replaced, and nothing else moves in any way. */
describe('outages in the middle of replacing, on the real managers', () => {
  const f = useField()
  const shape = async (w: Workload) => (await f.g.machines(w)).map((m) => `${m.metadata.uid} ${versionOf(m)}`).sort()

  /** Workers and control plane are approved as replaced, and one machine of each has been made; beside them, a change is held. */
  async function halfDone(): Promise<{ to: string; before: KubeObject[] }> {
    const { g, w } = f
    const [to, before] = [f.next(), await g.machines(w)]
    await f.changeAll(to)
    await Promise.all([g.approve(w, w.machineDeployment, 'replace', to), g.approve(w, w.controlPlane, 'replace', to)])
    await f.underWay(to, { controlPlane: true, workers: true })
    return { to, before }
  }

  /** What is new is another machine, one at a time of each kind is missing at most, and what is held is as it was. */
  async function onlyReplaces(to: string, before: KubeObject[], held: string[]): Promise<void> {
    const there = new Map(before.map((m) => [m.metadata.uid, versionOf(m)]))
    const now = await f.g.machines(f.w)
    for (const m of now) expect(versionOf(m), m.metadata.name).toBe(there.get(m.metadata.uid) ?? to)
    for (const plane of [true, false]) {
      const staying = now.filter((m) => isControlPlane(m) === plane && !m.metadata.deletionTimestamp)
      expect(staying.length).toBeGreaterThanOrEqual(2)
    }
    expect(await shape(f.surging)).toEqual(held)
  }

  const watched = async (ms: number, look: () => Promise<void>): Promise<void> => {
    const end = Date.now() + ms
    const time = async () => (await look(), Date.now() >= end)
    await until('the time of watching to pass', time, { ms: ms + 120_000, every: 100, rethrow: true })
  }

  async function replaced(to: string, before: KubeObject[]): Promise<void> {
    const { g, w } = f
    for (const group of [w.machineDeployment, w.controlPlane])
      expect((await g.change(w, group, ['done'], to)).outcome).toMatchObject({
        updatedInPlace: 0,
        created: 3,
        deleted: 3,
      })
    const now = await g.machines(w)
    expect(now.map(versionOf)).toEqual(Array(6).fill(to))
    const old = new Set(uids(before))
    expect(uids(now).filter((uid) => old.has(uid))).toEqual([])
  }

  test.each(outages(f))(
    '$name: it goes on as replacing, one at a time, and is done afterwards',
    async ({ strike, mend }) => {
      const { to, before } = await halfDone()
      const held = await shape(f.surging)
      await strike()
      await watched(2 * TIMES.watchMs, () => onlyReplaces(to, before, held))
      await mend()
      await watched(TIMES.watchMs, () => onlyReplaces(to, before, held))
      await replaced(to, before)
      await f.revertSurging()
    },
    LONG,
  )

  test(
    'the managers restarted while Drydock is down: it goes on as replacing when both are back',
    async () => {
      const { to, before } = await halfDone()
      const held = await shape(f.surging)
      await f.drydock.killWorkers()
      await f.cluster.restartManagers().catch(() => undefined)
      await watched(TIMES.watchMs, () => onlyReplaces(to, before, held))
      await f.drydock.startWorkers()
      await f.cluster.restartManagers()
      await replaced(to, before)
      await f.revertSurging()
    },
    LONG,
  )
})
