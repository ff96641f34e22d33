import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { needsYou } from '@/lib/services/fleet/needs-you'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { annotations, audited, failure, stateOf } from '@/testenv/deciding'
import { KubeError } from '@/lib/kubernetes/types'
import { MD, type Held } from '@/testenv/held'
import { ada, bo, timedCluster } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { view, look, slow } = timedCluster()

const unapproved = async () => (await needsYou(ada, {})).filter(({ kind }) => kind === 'unapproved')

const free = async (held: Held) =>
  (await view()).client.patch(MD, held.name, held.namespace, 'merge', {
    metadata: { annotations: { [PAUSED]: null, [HELD]: null } },
  })

test('one that the API server refuses to hold keeps nobody else from being held', async () => {
  const both = [await slow(), await slow()]
  for (const held of both) {
    await look(held)
    await free(held)
    for (const _again of [1, 2, 3]) await look(held)
    expect(await stateOf(held)).toBe('running')
    await pauseChange(bo, { changeId: held.change.id })
  }
  const at = await view()
  const { change: oldest } = both[0]!
  const patch = (...args: Parameters<typeof at.client.patch>) =>
    args[1] === oldest.groupName
      ? Promise.reject(new KubeError(403, { message: 'denied by another webhook' } as never, 'PATCH'))
      : at.client.patch(...args)
  const client = Object.create(at.client, { patch: { value: patch } }) as typeof at.client
  await expect(holdToTimes({ ...at, client })).rejects.toThrow(/^1 unapproved rollouts could not be held: .*refused/)
  expect(await annotations(both[0]!)).not.toHaveProperty([HELD])
  expect(await annotations(both[1]!)).toHaveProperty([HELD])
  expect((await audited(both[0]!)).at(-1)).toBe('change.stopped refused')
  // As soon as it can be.
  await holdToTimes(at)
  expect(await annotations(both[0]!)).toHaveProperty([HELD])
  for (const held of both) await look(held)
  expect(await unapproved()).toEqual([])
})

test('rejected, and moving because its hold was taken away: everybody is told, and whoever pauses it has it held again', async () => {
  const held = await slow()
  await look(held)
  const { id: changeId } = held.change
  const { fingerprint } = await db().change.findUniqueOrThrow({ where: { id: changeId } })
  await rejectChange(bo, { changeId, fingerprint })
  await look(held)
  expect(await failure(pauseChange(bo, { changeId }))).toMatchObject({ code: 'conflict' })
  expect(await unapproved()).toEqual([])
  // As one that was approved, and waits for its time.
  await db().change.update({ where: { id: changeId }, data: { dueMode: 'replace' } })
  // By one of the few whom the guard lets.
  await free(held)
  for (const _again of [1, 2, 3]) await look(held)

  expect(await db().change.findUnique({ where: { id: changeId } })).toMatchObject({ state: 'running', dueMode: null })
  expect((await audited(held)).filter((event) => event.startsWith('change.let-go'))).toEqual(['change.let-go ok'])
  expect(await unapproved()).toMatchObject([
    { id: changeId, sentence: expect.stringMatching(/nobody approved it.*had rejected it$/) as string, held: false },
  ])
  const shown = await getUpdate(ada, changeId)
  expect(shown).toMatchObject({ unapproved: 'taken', letGoOutside: true })
  expect(shown.timeline).toContainEqual(
    expect.objectContaining({
      tone: 'bad',
      text: 'Its hold was taken away outside Drydock, although it was rejected.',
    }),
  )
  // Nobody is fought: only a person has it held again.
  await holdToTimes(await view())
  expect(await annotations(held)).not.toHaveProperty([HELD])

  await pauseChange(bo, { changeId, reason: 'not this week' })
  await holdToTimes(await view())
  expect((await annotations(held))[HELD]).toContain('not this week')
  await look(held)
  expect(await stateOf(held)).toBe('waiting')
  expect(await unapproved()).toEqual([])
  expect((await getUpdate(ada, changeId)).unapproved).toBeNull()
})

test('what began without having been held is loud, can be paused, and is held by itself where it is known what was let go', async () => {
  const began = async () => {
    const held = await slow()
    const { id, groupId } = held.change
    await db().change.delete({ where: { id } })
    await db().group.update({ where: { id: groupId }, data: { governed: true } })
    // The latch was away for a moment.
    await free(held)
    for (const _again of [1, 2]) await look(held)
    const change = await db().change.findFirstOrThrow({ where: { groupId } })
    return { ...held, change }
  }
  const held = await began()
  const { id: changeId } = held.change
  expect(await stateOf(held)).toBe('running')
  expect(await audited(held)).toEqual(['change.not-held ok'])
  const sentence = 'It is under way, and nobody approved it: it began without having been held'
  expect(await unapproved()).toMatchObject([{ id: changeId, sentence }])
  expect(await getUpdate(ada, changeId)).toMatchObject({ unapproved: 'never-held', letGoOutside: false })
  // Nothing is installed that is to hold anything.
  await holdToTimes(await view())
  expect(await annotations(held)).not.toHaveProperty([HELD])
  await pauseChange(bo, { changeId, reason: 'not this week' })
  await holdToTimes(await view())
  expect((await annotations(held))[HELD]).toContain('not this week')
  await look(held)

  const { clusterId } = held.change
  await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'policy' } })
  const [other, unknown] = [await began(), await began()]
  await db().group.update({ where: { id: unknown.change.groupId }, data: { letGo: null } })
  await holdToTimes(await view())
  expect((await annotations(other))[HELD]).toContain('it began without having been held, and nobody approved it')
  expect(await annotations(unknown)).not.toHaveProperty([HELD])
  await look(other)
  expect(await stateOf(other)).toBe('waiting')
  expect((await unapproved()).map(({ id }) => id)).toEqual([unknown.change.id])
  // One of those who may takes it away: they are not fought.
  await free(other)
  await look(other)
  expect(await stateOf(other)).toBe('running')
  await holdToTimes(await view())
  expect(await annotations(other)).not.toHaveProperty([HELD])
})
