import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { failure, latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { machinesSeen, planeRows, said, saysOf } from '@/testenv/plane'
import { requireSpare } from './etcd'
import type { Subject } from './subject'

useTestDatabase()
const at = latchedCluster()

const ill = said({ EtcdMemberHealthy: 'False' })
const asks = (
  { change }: Held,
  machine = 'a',
  kind: Subject['kind'] = 'KubeadmControlPlane',
  steps: number | null = null,
) => {
  const { clusterId, groupId, namespace, groupName: name, workloadCluster } = change
  return requireSpare({ clusterId, groupId, kind, namespace, name, workloadCluster, machine }, { steps }, {})
}
const plane = async (...names: string[]) => {
  const held = await at.held('KubeadmControlPlane')
  return { held, ids: await planeRows(held, names) }
}

test('one ill of three holds the next machine, with its name, and lets it go when it is well again', async () => {
  const { held, ids } = await plane('a', 'b', 'c')
  await asks(held)
  await saysOf(ids[2]!, ill)
  expect((await failure(asks(held))).message).toBe(
    'etcd has no member to spare: c (EtcdMemberHealthy is false); it goes on by itself when that is over',
  )
  const heals = asks(held)
  await saysOf(ids[2]!, said())
  await heals
})

test('one ill of five is one to spare, two are none; what is not known is ill', async () => {
  const { held, ids } = await plane('a', 'b', 'c', 'd', 'e')
  await saysOf(ids[4]!, null)
  await asks(held)
  await saysOf(ids[3]!, said({ EtcdPodHealthy: 'Unknown' }))
  expect((await failure(asks(held))).message).toMatch(/no member to spare: d \(.*\), e \(/)
})

test('one or two that are well were approved so, with the name typed', async () => {
  const { held, ids } = await plane('a', 'b')
  await asks(held)
  await db().machine.delete({ where: { id: ids[1]! } })
  await asks(held)
})

test('the one that is ill may be next itself, and whether nodes are ready is not asked: its manager does not, either', async () => {
  const { held, ids } = await plane('a', 'b', 'c')
  await saysOf(ids[2]!, ill)
  await asks(held, 'c')
  for (const id of ids) await saysOf(id, said({}, { node: 'not-ready' }))
  await asks(held)
  await db().machine.deleteMany({ where: { id: { in: ids.slice(1) } } })
  await asks(held)
})

test('of what Drydock has not seen nothing is known: it waits; another’s etcd, and workers, do not', async () => {
  const { held, ids } = await plane('a', 'b', 'c')
  expect((await failure(asks(held, 'x'))).message).toContain('nothing is known of x')
  await asks(held, 'x', 'MachineDeployment')
  const etcd = (whose: string | null) =>
    db().group.update({ where: { id: held.change.groupId }, data: { etcd: whose } })
  await etcd(null)
  expect((await failure(asks(held))).message).toContain('nothing is known of its etcd')
  await saysOf(ids[0]!, ill)
  await etcd('external')
  await asks(held)
})

test('what its machines said before their watch was lost is no reason to let the next one go', async () => {
  const { held } = await plane('a', 'b', 'c')
  await machinesSeen(held.change.clusterId, 90)
  await asks(held)
  await machinesSeen(held.change.clusterId, 150)
  expect((await failure(asks(held))).message).toBe(
    'what its machines say is not known now; it goes on by itself when that is over',
  )
  const heard = asks(held)
  await machinesSeen(held.change.clusterId)
  await heard
})

test('of an external etcd nothing is counted, whenever its machines were seen; those of a step are', async () => {
  const { held } = await plane('a', 'b', 'c')
  await db().group.update({ where: { id: held.change.groupId }, data: { etcd: 'external' } })
  await machinesSeen(held.change.clusterId, 150)
  await asks(held)
  const one = asks(held, 'a', 'KubeadmControlPlane', 1)
  expect((await failure(one)).message).toContain('what its machines say is not known now')
})
