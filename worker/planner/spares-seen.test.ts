import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { getChange } from '@/lib/services/changes/get-change'
import { standingsOf, type ChangeStanding } from '@/lib/services/changes/standing'
import { expectHeld, failure, inputFor } from '@/testenv/deciding'
import { ada, bo, decisions, FROZEN, lifted, says, timedCluster } from '@/testenv/timed'
import { goInTime } from './times'

useTestDatabase()
const { at, view } = timedCluster()

test('approved in place for later, and spares come by then: machines would be deleted that were not shown', async () => {
  const held = await at.held()
  await says(held, FROZEN)
  const spare = (spares: number) => {
    const inPlace = { counts: { 'in-place': 1 }, created: spares, deleted: spares, headline: 'w.' }
    const outlook = {
      ...(held.change.outlook as object),
      inPlace: { ...inPlace, ...(spares ? { spare: spares } : {}) },
    }
    return db().change.update({ where: { id: held.change.id }, data: { outlook } })
  }
  const inPlace = { ...inputFor(held), mode: 'in-place' as const }
  const standing = async () =>
    (await standingsOf([await getChange(ada, { id: held.change.id })])).get(held.change.id) as ChangeStanding
  await spare(1)
  expect((await failure(approveChange(ada, { ...inPlace, spares: 0 }))).message).toBe(
    '1 machine would be deleted by now, for spares that come first.',
  )
  await spare(0)
  await approveChange(ada, { ...inPlace, spares: 0 })
  expect((await standing()).ways['in-place']).toMatchObject({ missing: 0 })
  await spare(1)
  const { ways, uncounted } = await standing()
  expect(ways['in-place']).toMatchObject({ needed: 1, missing: 1 })
  expect([...uncounted.values()]).toEqual(['spares'])
  // Of one from before that was kept nobody knows what it showed.
  const showed = (spares: number | null) =>
    db().approval.updateMany({ where: { changeId: held.change.id }, data: { spares } })
  await showed(null)
  expect([...(await standing()).uncounted.values()]).toEqual(['spares'])
  await showed(0)
  await lifted()
  await goInTime(await view())
  await expectHeld(held)
  expect(await decisions(held)).toEqual([])
  // Somebody who sees them approves it with them, and the other approval does not count for that.
  await says(held, { ...FROZEN, approvals: 2 })
  await approveChange(bo, { ...inPlace, spares: 1 })
  expect((await standing()).ways['in-place']).toMatchObject({ needed: 2, missing: 1 })
})
