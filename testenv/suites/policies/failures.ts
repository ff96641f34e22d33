import { expect, test } from 'vitest'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { forecastChange } from '@/lib/services/forecast/forecast-change'
import { failure } from '../../deciding'
import { ada, bo, person } from '../../timed'
import { ctx, OLD } from '../governing'
import { version } from '../turning'
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
      const input = { changeId: id, stoppedAt: stopped.stoppedAt!.toISOString(), again: true, reason: 'bad disk' }
      expect((await failure(acceptFailures(person('op', 'operator'), input))).code).toBe('forbidden')
      expectHeld(await g().read(group), /stopped by the policy/)
      await acceptFailures(bo, input)
      expect(await g().endsInPlace(group, before, NEW)).toMatchObject({ id, stoppedAt: null })
    },
    times.deadlineMs * 2,
  )
}
