import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { EXTENSION_CONFIG } from '@/lib/domain/latch/names'
import { recordAudit } from '../audit/record'
import { kubeClientFor } from '../clusters/connection'
import { systemCtx } from '../context'
import { gateTarget } from './manifest'
import { gateStatusOf, type GateStatus } from './status'

/** The registration as it is on the API server right now, compared with what was registered. Writes nothing. */
export async function readGate(clusterId: string): Promise<GateStatus> {
  // The database's clock, before the API server is asked: whoever asked later knows more.
  const [asked] = await db().$queryRaw<{ at: Date }[]>`SELECT clock_timestamp() AS at`
  const target = await gateTarget(clusterId)
  const client = await kubeClientFor(clusterId)
  const { items } = await client.list(target.resource, undefined)
  // The address may have been chosen meanwhile: it is written before the registration is.
  const { manifest, capabilities } = await gateTarget(clusterId)
  const off = capabilities.gates.runtimeSdk.state === 'off'
  return { ...gateStatusOf(items, manifest.spec as JsonObject, off), checkedAt: asked!.at.toISOString() }
}

/** Looks at the registration and writes down what it found, unless somebody looked later. For verbs and for the worker. */
export async function lookAtGate(clusterId: string): Promise<GateStatus> {
  const status = await readGate(clusterId)
  const gateState = status.state === 'unregistered' ? 'unregistered' : 'registered'
  return db().$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ status: GateStatus | null; name: string; state: string }[]>`
      SELECT gate_status AS status, name, state FROM management_cluster WHERE id = ${clusterId}::uuid FOR UPDATE`
    if (row?.status && row.status.checkedAt > status.checkedAt) return row.status
    const same = row?.status?.state === 'ok' && row.status.of === status.of
    if (status.state === 'ok') status.okSince = (same && row?.status?.okSince) || status.checkedAt
    const before = row?.status ?? null
    const taken = status.of === null && before !== null && before.of !== null && row?.state !== 'disconnected'
    if (status.of === null && before?.takenAt) status.takenAt = before.takenAt
    if (taken) status.takenAt = status.checkedAt
    const gateStatus = status as unknown as Prisma.InputJsonValue
    await tx.managementCluster.update({ where: { id: clusterId }, data: { gateState, gateStatus } })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    if (row && taken)
      await recordAudit(tx, systemCtx('worker'), {
        action: 'gate.taken-away',
        target: { kind: 'ExtensionConfig', id: clusterId, name: EXTENSION_CONFIG },
        cluster: { id: clusterId, name: row.name },
        reason: 'It was deleted, and not by Drydock: what the latch does not hold is replaced unasked.',
      })
    return status
  })
}
