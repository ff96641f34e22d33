import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { getChange } from '@/lib/services/changes/get-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { standingsOf } from '@/lib/services/changes/standing'
import { MD } from '@/testenv/held'
import { expectHeld, failure, stateOf } from '@/testenv/deciding'
import { op } from '@/testenv/waved'
import { ada, decisions, FROZEN, lifted, says, timedCluster } from '@/testenv/timed'
import { admit } from './admit'
import { goInTime } from './times'

useTestDatabase()
const { at, view, look } = timedCluster()
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

test.each([
  [0, 'is held by Drydock: its policy asks for no approval.'],
  [1, 'waits for approval in Drydock.'],
])('held, and its policy asks for %i approvals: people with kubectl are told so', async (approvals, words) => {
  const held = await at.held()
  await says(held, { ...itself, approvals, ...FROZEN })
  const spec = { template: { spec: { version: 'v1.34.9' } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec })
  await look(held)
  const { items } = await at.cluster.admin.list({ group: '', version: 'v1', plural: 'events' }, held.namespace)
  expect(
    (items as { reason?: string; message?: string }[]).flatMap(({ reason, message }) =>
      reason === 'DrydockHeld' ? [message] : [],
    ),
  ).toEqual([expect.stringContaining(words)])
})
