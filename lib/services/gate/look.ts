import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import { kubeClientFor } from '../clusters/connection'
import { gateTarget } from './manifest'
import { gateStatusOf, type GateStatus } from './status'

interface Seen {
  status: GateStatus
  /** The address that somebody chose, where it is not the configured one. */
  base: string | undefined
}

/**
 * The registration as it is on the API server right now. Compared with the address that was chosen when it was made;
 * `base` says otherwise (null: the configured one).
 */
export async function readGate(clusterId: string, base?: string | null): Promise<Seen> {
  const known = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { gateStatus: true } })
  const chosen = base === undefined ? registeredBase(known?.gateStatus) : (base ?? undefined)
  const target = await gateTarget(clusterId, chosen)
  const client = await kubeClientFor(clusterId)
  const { items } = await client.list(target.resource, undefined)
  return { status: gateStatusOf(items, target.manifest.spec as JsonObject), base: chosen }
}

/** Looks at the registration and writes down what it found. For verbs and for the worker. */
export async function lookAtGate(clusterId: string, base?: string | null): Promise<GateStatus> {
  const seen = await readGate(clusterId, base)
  const gateState = seen.status.state === 'unregistered' ? 'unregistered' : 'registered'
  const gateStatus = { ...seen.status, base: seen.base ?? null } as unknown as Prisma.InputJsonValue
  await db().managementCluster.update({ where: { id: clusterId }, data: { gateState, gateStatus } })
  await announce(db(), { topic: 'clusters', cluster: clusterId })
  return seen.status
}

/** The address that somebody chose when registering, where it was not the configured one. */
export function registeredBase(status: unknown): string | undefined {
  const base = (status as { base?: unknown } | null | undefined)?.base
  return typeof base === 'string' ? base : undefined
}
