import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, UNPAUSED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { waveBesides } from '@/lib/services/changes/wave-besides'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { listRuns } from '@/lib/services/waves/list-runs'
import { annotations, inputFor } from '@/testenv/deciding'
import { ada, begins, CLOSED, cy, row, says } from '@/testenv/timed'
import { waved, wavedCluster } from '@/testenv/waved'
import { admit } from './admit'
import { holdToTimes } from './times'
import { sayUnpaused } from './unpaused'

useTestDatabase()
const { at, slow, look, view, place, round } = wavedCluster()

test.each(['asks nobody', 'was approved, and that grew old since it began'])(
  'held on its way by its window, what %s waits for no approval in its waves',
  async (how) => {
    const [first, second] = [await slow(), await at.held()]
    const itself = how === 'asks nobody'
    const more = itself ? { approvals: 0, strategy: 'replace' as const } : { expiresAfter: '1d' }
    const { policyId } = await waved([first, second], [{ name: 'canary' }, { name: 'next' }], more)
    await place()
    if (itself) await admit(await view(), first.change.groupId)
    else await approveChange(ada, inputFor(first))
    await look(first)
    await begins(first)
    const over = { changeId: first.change.id }
    const { id: begunBy } = await db().decision.findFirstOrThrow({ where: over })
    await db().machineProgress.updateMany({ where: over, data: { begunBy } })
    const { version, name, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: policyId } })
    await savePolicy(cy, { policyId, version, name, spec: { ...(spec as object), ...CLOSED } as never })
    await round()
    await look(first)
    await db().approval.updateMany({
      where: { ...over, begun: true },
      data: { expiresAt: new Date(Date.now() - 1000) },
    })
    await place()
    expect(await row(first)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    expect(JSON.stringify((await listRuns(ada)).runs[0]!.waves[0])).not.toContain('waiting for approval')
  },
  60_000,
)

test('held in time, taken back, and approved once more: its hold does not say that it waits for approval', async () => {
  const held = await slow()
  await approveChange(ada, inputFor(held))
  await look(held)
  await says(held, CLOSED)
  await holdToTimes(await view())
  await look(held)
  const words = async () => (await annotations(held))[HELD]
  const said = async () => {
    await db().group.update({ where: { id: held.change.groupId }, data: { held: (await words()) ?? null } })
    await sayUnpaused(await view())
    return words()
  }
  await withdrawApproval(ada, { changeId: held.change.id })
  await look(held)
  expect(await said()).toBe(UNPAUSED)
  await approveChange(ada, { ...inputFor(held), fingerprint: (await row(held)).fingerprint })
  await look(held)
  expect(await said()).toMatch(/^Stopped by Drydock: not now: /)
}, 60_000)

test('approved, and what policies say is not known for a moment: whoever begins the wave is not told that it waits for approval', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next', ownApproval: true }])
  await place()
  await approveChange(ada, inputFor(second))
  await place()
  const { id } = await db().rolloutPolicy.create({ data: { name: 'unreadable', spec: { select: 'nonsense' } } })
  const { groups } = await waveBesides(ada, { ...run, wave: 'next' })
  await db().rolloutPolicy.delete({ where: { id } })
  expect(groups.map(({ goes }) => goes)).toEqual([true])
})
