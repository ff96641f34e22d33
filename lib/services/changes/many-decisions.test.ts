import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, latchedCluster } from '@/testenv/deciding'
import { getChange } from './get-change'

useTestDatabase()
const at = latchedCluster()

test('of very many decisions a page has the newest ones, in their order', async () => {
  const { change } = await at.held()
  const said = { changeId: change.id, fingerprint: change.fingerprint, mode: 'replace', actorId: 'a', actorName: 'Ada' }
  const data = Array.from({ length: 250 }, (_, i) => ({
    ...{ ...said, state: 'voided', reason: String(i), recordedAt: new Date(Date.UTC(2026, 0, 1, 0, i)) },
  }))
  await db().decision.createMany({ data })
  const { decisions, decision } = await getChange(as('viewer'), { id: change.id })
  expect(decisions.map(({ reason }) => reason)).toEqual(data.slice(50).map(({ reason }) => reason))
  expect(decision?.reason).toBe('249')
})
