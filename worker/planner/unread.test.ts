import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { LET_GO } from '@/lib/services/changes/let-go-outside'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { as } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { bound } from '@/testenv/bound'
import { says, timedCluster } from '@/testenv/timed'
import { until } from '@/testenv/process'
import { stopFailing } from './failures'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

useTestDatabase()
const { at, running } = timedCluster()
const CLUSTERS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters' }

/** Looked at, where no template can be read. */
async function look(held: Held, code: number, guard = false): Promise<void> {
  const { view, source, ...rest } = await planningContext(at.clusterId)
  const no = new KubeError(code, { kind: 'Status', code, message: 'no' }, 'GET')
  const latch = { ...view.capabilities.latch, guard }
  const context = {
    ...{ ...rest, source: { ...source, template: () => Promise.reject(no) } },
    view: { ...view, capabilities: { ...view.capabilities, latch } },
  }
  await planGroup(context, { ...(await held.read()), kind: held.kind }).catch((error: unknown) => {
    if (error !== no) throw error
  })
}
const changeOf = ({ change }: Held) => db().change.findUniqueOrThrow({ where: { id: change.id } })

const WHOLE = { [PAUSED]: null, [HELD]: null }
/** Its words stay, and hold nothing. */
const PAUSE = { [PAUSED]: null }
const TAKEN = [WHOLE, PAUSE].flatMap((hold) => [403, 500].map((code) => [code, hold] as const))

/** Governed by the webhook form, and its hold taken away. */
async function taken(annotations: object = WHOLE): Promise<Held> {
  const held = await at.held()
  const { admin } = at.cluster
  // Nothing moves meanwhile.
  await admin.patch(CLUSTERS, held.change.workloadCluster, held.namespace, 'merge', { spec: { paused: true } })
  const data = { latchForm: 'webhook', gateState: 'unregistered' }
  await db().managementCluster.update({ where: { id: at.clusterId }, data })
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  await look(held, 403)
  const { client } = (await planningContext(at.clusterId)).view
  await client.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } } as never)
  return held
}

test.each(TAKEN)(
  'a hold that is taken away while templates cannot be read is put back (%s, %o)',
  async (code, hold) => {
    const held = await taken(hold)
    await look(held, code)
    const { annotations } = (await held.read()).metadata
    expect(annotations).toHaveProperty([HELD])
    expect(annotations).toHaveProperty([PAUSED])
  },
)

test('what the gate alone holds is not told as let go where templates cannot be read, nor is it followed', async () => {
  const held = await at.held()
  const { admin } = at.cluster
  await admin.patch(CLUSTERS, held.change.workloadCluster, held.namespace, 'merge', { spec: { paused: true } })
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { gateState: 'registered' } })
  await db().change.update({ where: { id: held.change.id }, data: { heldBy: 'gate' } })
  const { client } = (await planningContext(at.clusterId)).view
  const annotations = { [PAUSED]: null, [HELD]: null }
  await client.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } })
  await look(held, 503, true)
  expect(await changeOf(held)).toMatchObject({ state: 'waiting', heldBy: 'gate' })
  expect(await db().auditEvent.count({ where: { targetId: held.change.id, action: LET_GO } })).toBe(0)
})

test.each(TAKEN)(
  'behind a guard it is on record that it was taken away, also where templates cannot be read (%s, %o)',
  async (code, hold) => {
    const held = await taken(hold)
    for (let i = 0; i < 2; i++) await look(held, code, true)
    expect(await changeOf(held)).toMatchObject({ state: 'running', heldBy: 'none' })
    expect(await db().auditEvent.count({ where: { targetId: held.change.id, action: LET_GO } })).toBe(1)
  },
)

test.each([403, 500])(
  'paused in the middle, it waits, and can be resumed, while templates cannot be read (%s)',
  async (code) => {
    const held = await running()
    await look(held, code)
    await pauseChange(as('operator'), { changeId: held.change.id })
    await holdToTimes((await planningContext(at.clusterId)).view)
    expect((await held.read()).metadata.annotations).toHaveProperty([HELD])
    for (let i = 0; i < 2; i++) await look(held, code)
    const voided = { decisions: [{ state: 'voided', awaitsTime: true }] }
    const now = () => db().change.findUniqueOrThrow({ where: { id: held.change.id }, include: { decisions: true } })
    expect(await now()).toMatchObject({ state: 'waiting', heldBy: 'latch', dueMode: 'replace', ...voided })
    await resumeChange(as('approver'), { changeId: held.change.id })
    expect(await now()).toMatchObject({ state: 'approved', pausedAt: null })
  },
)

test.each([403, 500])(
  'what is under way is followed, and stops where too many fail, while templates cannot be read (%s)',
  async (code) => {
    const held = await running()
    await says(held, { stopsAt: 1 })
    await db().machine.create({
      data: {
        ...{
          id: randomUUID(),
          clusterId: at.clusterId,
          provider: 'cluster.x-k8s.io',
          namespace: held.namespace,
          name: 'm',
        },
        ...{
          workloadCluster: held.change.workloadCluster,
          groupKind: 'MachineDeployment',
          groupName: held.name,
          sentence: '',
        },
        ...{ phase: 'Failed', state: 'failed', error: 'no room', ready: false, available: false, upToDate: true },
        ...{ resourceVersion: '1', createdAt: new Date() },
      },
    })
    await look(held, code)
    await stopFailing((await planningContext(at.clusterId)).view)
    expect(await changeOf(held)).toMatchObject({ stoppedWhy: expect.stringContaining('1 machine failed') as string })
  },
)

test.each([403, 500])(
  'what nobody let go, written while nothing held it, is held though no template can be read (%s)',
  async (code) => {
    const held = await taken()
    await db().group.update({ where: { id: held.change.groupId }, data: { letGo: 'another' } })
    await db().change.deleteMany({ where: { groupId: held.change.groupId } })
    // Its manager may write between the look and the hold: the watch shows it again.
    const why = 'it began without having been held, and nobody approved it'
    await until('the hold', async () => {
      await look(held, code)
      return (await held.read()).metadata.annotations?.[HELD]?.includes(why) ?? false
    })
    const of = { targetId: held.change.groupId, action: 'change.held', result: 'ok' }
    expect(await db().auditEvent.count({ where: of })).toBe(1)
  },
)

test('what it was let go with is let be where no template can be read', async () => {
  const held = await taken()
  const { digest } = held.change
  await db().group.update({ where: { id: held.change.groupId }, data: { letGo: digest } })
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  await look(held, 403)
  expect((await held.read()).metadata.annotations).not.toHaveProperty([HELD])
})

test('by another version of the API it is what it was let go with: let be, as of two nobody can compare the digests', async () => {
  const held = await taken()
  const older = { ...(await held.read()), apiVersion: 'cluster.x-k8s.io/v1beta1', kind: held.kind }
  await db().group.update({ where: { id: held.change.groupId }, data: { letGo: rolloutDigest(older) } })
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  const { view, source, ...rest } = await planningContext(at.clusterId)
  const no = new KubeError(500, { kind: 'Status', code: 500, message: 'no' }, 'GET')
  const { client } = view
  const get: typeof client.get = (resource, ...more) =>
    resource.version === 'v1beta1' ? Promise.resolve(older) : client.get(resource, ...more)
  const context = {
    ...rest,
    ...{
      source: { ...source, template: () => Promise.reject(no) },
      view: { ...view, client: { ...bound(client), get } },
    },
  }
  await expect(planGroup(context, { ...(await held.read()), kind: held.kind })).rejects.toBe(no)
  expect((await held.read()).metadata.annotations).not.toHaveProperty([HELD])
})
