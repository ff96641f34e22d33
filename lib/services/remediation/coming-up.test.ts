import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { machinesOfChange } from '@/testenv/machines-of-change'
import { comingUp } from './coming-up'

useTestDatabase()

test('machines without a node, and the checks with a start-up time-out that are over them', async () => {
  const { key, machine, change: detected } = await machinesOfChange()
  await machine('up', 'in-place', { node: 'n1' })
  await machine('skipped', 'in-place').then(({ id }) =>
    db().machine.update({ where: { id }, data: { skipRemediation: true } }),
  )
  await machine('going', 'in-place', { deleting: true })
  const change = await detected()
  const check = (name: string, startupSeconds: number | null, paused = false, labels: object = {}) =>
    db().healthCheck.create({
      data: {
        ...{ id: randomUUID(), clusterId: key.clusterId, namespace: 'fleet', workloadCluster: 'w', name, paused },
        spec: { selector: { labels, expressions: [] }, node: [], machine: [], startupSeconds },
      },
    })
  await check('paused', 1, true)
  await check('for-ever', null)
  await check('of-others', 60, false, { tier: 'spot' })
  await check('start-up', 1_200)
  expect(await comingUp(change)).toBeNull()
  for (const name of ['a', 'b']) await machine(name, 'in-place')
  expect(await comingUp(change)).toEqual({ machines: 2, checks: [{ name: 'start-up', seconds: 1_200 }] })
})
