import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { bootstrapOf, pauseCluster } from '@/testenv/bootstrap-template'
import { annotations, as, latchedCluster } from '@/testenv/deciding'
import { heldChange, MD } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()
const away = { kind: 'Status', code: 500, message: 'failed calling webhook' } as const

test.each([
  ['in what differs', 'patch'],
  ['in what differs', 'get'],
  ['beside it', 'patch'],
] as const)(
  'edited since it was let go (%s), and the API server refuses its hold once (%s): it stays what it is, and is held in the next look',
  async (where, verb) => {
    const held = await heldChange(at.cluster, at.clusterId, 'MachineDeployment', 8)
    const { kind, name, namespace } = held
    const { groupId } = held.change
    const { admin } = at.cluster
    await db().group.update({ where: { id: groupId }, data: { governed: true } })
    await pauseCluster(admin, held)
    const bootstrap = await bootstrapOf(admin, held)
    const differs = where === 'in what differs'
    if (differs) {
      await bootstrap.copy('next', 'echo one')
      const spec = { template: { spec: { bootstrap: { configRef: { name: 'next' } } } } }
      await admin.patch(MD, name, namespace, 'merge', { spec })
    }
    const planned = async () => planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind })
    const open = () => db().change.findFirstOrThrow({ where: { groupId }, orderBy: { detectedAt: 'desc' } })
    await planned()
    const { id: changeId, fingerprint } = await open()
    await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace' })
    await planned()
    await bootstrap.edit(differs ? 'next' : bootstrap.name, 'echo two')
    const client = await kubeClientFor(at.clusterId)
    const { patch, get } = client
    const told = () => db().auditEvent.count({ where: { targetId: changeId, action: 'change.not-held' } })
    const no = () => Promise.reject(new KubeError(500, away, verb.toUpperCase()))
    if (verb === 'patch') client.patch = no
    // Only of the group: its templates are read.
    else
      client.get = (resource, ...rest) => (resource.plural === MD.plural ? no() : get.call(client, resource, ...rest))
    for (const _look of [1, 2]) await planned()
    Object.assign(client, { patch, get })
    expect([await told(), (await open()).id, (await open()).state]).toEqual([1, changeId, 'running'])
    for (const _look of [1, 2]) await planned()
    expect(await annotations(held)).toHaveProperty([HELD])
    expect([(await open()).state, (await open()).id === changeId, await told()]).toEqual(['waiting', !differs, 1])
  },
)
