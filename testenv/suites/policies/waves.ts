import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { beginWave } from '@/lib/services/waves/begin-wave'
import { listRuns } from '@/lib/services/waves/list-runs'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { failure } from '../../deciding'
import { until } from '../../process'
import { ada, bo, HOUR } from '../../timed'
import { op } from '../../waved'
import { OLD } from '../governing'
import { version, type Group } from '../turning'
import { expectHeld } from '../watching'
import { NEW, NEXT, type Topic } from './policing'

/** What is approved says so within some ten seconds. */
const APPROVED_OR_NOT = /^(Waiting for approval|Approved) in Drydock: /

/** Two workload clusters, one after the other. */
export function wavesTopic({ g, of, times }: Topic): void {
  /** Approved, and it waits for its wave. */
  const approved = async (group: Group, to: string) =>
    expect(await g().approves(ada, group, { to })).toMatchObject({ missing: 0, timing: { open: false, why: 'wave' } })
  const waitsFor = async (group: Group, why: string) => {
    const says = async () => {
      const [{ wave } = { wave: null }] = await g().changes(group.w, group.name)
      const { state, why: words } = (wave ?? {}) as { state?: string; why?: string }
      return state === 'waits' && words?.includes(why)
    }
    await until(`${group.name} to wait: ${why}`, says, { ms: times.deadlineMs, every: 100 })
    expectHeld(await g().read(group), APPROVED_OR_NOT)
  }
  const runOf = async (policyId: string, wave: string) => {
    const { runs } = await listRuns(op)
    const { wish, waves } = runs.find(({ policy }) => policy.id === policyId)!
    const { bound, state } = waves.find(({ name }) => name === wave)!
    return { policyId, wish, wave, bound, state }
  }

  test(
    'the rest does not move before the canary is through and has soaked; stopped and skipped by a person',
    async () => {
      const [canary, rest] = [of('canary'), of('rest')]
      const before = [await g().members(canary), await g().members(rest)] as const
      const waves = [
        { name: 'canary', select: { workloadClusters: [canary.w.name] }, soak: '1h' },
        { name: 'others', select: { workloadClusters: [rest.w.name] } },
      ]
      const { id } = await g().says([canary, rest], { waves })
      for (const group of [canary, rest]) await g().write(group, version(NEW))
      await waitsFor(rest, 'canary is not through')
      await approved(rest, NEW)
      await g().goes(ada, canary, NEW)
      await g().stays(rest, OLD, OLD)
      const { id: first } = await g().endsInPlace(canary, before[0], NEW)
      await waitsFor(rest, 'soaks')
      await g().stays(rest, OLD, OLD)
      await db().change.update({ where: { id: first }, data: { finishedAt: new Date(Date.now() - 2 * HOUR) } })
      await g().endsInPlace(rest, before[1], NEW)

      // The next one: nobody approves the canary.
      for (const group of [canary, rest]) await g().write(group, version(NEXT))
      await waitsFor(rest, 'canary is not through')
      await approved(rest, NEXT)
      const run = await runOf(id, 'canary')
      expect((await failure(skipWave(bo, run))).code).toBe('invalid')
      await skipWave(bo, { ...run, reason: 'it is being rebuilt' })
      await g().begins(rest, NEXT)
      await stopWaves(op, { ...run, reason: 'nodes flap' })
      await g().heldAgain(rest, /its waves were stopped by Op \(nodes flap\)/)
      await g().stays(rest, NEW, NEXT)
      expect((await failure(resumeWaves(op, run))).code).toBe('forbidden')
      await resumeWaves(ada, run)
      await g().endsInPlace(rest, before[1], NEXT)
      expectHeld(await g().read(canary))
      await g().stays(canary, NEW, NEW)
    },
    times.deadlineMs * 3,
  )

  test(
    'a wave that asks begins when somebody says so; what waits for it is scaled meanwhile, and all of it goes then',
    async () => {
      const [first, second] = [of('first'), of('asks')]
      const ahead = await g().members(first)
      const waves = [
        { name: 'first', select: { names: [first.name] } },
        { name: 'second', select: { names: [second.name] }, ownApproval: true },
      ]
      const { id } = await g().says([first, second], { waves, scaleWhileHeld: true })
      for (const group of [first, second]) await g().write(group, version(NEW))
      await waitsFor(second, 'first is not through')
      await approved(second, NEW)
      await g().patch(second, { spec: { replicas: 3 } })
      const grown = async () => (await g().members(second)).length === 3
      await until('it to grow while it waits', grown, { ms: times.deadlineMs, every: 100 })
      await g().stays(second, OLD, OLD, OLD)
      expectHeld(await g().read(second), APPROVED_OR_NOT)
      const grownTo = await g().members(second)
      await g().goes(ada, first, NEW)
      await g().endsInPlace(first, ahead, NEW)
      await waitsFor(second, 'somebody has to say that it begins')
      await g().stays(second, OLD, OLD, OLD)
      const run = await runOf(id, 'second')
      expect((await failure(beginWave(op, run))).code).toBe('forbidden')
      expect((await failure(beginWave(bo, { ...run, bound: '0'.repeat(32) }))).code).toBe('conflict')
      expectHeld(await g().read(second), APPROVED_OR_NOT)
      await beginWave(bo, run)
      await g().endsInPlace(second, grownTo, NEW)
    },
    times.deadlineMs * 3,
  )
}
