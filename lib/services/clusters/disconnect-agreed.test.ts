import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { ALL_THE_SAME } from '@/lib/domain/disconnect'
import { failure } from '@/testenv/deciding'
import { bo, cy, timedCluster } from '@/testenv/timed'
import { pauseChange } from '../changes/pause-change'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

useTestDatabase()
const { at, running } = timedCluster()

test('agreed to as what goes machine by machine, and paused by somebody since: whoever disconnects has to see that', async () => {
  const held = await running()
  await db().change.update({ where: { id: held.change.id }, data: { steps: 1 } })
  const { wouldMove } = await planDisconnect(cy, { clusterId: at.clusterId })
  expect(wouldMove.map(({ why }) => why)).toEqual([expect.stringContaining('goes machine by machine')])
  await pauseChange(bo, { changeId: held.change.id, reason: 'not tonight' })
  const agreed = { allTheSame: ALL_THE_SAME, moves: wouldMove }
  const refused = await failure(disconnectCluster(cy, { clusterId: at.clusterId, confirm: 'm', ...agreed }))
  expect(refused).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(
      'for another reason now than what was agreed to. It is to stand still, and is not held yet',
    ) as string,
  })
})
