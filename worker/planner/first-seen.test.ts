import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PENDING_BEFORE, SEEN_STORED } from '@/lib/domain/latch/names'
import { latchedCluster } from '@/testenv/deciding'
import { planningContext } from '@/testenv/planning'
import { ada } from '@/testenv/timed'
import { getUpdate, listUpdates } from '@/lib/services/fleet/list-updates'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()
const AGO = () => new Date(Date.now() - 10 * 60_000)

test.each<[string, { words?: string; since?: Date; known?: boolean }, boolean]>([
  ['held in the write that brought it', {}, false],
  ['paused when it was seen', { words: SEEN_STORED }, true],
  ['pending when the latch came', { words: PENDING_BEFORE }, true],
  ['held before its cluster was connected anew', { since: AGO() }, true],
  ['written to a group that was held for another change', { since: AGO(), known: true }, false],
])('%s', async (_, { words, since, known }, firstSeen) => {
  const held = await at.held()
  const { groupId, id } = held.change
  if (since) await db().group.update({ where: { id: groupId }, data: { held: 'Waiting', heldSince: since } })
  if (known) await held.bump('v1.34.2')
  else await db().change.delete({ where: { id } })
  const { metadata, ...rest } = await held.read()
  const annotations = { ...metadata.annotations, ...(words ? { [HELD]: words } : {}) }
  await planGroup(await planningContext(at.clusterId), {
    ...rest,
    kind: held.kind,
    metadata: { ...metadata, annotations },
  })
  const [newest] = await db().change.findMany({ where: { groupId, state: 'waiting' } })
  expect(newest).toMatchObject({ firstSeen })
  expect(newest?.id).not.toBe(id)
  // Also once nothing holds it any more.
  await db().group.update({ where: { id: groupId }, data: { held: null, heldSince: null } })
  await db().change.update({ where: { id: newest!.id }, data: { state: 'done', finishedAt: new Date() } })
  expect(await getUpdate(ada, newest!.id)).toMatchObject({ firstSeen })
  const { changes } = await listUpdates(ada, { tab: 'done' })
  expect(changes.find((change) => change.id === newest!.id)).toMatchObject({ firstSeen })
})
