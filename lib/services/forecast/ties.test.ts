import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx } from '../context'
import { fidelityOf } from './fidelity'
import { forecastChange } from './forecast-change'
import { approve, became, spare } from './testing/fared'
import { waiting } from './testing/waiting'

useTestDatabase()

test.each([
  ['of the same age, where that decides', 'Oldest', 1000, 4],
  ['of another age', 'Newest', 2000, 2],
  ['where names decide', 'Random', 1000, 2],
])('another one went, %s', async (_what, deletionOrder, second, asForetold) => {
  const made = await waiting(['a', 'b', 'c'])
  const { clusterId, groupId, id } = made.change
  await db().group.update({ where: { id: groupId }, data: { deletionOrder } })
  await db().machine.updateMany({ where: { clusterId }, data: { createdAt: new Date(1000) } })
  await db().machine.updateMany({ where: { clusterId, name: 'c' }, data: { createdAt: new Date(second) } })
  await approve(made)
  const { approved } = await forecastChange(systemCtx('test'), { id })
  const [goes] = approved!.plan.moves.filter(({ work }) => work === 'delete')
  const other = ['a', 'b', 'c'].find((name) => name !== goes!.machine)!
  for (const name of ['a', 'b', 'c']) await became(made, name, name === other ? 'deleted' : 'done')
  await spare(made)
  expect(await fidelityOf(db(), id)).toEqual({ foretold: 4, asForetold })
})
