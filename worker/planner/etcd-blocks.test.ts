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

test.each([
  ['not through', { startedAt: ago(4) }, 'running'],
  ['through this minute', { startedAt: ago(4), throughAt: ago(0), finishedAt: ago(0), readyAt: ago(0) }, 'running'],
  ['through for long', { startedAt: ago(9), throughAt: ago(5), finishedAt: ago(5), readyAt: ago(5) }, 'stuck'],
  ['not through for very long', { startedAt: ago(30), readyAt: ago(29) }, 'stuck'],
])(
  'a control plane whose new machine is %s, and whose etcd is not up there',
  async (_, row, state) => {
    const held = await at.held('KubeadmControlPlane')
    const { id } = held.change
    const [a, b, c, d] = (await planeRows(held, ['a', 'b', 'c', 'd'])) as [string, string, string, string]
    await db().group.update({ where: { id: held.change.groupId }, data: { held: null, paused: false, conditions: [] } })
    await db().change.update({ where: { id }, data: { state: 'running', heldBy: 'none', startedAt: ago(40) } })
    const made = {
      ...('throughAt' in row ? {} : { state: 'provisioning', ready: false, available: false }),
      upToDate: true,
      verdict: 'up-to-date',
      createdAt: row.startedAt,
    }
    await db().machine.update({ where: { id: d }, data: made })
    const waits = { changeId: id, state: 'waiting', predicted: 'replace' }
    await db().machineProgress.createMany({
      data: [
        { changeId: id, machineId: d, machineName: 'd', state: 'created', ...row },
        ...[a, b, c].map((machineId, i) => ({ ...waits, machineId, machineName: 'abc'[i]! })),
      ],
    })
    await saysOf(d, said({ EtcdPodHealthy: 'False', EtcdMemberHealthy: 'Unknown' }))
    for (let i = 0; i < 2; i++) await planGroup(await planningContext(at.clusterId), await shownFree(held))
    expect(await db().change.findUniqueOrThrow({ where: { id } })).toMatchObject({ state })
  },
  60_000,
)
