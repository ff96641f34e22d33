import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { as, failure } from '@/testenv/deciding'
import { clockAt, datedCluster, isHeldNow, newest, type Dated } from '@/testenv/dated'
import { MD } from '@/testenv/held'
import { FROZEN, says } from '@/testenv/timed'
import { holdToTimes } from './times'

useTestDatabase()
const { at, look, through, view } = datedCluster()

/** Through with its version, and paused by somebody in the cluster, some minutes before its date. */
async function pausedBefore(): Promise<Dated> {
  const held = await through()
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'webhook' } })
  const body = { metadata: { annotations: { [PAUSED]: 'kim' } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', body as never)
  clockAt(held, -590_000)
  return held
}
const annotations = async (held: Dated) => (await held.read()).metadata.annotations ?? {}

test('paused by somebody in the cluster before its date, it keeps its approval, and goes by it when that is taken away', async () => {
  const held = await pausedBefore()
  const goes = { state: 'approved', decisions: [{ mode: 'replace', state: 'seen' }] }
  for (let i = 0; i < 2; i++) expect(await look(held)).toMatchObject(goes)
  const { id } = await newest(held)
  clockAt(held, 1_000)
  expect(await look(held)).toMatchObject({ id, state: 'running' })
  const body = { metadata: { annotations: { [PAUSED]: null } } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', body as never)
  expect(await look(held)).toMatchObject({ id, state: 'running' })
  await holdToTimes(await view())
  expect(await isHeldNow(held)).toBe(false)
})

test('a freeze holds it beside that pause', async () => {
  const held = await pausedBefore()
  await says(held, FROZEN)
  await look(held)
  await holdToTimes(await view())
  expect(await annotations(held)).toMatchObject({ [PAUSED]: 'kim', [HELD]: expect.stringContaining('frozen') })
  expect(await look(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
})

test('where its approval is in force no more it is held beside that pause, and says so', async () => {
  const held = await pausedBefore()
  await db().decision.updateMany({ where: { change: { groupId: held.change.groupId } }, data: { state: 'voided' } })
  for (let i = 0; i < 2; i++) await look(held)
  const words = 'Stopped by Drydock: not now: its approval does not stand for what moves by now'
  expect(await annotations(held)).toMatchObject({ [PAUSED]: 'kim', [HELD]: words })
  expect(await newest(held)).toMatchObject({ state: 'waiting', dueMode: null, firstSeen: false, decisions: [] })
})

test('refused at first, it is held in a later look for the same reason', async () => {
  const held = await pausedBefore()
  await db().decision.updateMany({ where: { change: { groupId: held.change.groupId } }, data: { state: 'voided' } })
  const client = await kubeClientFor(at.clusterId)
  const { patch } = client
  const no = new KubeError(403, { kind: 'Status', code: 403, message: 'no' }, 'PATCH')
  client.patch = () => Promise.reject(no)
  await look(held).finally(() => (client.patch = patch))
  expect(await annotations(held)).not.toHaveProperty([HELD])
  await look(held)
  const words = 'Stopped by Drydock: not now: its approval does not stand for what moves by now'
  expect(await annotations(held)).toMatchObject({ [PAUSED]: 'kim', [HELD]: words })
})

test('paused in Drydock as well, its hold names who did that', async () => {
  const held = await pausedBefore()
  await db().change.update({ where: { id: (await newest(held)).id }, data: { pausedAt: new Date(), pausedBy: 'Ada' } })
  for (let i = 0; i < 2; i++) await look(held)
  expect((await annotations(held))[HELD]).toBe('Stopped by Drydock: not now: Ada paused it before its date came')
})

test('of what settles, whoever would pause its date is told what keeps that back', async () => {
  const held = await through()
  const { id: changeId } = await newest(held)
  await db().change.update({ where: { id: changeId }, data: { state: 'running', finishedAt: null, settling: true } })
  const { more } = await failure(pauseChange(as('approver'), { changeId, reason: 'not then' }))
  expect(more.hint).toContain('What moves at its date is kept back by a freeze.')
})
