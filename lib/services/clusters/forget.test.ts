import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { sandboxTestCluster } from '@/sandbox/test-cluster'
import { copied, expectForgotten } from '@/testenv/forgotten'
import type { Ctx } from '../context'
import type { ServiceError } from '../errors'
import { addCluster } from './add-cluster'
import { closeClients } from './connection'
import { disconnectCluster, planDisconnect } from './disconnect-cluster'

useTestDatabase()
const admin: Ctx = { actor: { kind: 'user', id: 'u', name: 'Ada', role: 'admin' } }
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir
afterAll(async () => {
  await closeClients()
  rmSync(dir, { recursive: true, force: true })
})
const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )

test('one that is gone for good is forgotten, and only once it does not answer', async () => {
  const lost = await sandboxTestCluster()
  const { clusterId: id } = await addCluster(admin, { name: 'lost', kubeconfig: lost.kubeconfig })
  await db().managementCluster.update({ where: { id }, data: { gateState: 'registered' } })
  const input = { clusterId: id, confirm: 'lost', gone: true }
  expect(await failure(disconnectCluster(admin, input))).toMatchObject({
    ...{ code: 'conflict', message: 'lost answers: it is not gone.' },
  })
  await copied(id)
  await db().machine.updateMany({ where: { clusterId: id }, data: { updating: true, skipMark: 'drydock' } })
  await db().rolloutPolicy.create({ data: { name: 'night', spec: { select: { clusters: ['lost'] } } } })
  await lost.stop()
  // Of a registration only where there is one.
  const forget = async (gateState: string) => {
    await db().managementCluster.update({ where: { id }, data: { gateState } })
    return planDisconnect(admin, { clusterId: id, gone: true })
  }
  const unregistered = await forget('unregistered')
  expect(unregistered.sentences.join(' ')).not.toMatch(/registration|Connect it again/)
  const known = await forget('registered')
  expect(known.sentences.join(' ')).toMatch(
    /its registration goes on asking.*Connect it again.*The policy night selects/,
  )
  expect(known.halfWay).toEqual([
    expect.stringMatching(/^In the middle of an update in place: n\/x\. .* deleted\.$/) as string,
    expect.stringMatching(/skipped by Drydock for n\/x: that stays so/) as string,
  ])
  expect((await failure(disconnectCluster(admin, { ...input, gone: false }))).code).toBe('unavailable')
  expect((await failure(disconnectCluster(admin, { ...input, confirm: 'x' }))).code).toBe('invalid')
  const plan = await disconnectCluster(admin, input)
  expect(plan.sentences[0]).toContain('what is held is held still')
  expect(await db().clusterCredential.count({ where: { clusterId: id } })).toBe(0)
  // Nobody released it, and its page says so.
  const { gateState } = await db().managementCluster.findUniqueOrThrow({ where: { id } })
  expect(gateState).toBe('registered')
  const last = await db().auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })
  expect(last).toMatchObject({
    ...{ action: 'cluster.disconnected', result: 'ok', clusterId: id },
    answer: 'the cluster was not asked: nothing was released',
  })
  await expectForgotten(id)
})
