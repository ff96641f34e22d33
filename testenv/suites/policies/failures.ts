import { expect, test } from 'vitest'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { forecastChange } from '@/lib/services/forecast/forecast-change'
import { failure } from '../../deciding'
import { until } from '../../process'
import { ada, bo, person } from '../../timed'
import { ctx, OLD, uids, versionOf } from '../governing'
import { endless, version } from '../turning'
import { expectHeld } from '../watching'
import { NEW, type Topic } from './policing'

/** When a rollout stops by itself. */
export function failuresTopic({ g, of, times }: Topic, failing: Set<string>): void {
  test(
    'at its limit it is held and says why; that the machine is repaired lets nothing go, but a person does',
    async () => {
      const group = of('fails')
      const before = await g().members(group)
      await g().says([group], { stopsAt: 1 })
      await g().write(group, version(NEW))
      const { id } = await g().approvable(group.w, group.name, 'in-place')
      const { inPlace } = await forecastChange(ctx, { id })
      const first = inPlace!.moves[0]!.machine
      failing.add(first)
      await g().goes(ada, group, NEW)
      const stopped = await g().heldAgain(group, /not now: stopped by the policy po-fails-.*: 1 machine failed/)
      expect(stopped.stoppedWhy).toContain(`cannot update ${first}`)
      failing.delete(first)
      await g().stays(group, NEW, OLD, OLD)
      const input = {
        changeId: id,
        stoppedAt: stopped.stoppedAt!.toISOString(),
        asDone: false,
        again: true,
        reason: 'bad disk',
      }
      expect((await failure(acceptFailures(person('op', 'operator'), input))).code).toBe('forbidden')
      expectHeld(await g().read(group), /stopped by the policy/)
      await acceptFailures(bo, input)
      expect(await g().endsInPlace(group, before, NEW)).toMatchObject({ id, stoppedAt: null })
    },
    times.deadlineMs * 2,
  )

  test(
    'a new machine that is not Ready in time stops what replaces; gone back by the button, only that one is replaced again',
    async () => {
      const group = of('late')
      const before = uids(await g().members(group))
      await g().says([group], { stopsAt: 1, readyWithin: '1m' })
      await g().write(group, version(NEW), endless)
      const { changeId, error } = await g().approves(ada, group, { mode: 'replace' })
      expect(error).toBeNull()
      await g().begins(group, NEW)
      const stopped = await g().heldAgain(
        group,
        /stopped by the policy po-late-.*: 1 machine failed/,
        'replace',
        60_000,
      )
      expect(stopped.stoppedWhy).toContain('not Ready in time')
      const stands = async () => {
        await g().staysAsItIs(group, times.watchMs)
        expect((await g().members(group)).map(versionOf).sort()).toEqual([OLD, NEW])
      }
      await stands()
      await g().rollBack(changeId, times.deadlineMs)
      const back = await g().change(group.w, group.name, ['waiting'], OLD)
      expect(back).toMatchObject({ fromVersion: NEW, machines: 1, decisions: [] })
      await stands()
      expect(await g().approves(ada, group, { mode: 'replace', to: OLD })).toMatchObject({ error: null })
      const { outcome } = await g().change(group.w, group.name, ['done'], OLD)
      expect(outcome).toMatchObject({ updatedInPlace: 0, created: 1, deleted: 1 })
      const ready = async () => (await g().members(group)).map(versionOf).join() === [OLD, OLD].join()
      await until('both to be as before', ready, { ms: times.deadlineMs })
      expect(uids(await g().members(group)).filter((uid) => before.includes(uid))).toHaveLength(1)
    },
    times.deadlineMs * 4,
  )
}
