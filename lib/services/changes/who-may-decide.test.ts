import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { heldChange, type Held } from '@/testenv/held'
import { applyLatch } from '@/testenv/latch'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import { ROLES, systemCtx, type Ctx, type Role } from '../context'
import type { ServiceError } from '../errors'
import { approveChange } from './approve-change'
import { getChange } from './get-change'
import { previewDecision } from './preview-decision'
import { rejectChange } from './reject-change'
import { retryDecision } from './retry-decision'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'ada', name: 'Ada', role } })
let cluster: SandboxTestCluster
let clusterId: string

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  clusterId = (await addCluster(systemCtx('test'), { name: 'm', kubeconfig: cluster.kubeconfig })).clusterId
  await applyLatch(cluster.admin)
})
afterAll(async () => {
  await closeClients()
  await cluster?.stop()
})

const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const stateOf = async ({ change }: Held) => (await db().change.findUniqueOrThrow({ where: { id: change.id } })).state
const expectHeld = async (held: Held) => {
  const found = (await held.read()).metadata.annotations ?? {}
  expect(found[PAUSED]).toBe(PAUSED_BY_DRYDOCK)
  expect(found[HELD]).toBeDefined()
}

describe('who may', () => {
  let held: Held
  beforeAll(async () => {
    held = await heldChange(cluster, clusterId)
  })

  test.each(ROLES)('%s', async (role) => {
    const allowed = async (attempt: Promise<unknown>) => (await failure(attempt)).code !== 'forbidden'
    const stale = { changeId: held.change.id, fingerprint: '0'.repeat(64) }
    const may = {
      reject: await allowed(rejectChange(as(role), stale)),
      approve: await allowed(approveChange(as(role), { ...stale, mode: 'replace' })),
    }
    expect(may).toEqual({
      reject: role !== 'viewer',
      approve: role === 'approver' || role === 'admin',
    })
    await previewDecision(as(role), { changeId: held.change.id, mode: 'replace' })
    await getChange(as(role), { id: held.change.id })
    expect(await stateOf(held)).toBe('waiting')
  })

  test('an operator repeats a rejection, and not an approval', async () => {
    const decision = (mode: string) =>
      db().decision.create({
        data: {
          ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode, state: 'failed' },
          ...{ actorId: 'ada', actorName: 'Ada' },
        },
      })
    const [approval, rejection] = [await decision('replace'), await decision('reject')]
    expect((await failure(retryDecision(as('viewer'), { decisionId: rejection.id }))).code).toBe('forbidden')
    expect((await failure(retryDecision(as('operator'), { decisionId: approval.id }))).code).toBe('forbidden')
    expect(await retryDecision(as('operator'), { decisionId: rejection.id })).toMatchObject({ state: 'accepted' })
    await expectHeld(held)
  })
})
