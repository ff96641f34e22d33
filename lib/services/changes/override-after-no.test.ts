import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { expectHeld, inputFor } from '@/testenv/deciding'
import { ada, bo, cy, FROZEN, says, timedCluster } from '@/testenv/timed'
import { approveChange } from './approve-change'
import { overrideTimes } from './override-times'
import { rejectChange } from './reject-change'

useTestDatabase()
const { at } = timedCluster()

test('that its times were overridden ends with a rejection: approved anew in the freeze, it waits', async () => {
  const held = await at.held()
  await says(held, FROZEN)
  const { changeId, fingerprint } = inputFor(held)
  await overrideTimes(cy, { changeId, fingerprint, reason: 'the CVE of tonight' })
  await rejectChange(bo, { changeId, fingerprint, reason: 'not this one' })
  const decided = await approveChange(ada, inputFor(held))
  expect(decided.state).toBe('gathering')
  await expectHeld(held)
})
