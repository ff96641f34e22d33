import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { latchedCluster } from '@/testenv/deciding'
import { ago } from '@/testenv/faring'
import { planeRows, said, saysOf } from '@/testenv/plane'
import { planningContext, shownFree } from '@/testenv/planning'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()
const ill = said({ EtcdMemberHealthy: 'False' })

test('a control plane that no machine goes on in, for a member of its etcd is ill, is stuck, and says on what; not while a machine is at it', async () => {
  const held = await at.held('KubeadmControlPlane')
  const { id } = held.change
  const [a, , c] = (await planeRows(held, ['a', 'b', 'c'])) as [string, string, string]
  await db().group.update({ where: { id: held.change.groupId }, data: { held: null, paused: false, conditions: [] } })
  await db().change.update({ where: { id }, data: { state: 'running', heldBy: 'none', startedAt: ago(5) } })
  const look = async () => {
    await planGroup(await planningContext(at.clusterId), await shownFree(held))
    return db().change.findUniqueOrThrow({ where: { id }, select: { state: true, stuckReason: true } })
  }
  expect(await look()).toEqual({ state: 'running', stuckReason: null })
  await saysOf(c, ill)
  expect(await look()).toEqual({
    state: 'stuck',
    stuckReason:
      'etcd has no member to spare: c (EtcdMemberHealthy is false); no other machine begins before that is over.',
  })
  // Its own member may be away meanwhile.
  await db().machine.update({ where: { id: a }, data: { deleting: true } })
  expect(await look()).toEqual({ state: 'running', stuckReason: null })
}, 60_000)
