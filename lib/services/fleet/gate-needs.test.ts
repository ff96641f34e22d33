import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { recordAudit } from '../audit/record'
import { systemCtx } from '../context'
import { gateNeeds } from './gate-needs'

useTestDatabase()
beforeEach(async () => void (await db().managementCluster.deleteMany()))

const REGISTERED = ['ExtensionConfig', 'gate.registered'] as const
const DISCONNECTED = ['ManagementCluster', 'cluster.disconnected'] as const
const AGAIN = ['ManagementCluster', 'cluster.connected-again'] as const
const FAILED = [...DISCONNECTED, 'failed'] as const
type Said = readonly [kind: string, action: string, result?: 'failed']

async function cluster(said: readonly Said[], given: { governs?: string; state?: string; gateState?: string } = {}) {
  const { governs = 'all', state = 'connected', gateState = 'unregistered' } = given
  const { id } = await db().managementCluster.create({
    data: { ...{ name: 'm', server: 'https://127.0.0.1:1', state, gateState }, policy: { create: { governs } } },
  })
  for (const [kind, action, result] of said)
    await db().$transaction((tx) =>
      recordAudit(tx, systemCtx('test'), { action, target: { kind, id, name: 'm' }, ...(result ? { result } : {}) }),
    )
  return id
}
const needs = async () => (await gateNeeds({})).map(({ kind, id }) => [kind, id])

test('whose gate went with its disconnect, and was not registered since it was connected again, is told', async () => {
  const id = await cluster([REGISTERED, DISCONNECTED, AGAIN])
  const [need] = await gateNeeds({})
  expect(need).toMatchObject({
    ...{ kind: 'gate-left', id, where: 'm', action: { label: 'Register again' } },
    sentence:
      'The update gate is not registered since m was connected again; what the latch does not hold is replaced unasked',
  })
  const again = await db().auditEvent.findFirstOrThrow({ where: { targetId: id, action: AGAIN[1] } })
  expect(need!.since).toBe(again.at.toISOString())
  expect(await gateNeeds({ cluster: 'other' })).toEqual([])
})

test.each<[string, Parameters<typeof cluster>]>([
  ['that never had one', [[DISCONNECTED, AGAIN]]],
  ['that was never disconnected', [[REGISTERED]]],
  ['whose disconnect failed', [[REGISTERED, FAILED]]],
  ['in which nothing is governed', [[REGISTERED, DISCONNECTED, AGAIN], { governs: 'none' }]],
  ['that is disconnected', [[REGISTERED, DISCONNECTED], { state: 'disconnected' }]],
  ['that has it again', [[REGISTERED, DISCONNECTED, AGAIN, REGISTERED], { gateState: 'registered' }]],
])('nothing is told of one %s', async (_, given) => {
  await cluster(...given)
  expect(await needs()).toEqual([])
})

test('whose gate was registered again, and taken away by somebody, is told that', async () => {
  const id = await cluster([REGISTERED, DISCONNECTED, AGAIN, REGISTERED])
  await db().managementCluster.update({ where: { id }, data: { gateStatus: { takenAt: '2026-11-28T08:00:00.000Z' } } })
  expect(await needs()).toEqual([['gate-gone', id]])
})
