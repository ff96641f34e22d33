import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { getChange } from '@/lib/services/changes/get-change'
import { standingsOf, type ChangeStanding } from '@/lib/services/changes/standing'
import { expectHeld, failure, inputFor } from '@/testenv/deciding'
import { planeRows } from '@/testenv/plane'
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
  expect((await failure(approveChange(ada, { ...inPlace, deletions: 0 }))).message).toBe(
    '1 machine would be deleted by now, more than was shown.',
  )
  await spare(0)
  await approveChange(ada, { ...inPlace, deletions: 0 })
  expect((await standing()).ways['in-place']).toMatchObject({ missing: 0 })
  await spare(1)
  const { ways, uncounted } = await standing()
  expect(ways['in-place']).toMatchObject({ needed: 1, missing: 1 })
  expect([...uncounted.values()]).toEqual(['deletions'])
  // Of one from before that was kept nobody knows what it showed.
  const showed = (deletions: number | null) =>
    db().approval.updateMany({ where: { changeId: held.change.id }, data: { deletions } })
  await showed(null)
  expect([...(await standing()).uncounted.values()]).toEqual(['deletions'])
  await showed(0)
  await lifted()
  await goInTime(await view())
  await expectHeld(held)
  expect(await decisions(held)).toEqual([])
  // Somebody who sees them approves it with them, and the other approval does not count for that.
  await says(held, { ...FROZEN, approvals: 2 })
  await approveChange(bo, { ...inPlace, deletions: 1 })
  expect((await standing()).ways['in-place']).toMatchObject({ needed: 2, missing: 1 })
})

/** As planned of a control plane of five, of which so many machines go besides the one for a spare; replacing, so many in all. */
const planned = (of: { id: string; outlook: unknown }, marked: number, replaced: number) => {
  const counts = { 'in-place-with-spare': 4 - marked, replace: marked }
  const inPlace = { counts, created: marked + 1, deleted: marked + 1, spare: 1, headline: 'w.' }
  const old = { replace: replaced, 'up-to-date': 5 - replaced }
  const replace = { counts: old, created: replaced, deleted: replaced, headline: 'w.' }
  return db().change.update({
    where: { id: of.id },
    data: { outlook: { ...(of.outlook as object), inPlace, replace } },
  })
}
async function plane() {
  const held = await at.held('KubeadmControlPlane')
  await planeRows(held, ['a', 'b', 'c', 'd', 'e'])
  const { id } = held.change
  const missing = async (mode: 'in-place' | 'replace') =>
    ((await standingsOf([await getChange(ada, { id })])).get(id) as ChangeStanding).ways[mode].missing
  return { held, missing }
}

test.each([
  ['in-place', 'are marked', [0, 5], [2, 5]],
  ['replace', 'that have it already are marked', [0, 1], [0, 5]],
] as const)(
  'approved %s for later, and machines %s since: they do not go by what did not show that',
  async (mode, _, [shown, replaced], [since, more]) => {
    const { held, missing } = await plane()
    await says(held, FROZEN)
    await planned(held.change, shown, replaced)
    await approveChange(ada, { ...inputFor(held, mode), typedName: held.name, deletions: 1 })
    expect(await missing(mode)).toBe(0)
    await planned(held.change, since, more)
    expect(await missing(mode)).toBe(1)
    await lifted()
    await goInTime(await view())
    await expectHeld(held)
    expect(await decisions(held)).toEqual([])
    // Fewer than were shown are no matter.
    await planned(held.change, -1, 0)
    expect(await missing(mode)).toBe(0)
  },
)

test.each(['in-place', 'replace'] as const)(
  'a sheet of before machines were marked approves nothing %s',
  async (mode) => {
    const { held } = await plane()
    await planned(held.change, 2, 3)
    const wish = { ...inputFor(held, mode), typedName: held.name }
    const { code, message } = await failure(approveChange(ada, { ...wish, deletions: 1 }))
    expect([code, message]).toEqual(['conflict', '3 machines would be deleted by now, more than was shown.'])
  },
)

test('an approval from before that was kept counts replacing for as many as were wanted', async () => {
  const { held, missing } = await plane()
  await says(held, FROZEN)
  await planned(held.change, 0, 5)
  await approveChange(ada, { ...inputFor(held), typedName: held.name })
  const before = (replicas: number | null) =>
    db().approval.updateMany({ where: { changeId: held.change.id }, data: { deletions: null, replicas } })
  await before(5)
  expect(await missing('replace')).toBe(0)
  await planned(held.change, 0, 6)
  expect(await missing('replace')).toBe(1)
  await planned(held.change, 0, 1)
  await before(null)
  expect(await missing('replace')).toBe(1)
})
