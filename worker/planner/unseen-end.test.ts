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

test.each([false, true])(
  'a hold that was taken away, and all that it held through before anybody looked, is on record as that, and no take-back (somebody speaks of it meanwhile: %s)',
  async (spoken) => {
    const held = await at.held()
    await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
    await planned(held)
    expect(await stateOf(held)).toBe('waiting')
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
    if (spoken) vi.spyOn(asRead, 'isAsRead').mockResolvedValueOnce(false)
    for (let rounds = 0; (await planned(held)) !== null && rounds < 10; rounds++);
    expect(await stateOf(held)).toBe('done')
    expect(await audited(held)).toContain('change.let-go ok')
    expect(await audited(held)).not.toContain('change.taken-back ok')
  },
)
