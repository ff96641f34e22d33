import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { clockAt, datedCluster, isHeldNow, type Dated } from '@/testenv/dated'
import { waved } from '@/testenv/waved'
import { lookAtRuns } from './kept-runs'
import { holdToTimes } from './times'
import { placeInWaves } from './waves'

useTestDatabase()
const { look, through, view } = datedCluster()

test('groups with one date go in their waves: before it comes, those are held whose wave is not open', async () => {
  const [canary, next] = [await through(), await through()]
  // The same for both, as the clock of the test is.
  const later = canary.after > next.after ? canary : next
  await waved([canary, next], [{ name: 'canary', soak: '1h' }, { name: 'next' }])
  clockAt(later, -40_000)
  const looks = async (all: Dated[]) => {
    for (const held of all) await look(held)
    await placeInWaves(await view(), lookAtRuns)
    await holdToTimes(await view())
  }
  await looks([canary, next])
  const annotations = (await next.read()).metadata.annotations ?? {}
  expect(annotations[HELD]).toContain('(next) of the policy')
  clockAt(later, 1_000)
  await looks([canary, next])
  expect(await isHeldNow(canary)).toBe(false)
  expect(await look(canary)).toMatchObject({ state: 'running', decisions: [{ mode: 'replace' }] })
  expect(await look(next)).toMatchObject({ state: 'waiting', dueMode: 'replace', wave: { state: 'waits' } })
}, 120_000)
