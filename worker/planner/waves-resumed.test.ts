import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { listRuns } from '@/lib/services/waves/list-runs'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { annotations, failure, inputFor } from '@/testenv/deciding'
import { ada, bo } from '@/testenv/timed'
import { op, waved, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const { at, place, round } = wavedCluster()

test('let go on is the stop that was looked at, and not another one since', async () => {
  const held = await at.held()
  const run = await waved([held], [{ name: 'canary' }])
  const stopped = async () => (await listRuns(bo)).runs[0]!.stopped!.at
  await place()
  await stopWaves(op, { ...run, reason: 'lunch' })
  await approveChange(ada, inputFor(held))
  await round()
  // Bo reads "lunch". Ada lets it go on, and it is stopped once more, for another reason.
  const stoppedAt = await stopped()
  await resumeWaves(ada, { ...run, stoppedAt })
  await stopWaves(op, { ...run, reason: 'the canary lost data' })
  const error = await failure(resumeWaves(bo, { ...run, stoppedAt }))
  expect(error).toMatchObject({
    code: 'conflict',
    message: 'It was let go on since, and Op stopped it once more: “the canary lost data”.',
  })
  await round()
  expect(await annotations(held)).toHaveProperty([HELD])
  await resumeWaves(bo, { ...run, stoppedAt: await stopped() })
  await round()
  expect(await annotations(held)).not.toHaveProperty([HELD])
})
