import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { until } from '../../process'
import { HOUR, person } from '../../timed'
import type { Workload } from '../governing'
import { expectHeld, KCP } from '../watching'
import { NEW, type Topic } from './policing'

const EVENTS = { group: '', version: 'v1', plural: 'events' }

/** How old a hold may grow. */
export function agesTopic({ g, times }: Topic, plane: () => Workload): void {
  test(
    'a control plane that is held beyond its limit is called dangerous, on record and on the object; nothing is released',
    async () => {
      const w = plane()
      await g().says([{ w, name: w.controlPlane, replicas: 1 }], { holdLimit: '12h' })
      await g().changeControlPlane(w, NEW)
      const { id, groupId } = await g().change(w, w.controlPlane, ['waiting'])
      const since = async () => (await db().group.findUniqueOrThrow({ where: { id: groupId } })).heldSince
      await until('its manager to say since when it stands still', since, { ms: times.deadlineMs, every: 100 })
      // Whatever is read of it meanwhile says what its manager says.
      const old = () =>
        db().group.update({ where: { id: groupId }, data: { heldSince: new Date(Date.now() - 13 * HOUR) } })
      const dangerous = async () => {
        await old()
        return (await db().change.findUniqueOrThrow({ where: { id } })).holdLevel === 3
      }
      await until('its age to be told', dangerous, { ms: times.deadlineMs, every: 500 })
      const needs = (await needsYou(person('vi', 'viewer'), {})).find((one) => one.id === id)
      expect(needs?.sentence).toMatch(/^This control plane has stood still for 13 hours, which is dangerous\./)
      expect(await db().auditEvent.count({ where: { targetId: id, action: 'hold.dangerous' } })).toBe(1)
      const { items } = await g().cluster.admin.list(EVENTS, w.namespace, { limit: 500 })
      const words = items.map((event) => (event as { message?: string }).message)
      expect(words).toContainEqual(expect.stringContaining('the group has stood still for 13 hours'))
      await g().nothingMoves(w)
      expectHeld(await g().cluster.admin.get(KCP, w.controlPlane, w.namespace))
      expect(await g().change(w, w.controlPlane, ['waiting'])).toMatchObject({ id, dueMode: null, decisions: [] })
    },
    times.deadlineMs * 2,
  )
}
