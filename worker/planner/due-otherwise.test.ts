import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { recordAndApply } from '@/lib/services/changes/record'
import { systemCtx } from '@/lib/services/context'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { inputFor } from '@/testenv/deciding'
import { ada, cy, decisions, FROZEN, row, says, timedCluster } from '@/testenv/timed'
import { admit } from './admit'
import { goInTime } from './times'

useTestDatabase()
const { at, view } = timedCluster()

test('approved replacing, and kept for its time: its policy, which asks nobody, does not have it done in place', async () => {
  const held = await at.held()
  // As the planner has it where an updater covers all of it.
  const { inPlace, ...outlook } = (await row(held)).outlook as { inPlace: object }
  const able = { ...outlook, inPlace: { ...inPlace, counts: { 'in-place': 1 }, created: 0, deleted: 0 } }
  await db().change.update({ where: { id: held.change.id }, data: { outlook: able } })
  const { id: policyId, version } = await says(held, { approvals: 0, ...FROZEN })
  expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'gathering', mode: 'replace' })
  expect(await row(held)).toMatchObject({ dueMode: 'replace' })
  const spec = { select: { names: [held.name] }, approvals: 0 }
  await savePolicy(cy, { policyId, version, name: 'open', spec })
  await admit(await view(), held.change.groupId)
  // Also what was read before somebody approved it.
  const late = { ...inputFor(held, 'in-place'), by: 'policy' as const }
  await expect(recordAndApply(systemCtx('policy'), late)).rejects.toMatchObject({ code: 'conflict' })
  expect(await decisions(held)).toEqual([])
  await goInTime(await view())
  expect(await decisions(held)).toMatchObject([{ mode: 'replace', actorName: 'Ada' }])
})
