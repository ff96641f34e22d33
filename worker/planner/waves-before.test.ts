import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { getChange } from '@/lib/services/changes/get-change'
import { beginWave } from '@/lib/services/waves/begin-wave'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { takeBackBegin } from '@/lib/services/waves/take-back-begin'
import type { Held } from '@/testenv/held'
import { ada } from '@/testenv/timed'
import { op, seen, waved, wavedCluster } from '@/testenv/waved'

useTestDatabase()
const { at, place } = wavedCluster()

const BEFORE = 'Said before, and counts for it, too: '
const told = async (held: Held) =>
  (await getChange(ada, { id: held.change.id })).timeline
    .map(({ text }) => text)
    .filter((text) => /wave/.test(text) && !text.startsWith('wanted'))
/** Its change is found only now. */
const joins = (held: Held) =>
  db().change.update({ where: { id: held.change.id }, data: { detectedAt: new Date(Date.now() + 1) } })

test('what was said of its waves before a change was there is told where it counts for it', async () => {
  const [first, second, third] = [await at.held(), await at.held(), await at.held()]
  const names = [{ name: 'canary' }, { name: 'next', ownApproval: true }, { name: 'last', ownApproval: true }]
  const run = await waved([first, second, third], names)
  await place()
  await stopWaves(op, { ...run, reason: 'bad image' })
  await resumeWaves(ada, run)
  await stopWaves(op, { ...run, reason: 'worse image' })
  await resumeWaves(ada, run)
  await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it hangs' })
  await beginWave(ada, { ...(await seen(run, 'next')), reason: 'go' })
  await stopWaves(op, { ...run, reason: 'once more' })
  await db().waveWord.updateMany({ where: { what: 'stop', reason: 'bad image' }, data: { endedAt: new Date() } })
  for (const held of [first, second, third]) await joins(held)
  const stopped = `${BEFORE}Op stopped its waves: once more`
  const skipped = `${BEFORE}Ada had the waves not wait for canary: it hangs`
  expect(await told(first)).toEqual([stopped])
  expect(await told(second)).toEqual([skipped, `${BEFORE}Ada let the wave next begin: go`, stopped])
  expect(await told(third)).toEqual([skipped, stopped])
  // From then on it is told as it is said.
  await db().change.update({ where: { id: second.change.id }, data: { detectedAt: new Date(Date.now() - 1) } })
  await resumeWaves(ada, run)
  await takeBackBegin(op, { ...run, wave: 'next' })
  expect((await told(second)).slice(-2)).toEqual(['Ada let its waves go on', 'Op took back that the wave next begins'])
  expect(await told(second)).toContain(`${BEFORE}Ada let the wave next begin: go`)
})

test('what was taken back by then, or was said of a wave that is written otherwise since, is not', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next', ownApproval: true }])
  await place()
  await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it hangs' })
  await beginWave(ada, await seen(run, 'next'))
  await db().waveWord.updateMany({ data: { lapsedAt: new Date() } })
  await stopWaves(op, { ...run, reason: 'bad image' })
  await resumeWaves(ada, run)
  await joins(second)
  expect(await told(second)).toEqual([])
})

test('of a policy that cannot be read any more nothing is told, and the page of the change is there all the same', async () => {
  const [first, second] = [await at.held(), await at.held()]
  const run = await waved([first, second], [{ name: 'canary' }, { name: 'next' }])
  await place()
  await skipWave(ada, { ...(await seen(run, 'canary')), reason: 'it hangs' })
  await joins(second)
  await db().rolloutPolicy.updateMany({ data: { spec: { select: {}, waves: [null, { name: 'canary' }] } } })
  expect(await told(second)).toEqual([])
})
