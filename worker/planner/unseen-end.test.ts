import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { changeOf } from '@/lib/providers/cluster-api/changes'
import { audited, latchedCluster, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { until } from '@/testenv/process'
import * as asRead from './as-read'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()
const planned = async (held: Held) =>
  planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind: 'MachineDeployment' })

/** Its hold is taken away, and it goes through before anybody looks. */
async function rolls(held: Held): Promise<void> {
  const { client } = (await planningContext(at.clusterId)).view
  const free = { metadata: { annotations: { [PAUSED]: null, [HELD]: null } } }
  await client.patch(MD, held.name, held.namespace, 'merge', free)
  const { source } = await planningContext(at.clusterId)
  const rolled = async () => (await changeOf(await held.read(), source)).pairs.length === 0
  await until('the rollout', rolled, { ms: 60_000, every: 100 })
  await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace },
      ...{ workloadCluster: held.change.workloadCluster, name: 'm-1', groupKind: 'MachineDeployment', sentence: '' },
      ...{ groupName: held.name, phase: 'Running', state: 'ready', ready: true, available: true, upToDate: true },
      ...{ resourceVersion: '1', createdAt: new Date() },
    },
  })
}

test.each([false, true])(
  'a hold that was taken away, and all that it held through before anybody looked, is on record as that, and no take-back (somebody speaks of it meanwhile: %s)',
  async (spoken) => {
    const held = await at.held()
    await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
    await planned(held)
    expect(await stateOf(held)).toBe('waiting')
    await rolls(held)
    if (spoken) vi.spyOn(asRead, 'isAsRead').mockResolvedValueOnce(false)
    for (let rounds = 0; (await planned(held)) !== null && rounds < 10; rounds++);
    expect(await stateOf(held)).toBe('done')
    expect(await audited(held)).toContain('change.let-go ok')
    expect(await audited(held)).not.toContain('change.taken-back ok')
  },
)

test('nor is what Cluster API did by an answer of before, which is void', async () => {
  const held = await at.held()
  await planned(held)
  const { id: _, ...like } = held.change
  const over = { state: 'superseded', finishedAt: new Date(), detectedAt: new Date(0) }
  const before = await db().change.create({ data: { ...like, ...over } as never })
  const by = { mode: 'replace', actorId: 'ada', actorName: 'Ada', fingerprint: like.fingerprint, state: 'voided' }
  const sent = { sentAt: new Date(), acceptedAt: new Date(), voidedAt: new Date() }
  await db().decision.create({ data: { changeId: before.id, ...by, ...sent } })
  // With that it was let go last.
  await db().group.update({ where: { id: like.groupId }, data: { letGo: like.digest } })
  await rolls(held)
  for (let rounds = 0; (await planned(held)) !== null && rounds < 10; rounds++);
  expect(await stateOf(held)).toBe('done')
  const why = { targetId: held.change.id, action: 'change.let-go' }
  const { reason } = await db().auditEvent.findFirstOrThrow({ where: why })
  expect(reason).toBe('Cluster API went by an answer that it remembers, and nobody approved it.')
  expect(await audited(held)).not.toContain('change.taken-back ok')
})
