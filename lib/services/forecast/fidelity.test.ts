import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { fidelityOf } from './fidelity'
import { dropForetold } from './foretell'
import { approve, became, spare } from './testing/fared'
import { waiting, type Made } from './testing/waiting'

useTestDatabase()
const fidelity = (made: Made) => fidelityOf(db(), made.change.id)

async function approved(names: string[]): Promise<Made> {
  const made = await waiting(names)
  await approve(made)
  return made
}

test('approved another way in the middle, of which nothing is foretold: nothing is held against the one before', async () => {
  const made = await approved(['a', 'b', 'c', 'd'])
  const { id: changeId } = made.change
  await Promise.all([became(made, 'a', 'done'), spare(made)])
  await db().decision.updateMany({ where: { changeId }, data: { state: 'voided', awaitsTime: true } })
  await db().decision.create({
    data: {
      ...{ changeId, fingerprint: 'f', mode: 'replace', actorId: 'a', actorName: 'Ada' },
      ...{ state: 'seen', acceptedAt: new Date() },
    },
  })
  await dropForetold(db(), changeId, 'replace')
  const rows = await db().machineProgress.findMany({ where: { changeId, state: 'waiting' } })
  expect(rows.map(({ predicted }) => predicted)).toEqual([null, null, null])
  const done = await db().machineProgress.findFirst({ where: { changeId, state: 'done' } })
  expect(done?.predicted).not.toBeNull()
  expect(await fidelity(made)).toBeNull()
})

test('what was made and never up did not fare as foretold, though its change was counted as done', async () => {
  const made = await approved(['a', 'b', 'c'])
  await Promise.all(['a', 'b'].map((name) => became(made, name, 'done')))
  await Promise.all([spare(made), became(made, 'c', 'deleted')])
  expect(await fidelity(made)).toEqual({ foretold: 4, asForetold: 4 })
  const where = { changeId: made.change.id, state: 'created' }
  const put = (data: object) => db().machineProgress.updateMany({ where, data })
  await put({ failedAt: new Date(), failedWhy: 'not Ready in time' })
  expect(await fidelity(made)).toEqual({ foretold: 4, asForetold: 3 })
  await put({ throughAt: new Date() })
  expect(await fidelity(made)).toEqual({ foretold: 4, asForetold: 4 })
})
