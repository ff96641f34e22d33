import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { skippingCluster } from '@/testenv/skipping'
import { forgetOver } from './forget'

useTestDatabase()
const s = skippingCluster()
const { at, marked, is, look, round, marks } = s
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)

test.each<[string, object, boolean]>([
  ['is under way', { state: 'running' }, true],
  ['has its rest rejected', { state: 'rejected' }, true],
  ['was over a moment ago: its last machine may not be well yet', { state: 'done', finishedAt: ago(19) }, true],
  ['is over', { state: 'done', finishedAt: ago(21) }, false],
  ['was superseded long ago', { state: 'superseded', finishedAt: ago(21) }, false],
  ['was changed back, nobody knows when', { state: 'reverted', finishedAt: null }, false],
])('what was set for one that %s', async (_how, data, stays) => {
  await marked()
  await is(data)
  await look({ skipMark: null })
  await forgetOver({ clusterId: at.clusterId, fence: 1n })
  expect(await db().remediationSkip.count({ where: { changeId: s.held.change.id } })).toBe(stays ? 1 : 0)
})

test('not while a machine bears the mark still', async () => {
  await marked()
  await is({ state: 'done', finishedAt: ago(21) })
  const left = async () => {
    await forgetOver({ clusterId: at.clusterId, fence: 1n })
    return db().remediationSkip.count({ where: { changeId: s.held.change.id } })
  }
  expect(await left()).toBe(1)
  await round()
  await look()
  expect([await left(), await marks()]).toEqual([0, {}])
})
