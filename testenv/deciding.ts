import { afterAll, beforeAll, expect } from 'vitest'
import { db } from '@/lib/db/client'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { heldChange, type Held } from './held'
import { applyLatch } from './latch'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients } from '@/lib/services/clusters/connection'
import { systemCtx, type Ctx, type Role } from '@/lib/services/context'
import type { ServiceError } from '@/lib/services/errors'
import { DECISION } from '@/lib/services/changes/patch-for'

export const as = (role: Role, name = 'Ada'): Ctx => ({ actor: { kind: 'user', id: name.toLowerCase(), name, role } })

/** A connected, latched simulated management cluster for the tests of one file. */
export function latchedCluster() {
  const at = {} as { cluster: SandboxTestCluster; clusterId: string }
  beforeAll(async () => {
    at.cluster = await sandboxTestCluster()
    at.clusterId = (await addCluster(systemCtx('test'), { name: 'm', kubeconfig: at.cluster.kubeconfig })).clusterId
    await applyLatch(at.cluster.admin)
  })
  afterAll(async () => {
    await closeClients()
    await at.cluster?.stop()
  })
  return {
    get cluster() {
      return at.cluster
    },
    get clusterId() {
      return at.clusterId
    },
    held: (kind?: Held['kind'], machines?: number): Promise<Held> =>
      heldChange(at.cluster, at.clusterId, kind, machines),
  }
}

export const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )

export const inputFor = ({ change }: Held, mode: 'in-place' | 'replace' = 'replace') => ({
  changeId: change.id,
  fingerprint: change.fingerprint,
  mode,
})

export const stateOf = async ({ change }: Held): Promise<string> =>
  (await db().change.findUniqueOrThrow({ where: { id: change.id } })).state

export const audited = async ({ change }: Held): Promise<string[]> =>
  (await db().auditEvent.findMany({ where: { targetId: change.id }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )

export const annotations = async (held: Held): Promise<Record<string, string>> =>
  (await held.read()).metadata.annotations ?? {}

export async function expectHeld(held: Held): Promise<void> {
  const found = await annotations(held)
  expect(found[PAUSED]).toBe(PAUSED_BY_DRYDOCK)
  expect(found[HELD]).toBeDefined()
}

export async function expectReleased(held: Held, decision: string): Promise<void> {
  const found = await annotations(held)
  expect(found).not.toHaveProperty([PAUSED])
  expect(found).not.toHaveProperty([HELD])
  expect(found[DECISION]).toBe(decision)
}

/** What the transaction of a verb leaves behind when its process is killed right after it. */
export async function recordedOnly(held: Held, more: object = {}): Promise<string> {
  const { id } = await db().decision.create({
    data: {
      ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode: 'replace' },
      ...{ actorId: 'ada', actorName: 'Ada', recordedAt: new Date(Date.now() - 60_000), ...more },
    },
  })
  await db().change.update({ where: { id: held.change.id }, data: { state: 'approved' } })
  return id
}
