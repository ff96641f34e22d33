import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { recordAudit } from '@/lib/services/audit/record'
import { BY_DISCONNECT, LET_GO } from '@/lib/services/changes/let-go-outside'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { systemCtx } from '@/lib/services/context'
import { annotations, audited, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { bo, timedCluster } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { view, look, slow } = timedCluster()

const free = async (held: Pick<Held, 'name' | 'namespace'>) =>
  (await view()).client.patch(MD, held.name, held.namespace, 'merge', {
    metadata: { annotations: { [PAUSED]: null, [HELD]: null } },
  })

/** Moving unapproved, and paused by somebody; something happens right before the group is written. */
async function pausedAnd(happens: (held: Held) => Promise<unknown>): Promise<Held> {
  const held = await slow()
  await look(held)
  await free(held)
  for (const _again of [1, 2, 3]) await look(held)
  await pauseChange(bo, { changeId: held.change.id, reason: 'not this week' })
  const at = await view()
  let times = 0
  const get = async (...args: Parameters<typeof at.client.get>) => {
    const object = await at.client.get(...args)
    // It was read, and is read once more for the write.
    if (args[1] === held.name && ++times === 1) await happens(held)
    return object
  }
  await holdToTimes({ ...at, client: Object.create(at.client, { get: { value: get } }) as typeof at.client })
  return held
}

test('paused, and resumed by the time it would be held: it is not', async () => {
  const resumed = await pausedAnd(({ change }) => resumeChange(bo, { changeId: change.id }))
  expect(await annotations(resumed)).not.toHaveProperty([HELD])
  await look(resumed)
  expect(await stateOf(resumed)).toBe('running')
})

test('paused, and nothing else: it is held', async () => {
  expect(await annotations(await pausedAnd(() => Promise.resolve()))).toHaveProperty([HELD])
})

test('what moved by a disconnect, and nothing guards, is held as that, and no hold is said to have been taken away', async () => {
  const held = await slow()
  await look(held)
  await free(held)
  for (const _again of [1, 2, 3]) await look(held)
  const { id, groupKind: kind } = held.change
  const about = { action: LET_GO, target: { kind, id, name: 'm' }, details: { [BY_DISCONNECT]: 'Bo' } }
  await db().$transaction((tx) => recordAudit(tx, systemCtx('test'), about))
  const now = await view()
  const latch = { ...now.capabilities.latch, guard: false }
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  await db().managementCluster.update({ where: { id: held.change.clusterId }, data: { latchForm: 'webhook' } })
  await holdToTimes({ ...now, capabilities: { ...now.capabilities, latch } } as never)
  expect((await annotations(held))[HELD]).toContain('its cluster was disconnected, and it moved by that')
  expect(await audited(held)).toContain('change.stopped ok')
  expect(await audited(held)).not.toContain('change.held-again ok')
})

test('paused, and changed back by the time it would be held: that is held for nothing', async () => {
  const held = await pausedAnd(async ({ name, namespace }) => {
    const { client } = await view()
    const { spec } = await client.get(MD, name, namespace)
    const { template } = spec as { template: { spec: object } }
    const version = 'v1.34.0'
    await client.patch(MD, name, namespace, 'merge', { spec: { template: { spec: { ...template.spec, version } } } })
    await free({ name, namespace } as Held)
  })
  expect(await annotations(held)).not.toHaveProperty([HELD])
})
