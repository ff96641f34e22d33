import { expect, test } from 'vitest'
import { yoursWords, oneOfWords, waitsFor } from '@/components/updates/standing-words'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { inputFor } from '@/testenv/deciding'
import { ada, bo, says, timedCluster } from '@/testenv/timed'
import { getUpdate, listUpdates } from '../fleet/list-updates'
import { needsYou } from '../fleet/needs-you'
import { approveChange } from './approve-change'

useTestDatabase()
const { at } = timedCluster()

const WORDS =
  /Too few people may approve it: 3 approvals are asked for, and only 2 people may give one\. Let an administrator give somebody the role approver, or ask for fewer in the policy p-/

test('what more have to approve than may does not say that it waits for others, but what to do', async () => {
  for (const id of ['ada', 'bo'])
    await db().user.create({ data: { id, name: id, email: `${id}@example.com`, role: 'approver' } })
  const held = await at.held()
  await says(held, { approvals: 2, notTheAuthor: true })
  const { policy } = await getUpdate(ada, held.change.id)
  expect(yoursWords(policy)).toMatch(WORDS)
  expect(oneOfWords(policy, 'in-place')).toMatch(WORDS)
  await approveChange(ada, inputFor(held))
  await approveChange(bo, inputFor(held))
  const need = (await needsYou(ada, {})).find(({ id }) => id === held.change.id)
  expect(JSON.stringify(need)).toMatch(WORDS)
  expect(JSON.stringify(need)).not.toContain('waiting for others')
  const { standings } = await listUpdates(ada, { tab: 'waiting' })
  expect(waitsFor(standings[held.change.id]).words).toBe('2 of 3 approvals, replacing, too few may approve it')
  expect(yoursWords((await getUpdate(ada, held.change.id)).policy)).toMatch(/1 more of 3 is needed\. Too few people/)
  await db().user.create({ data: { id: 'cy', name: 'cy', email: 'cy@example.com', role: 'approver' } })
  expect(waitsFor((await listUpdates(ada, { tab: 'waiting' })).standings[held.change.id]).words).toBe(
    '2 of 3 approvals, replacing',
  )
})
