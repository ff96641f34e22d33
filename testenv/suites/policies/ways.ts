import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { outlookIn } from '@/lib/services/changes/change-row'
import { getChange } from '@/lib/services/changes/get-change'
import { failure } from '../../deciding'
import { until } from '../../process'
import { ada } from '../../timed'
import { ctx } from '../governing'
import { socket, version } from '../turning'
import { expectFree, expectHeld } from '../watching'
import { NEW, type Topic } from './policing'

/** In which way a change may go. */
export function waysTopic({ g, of, times }: Topic, covers: Record<string, string[]>): void {
  const long = times.deadlineMs * 2

  test(
    'in place only: what no updater covers whole is held with the fields that are left, and replacing is no way out',
    async () => {
      const group = of('only')
      const before = await g().members(group)
      const { name } = await g().says([group], { strategy: 'in-place-only' })
      await g().write(group, version(NEW), socket)
      const { id: changeId, fingerprint, ...waiting } = await g().uncovered(group)
      expect(outlookIn(waiting)).toMatchObject({
        ...{ inPlace: null, uncovered: [expect.stringContaining('criSocket')] },
        whyNotInPlace: expect.stringContaining('criSocket') as string,
      })
      const refused = await failure(g().approves(ada, group, { mode: 'replace' }))
      expect(refused.code).toBe('conflict')
      expect(refused.message).toContain(`The policy ${name} allows in place only, and nothing else instead.`)
      expect(refused.message).toContain('criSocket')
      expect(await db().approval.count({ where: { changeId } })).toBe(0)
      expectHeld(await g().read(group))
      await g().staysAsItIs(group, times.watchMs)
      // Without that field it can go.
      await g().write(group, { bootstrap: { configRef: { name: group.w.machineDeployment } } })
      const over = async () => (await g().changes(group.w, group.name))[0]!.fingerprint !== fingerprint
      await until('another change to take its place', over, { ms: times.deadlineMs, every: 100 })
      expect(await g().approves(ada, group)).toMatchObject({ error: null })
      await g().endsInPlace(group, before, NEW)
    },
    long,
  )

  test(
    'prefer in place: approved in place it is never replaced, also where its updater covers it no more when it is asked',
    async () => {
      const group = of('prefer')
      const before = await g().members(group)
      await g().says([group], { strategy: 'prefer-in-place' })
      await g().write(group, version(NEW))
      await g().approvable(group.w, group.name, 'in-place')
      covers.machine = []
      const { changeId } = await g().approves(ada, group)
      const asked = async () =>
        (await getChange(ctx, { id: changeId })).timeline.some(({ text }) => text.includes('no updater covers machine'))
      await until('the page to say why it does not go', asked, { ms: times.deadlineMs, every: 100 })
      await g().staysAsItIs(group, times.watchMs)
      covers.machine = ['version']
      await g().endsInPlace(group, before, NEW)
      expectFree(await g().read(group))
    },
    long,
  )
}
