import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { getChange } from '@/lib/services/changes/get-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { standingsOf } from '@/lib/services/changes/standing'
import { expectHeld, failure, stateOf } from '@/testenv/deciding'
import { op } from '@/testenv/waved'
import { ada, decisions, FROZEN, lifted, says, timedCluster } from '@/testenv/timed'
import { admit } from './admit'
import { goInTime } from './times'

useTestDatabase()
const { at, view } = timedCluster()
const itself = { approvals: 0, strategy: 'replace' as const }

test('what goes by its policy when its time comes can be paused before: it does not go until somebody resumes it', async () => {
  const held = await at.held()
  const id = { changeId: held.change.id }
  const turn = async () => {
    await admit(await view(), held.change.groupId)
    await goInTime(await view())
  }
  await says(held, { ...itself, ...FROZEN })
  await turn()
  await pauseChange(op, { ...id, reason: 'the disks are full' })
  await lifted()
  await says(held, itself)
  await turn()
  await expectHeld(held)
  expect(await decisions(held)).toEqual([])
  const shown = await getChange(op, { id: id.changeId })
  expect(shown.paused).toMatchObject({ by: 'Op' })
  const standing = (await standingsOf([shown])).get(shown.id)
  expect(standing).toMatchObject({ unasked: { goes: true }, timing: { why: 'paused' } })
  expect((await failure(pauseChange(op, id))).message).toBe('Op has paused it already.')
  await resumeChange(ada, id)
  await turn()
  expect(await stateOf(held)).toBe('approved')
})

test('what its policy asks somebody about is not paused: it does not go by itself', async () => {
  const held = await at.held()
  await says(held, { ...itself, approvals: 1, ...FROZEN })
  expect((await failure(pauseChange(op, { changeId: held.change.id }))).message).toContain(
    'Nothing of it was let go here',
  )
})
