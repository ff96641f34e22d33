import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma } from '@/lib/db/generated/client'
import { valueAt } from '@/lib/domain/changes'
import { kubeClientFor } from '../clusters/connection'
import { gateTarget } from './manifest'
import { gateStatusOf, type GateStatus } from './status'

/** Looks at the registration and writes down what it found. For verbs and for the worker. */
export async function lookAtGate(clusterId: string, url?: string): Promise<GateStatus> {
  const known = await db().managementCluster.findUnique({
    where: { id: clusterId },
    select: { gateState: true, gateStatus: true },
  })
  const base = url ?? registeredBase(known?.gateStatus)
  const target = await gateTarget(clusterId, base)
  const client = await kubeClientFor(clusterId)
  const { items } = await client.list(target.resource, undefined)
  const caBundle = valueAt(target.manifest, 'spec', 'clientConfig', 'caBundle')
  const status = gateStatusOf(items, { url: target.url, caBundle: String(caBundle) })
  const gateState = status.state === 'unregistered' ? 'unregistered' : 'registered'
  const gateStatus = { ...status, base: base ?? null } as unknown as Prisma.InputJsonValue
  await db().managementCluster.update({ where: { id: clusterId }, data: { gateState, gateStatus } })
  await announce(db(), { topic: 'clusters', cluster: clusterId })
  return status
}

/** The address that somebody chose when registering, where it was not the configured one. */
export function registeredBase(status: unknown): string | undefined {
  const base = (status as { base?: unknown } | null | undefined)?.base
  return typeof base === 'string' ? base : undefined
}
