import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { skewRows } from '@/lib/providers/openshift/skew-rows'
import { objects } from '@/lib/providers/openshift/testing/samples'
import { formerImages } from './former'
import { writeSkew } from './write'

useTestDatabase()
const [clusterId, id] = [randomUUID(), randomUUID()]
beforeAll(() => db().managementCluster.create({ data: { id: clusterId, name: 'tidal', server: 'https://x' } }))

async function written(current: string | null, dated: string | null, datedSure = 'likely') {
  const rows = skewRows(objects('automatic'), true)
  const set = {
    ...{ id, kind: 'MachineSet', namespace: 'n', name: 'a', replicas: 1, state: 'outdated', reason: '', current },
    ...{
      wanted: 'new',
      managed: true,
      outcome: 'update',
      arch: null,
      dated,
      datedSure,
      marketplace: false,
      error: null,
    },
    labels: {},
  }
  const { judgement } = rows
  await writeSkew({
    clusterId,
    fence: 0n,
    rows: { ...rows, sets: [set as never] },
    judgement,
    passFailed: null,
    passStuck: null,
  })
  return (await db().bootImageSet.findUniqueOrThrow({ where: { id } })).former
}

test('with another image what was told of the one before is kept, a few of them, the newest first', async () => {
  expect(await written('a', '4.16.0')).toEqual([])
  expect(await written('a', '4.16.0')).toEqual([])
  const a = { image: 'a', dated: '4.16.0', sure: 'likely' }
  expect(await written('b', null)).toEqual([a])
  // Of what nothing was told, nothing is kept.
  expect(await written('c', '4.18.0', 'certain')).toEqual([a])
  expect(await written('a', '4.16.1')).toEqual([{ image: 'c', dated: '4.18.0', sure: 'certain' }, a])
  // Told anew it takes the place of what was told before.
  const now = await written('d', '4.19.0')
  expect(now).toEqual([
    { ...a, dated: '4.16.1' },
    { image: 'c', dated: '4.18.0', sure: 'certain' },
  ])
  expect([...(await formerImages(clusterId))]).toMatchObject([
    ['a', { kind: 'OCPVersion', version: '4.16.1', because: 'has an image of 4.16.1, which a had before' }],
    ['c', { version: '4.18.0', sure: 'certain' }],
  ])
  for (let i = 0; i < 9; i++) await written(`e${i}`, '4.20.0')
  expect(await written('f', null)).toHaveLength(8)
})
