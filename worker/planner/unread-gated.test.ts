import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { LET_GO } from '@/lib/services/changes/let-go-outside'
import { pauseCluster } from '@/testenv/bootstrap-template'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { timedCluster } from '@/testenv/timed'
import { planGroup } from './plan-group'

useTestDatabase()
const { at } = timedCluster()

async function look(held: Held, guard: boolean, readable: boolean): Promise<void> {
  const { view, source, ...rest } = await planningContext(at.clusterId)
  const no = new KubeError(403, { kind: 'Status', code: 403, message: 'no' }, 'GET')
  const latch = { ...view.capabilities.latch, guard }
  const context = {
    ...{ ...rest, source: readable ? source : { ...source, template: () => Promise.reject(no) } },
    view: { ...view, capabilities: { ...view.capabilities, latch } },
  }
  await planGroup(context, { ...(await held.read()), kind: held.kind }).catch((error: unknown) => {
    if (error !== no) throw error
  })
}

test.each([
  ['can', true],
  ['cannot', false],
])('a hold that is taken away while the gate is registered, where templates %s be read', async (_, readable) => {
  const held = await at.held()
  await pauseCluster(at.cluster.admin, held)
  const data = { latchForm: 'webhook', gateState: 'registered' }
  await db().managementCluster.update({ where: { id: at.clusterId }, data })
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  const take = async () => {
    const { client } = (await planningContext(at.clusterId)).view
    const annotations = { [PAUSED]: null, [HELD]: null }
    await client.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } })
  }
  const isHeld = async () => HELD in ((await held.read()).metadata.annotations ?? {})
  const changeOf = () => db().change.findUniqueOrThrow({ where: { id: held.change.id } })
  const letGo = () => db().auditEvent.count({ where: { targetId: held.change.id, action: LET_GO } })
  await look(held, false, readable)
  await take()
  for (let i = 0; i < 2; i++) await look(held, false, readable)
  // Without a guard it is put back.
  expect([await isHeld(), await letGo()]).toEqual([true, 0])
  await take()
  for (let i = 0; i < 2; i++) await look(held, true, readable)
  // Behind one, who may took it away: that is on record, and the gate holds it still.
  expect([await isHeld(), await letGo()]).toEqual([false, 1])
  expect(await changeOf()).toMatchObject({ state: 'waiting', heldBy: 'gate', startedAt: null })
})
