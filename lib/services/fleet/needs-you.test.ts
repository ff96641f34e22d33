import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { listClusters } from '../clusters/list-clusters'
import type { Ctx } from '../context'
import { messageFor, type LatchStateName } from '../latch/status'
import { needsYou } from './needs-you'

useTestDatabase()
const viewer: Ctx = { actor: { kind: 'user', id: 'v', name: 'Vi', role: 'viewer' } }

const found = (state: LatchStateName | null) =>
  state === null
    ? Prisma.DbNull
    : ({ state, message: messageFor({ state, findings: [] }), findings: [], proved: null } as Prisma.InputJsonObject)

interface Given {
  state?: LatchStateName | null
  form?: string
  governs?: string
  connection?: string
}

let id = ''
async function cluster(name: string, given: Given): Promise<void> {
  const { state = 'intact', form = 'policy', governs = 'all', connection = 'connected' } = given
  const made = await db().managementCluster.create({
    data: {
      ...{ name, server: 'https://127.0.0.1:1', state: connection, latchForm: form, latchStatus: found(state) },
      policy: { create: { governs } },
      lease: { create: { owner: 'me', until: new Date(Date.now() + 3_600_000) } },
    },
  })
  id = made.id
}
const latchNeeds = async (scope = {}) => (await needsYou(viewer, scope)).filter(({ kind }) => kind === 'latch')
const marks = async () => (await listClusters(viewer)).map(({ name, unprotected }) => [name, unprotected])

beforeEach(async () => void (await db().managementCluster.deleteMany()))

test.each<[LatchStateName | null, string | null]>([
  ['missing', 'latch incomplete'],
  ['changed', 'latch changed'],
  ['not-ours', 'latch not Drydock’s'],
  ['ineffective', 'latch without effect'],
  ['unlatched', 'latch not installed'],
  ['unknown', 'latch not checked'],
  [null, 'latch not checked'],
  ['intact', null],
  ['unmanaged', null],
  ['unreachable', null],
])('a governed cluster whose latch is %s: %s', async (state, mark) => {
  await cluster('m', { state })
  const needs = await latchNeeds()
  expect(await marks()).toEqual([['m', mark]])
  if (mark === null) return expect(needs).toEqual([])
  expect(needs).toMatchObject([{ id, where: 'm', action: { href: `/clusters/${id}` } }])
  expect(needs[0]!.sentence).toContain(mark === 'latch not checked' ? 'not known' : 'unapproved')
  expect(needs[0]!.detail).toBe(messageFor({ state: state ?? 'unknown', findings: [] }))
})

test.each<[string, Given, number]>([
  ['governs nothing', { state: 'missing', governs: 'none' }, 0],
  ['is disconnected', { state: 'missing', connection: 'disconnected' }, 0],
  ['is away, which is said already', { state: 'unknown', connection: 'unreachable' }, 0],
  ['is away, and lacked its latch before', { state: 'missing', connection: 'unreachable' }, 1],
  ['is governed, with nothing installed or looked at', { state: null, form: 'none' }, 1],
  ['is governed since the last look', { state: 'none', form: 'none' }, 1],
])('a cluster that %s', async (_name, given, needs) => {
  await cluster('m', given)
  expect(await latchNeeds()).toHaveLength(needs)
})

test('comes after what is stuck or failed and before what waits, within the scope only', async () => {
  await cluster('west', { state: 'missing' })
  await cluster('east', { state: 'missing' })
  const change = {
    ...{ clusterId: id, groupId: id, groupKind: 'MachineDeployment', namespace: 'n', workloadCluster: 'w' },
    ...{ fingerprint: 'f', summary: 's', changeSet: { pairs: [], fields: [] }, outlook: {}, heldBy: 'latch' },
    ...{ resourceVersion: '1', machines: 1 },
  }
  await db().change.create({ data: { ...change, groupName: 'a', state: 'waiting' } })
  await db().change.create({ data: { ...change, groupName: 'b', state: 'stuck' } })
  const approver: Ctx = { actor: { ...viewer.actor, role: 'approver' } }
  const kinds = (await needsYou(approver, {})).map(({ kind }) => kind)
  expect(kinds).toEqual(['stuck', 'latch', 'latch', 'approval'])
  const asked = async () => (await needsYou(approver, {})).at(-1)!.sentence
  expect(await asked()).toBe('Waiting for your approval')
  await db().change.updateMany({ where: { groupName: 'a' }, data: { outlook: { blocked: 'No such template.' } } })
  expect(await asked()).toBe('No such template.')
  expect((await latchNeeds({ cluster: 'west' })).map(({ where }) => where)).toEqual(['west'])
})
