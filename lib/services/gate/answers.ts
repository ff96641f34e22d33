import { db } from '@/lib/db/client'
import type { Capabilities, GroupKind, KindGates } from '@/lib/domain/capabilities'
import { discoverGates } from '@/lib/kubernetes/discovery/gates'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { lookAtGate } from './look'
import { maskToken } from './refusal'

export type GateAnswers = { ok: true } | { ok: false; why: string }

/**
 * The core manager says when it knows the gate; the manager of control planes learns of it a second or two later, says
 * nothing, and replaces machines until then (observed).
 */
const LEARNS_MS = 10_000

/**
 * Whether the managers will ask this Drydock about every group of this kind, asked of the API server right now. Whatever
 * keeps that from being known is a no.
 */
export async function gateAnswers(clusterId: string, groupKind: GroupKind): Promise<GateAnswers> {
  try {
    const states = (await gatesOf(clusterId))[groupKind]
    const off = states.find(({ state }) => state === 'off')
    if (off) return { ok: false, why: `In-place updates are off in this cluster: ${off.how}` }
    const unknown = states.find(({ state }) => state !== 'on')
    if (unknown) return { ok: false, why: `It is not known whether in-place updates are on: ${unknown.how}` }
    const status = await lookAtGate(clusterId)
    if (status.state !== 'ok') return { ok: false, why: status.sentence }
    const known = Date.parse(status.checkedAt) - Date.parse(status.okSince ?? status.checkedAt)
    if (groupKind === 'KubeadmControlPlane' && known < LEARNS_MS)
      return {
        ok: false,
        why: 'The gate was registered a moment ago: the manager of control planes may not know it yet. Retry in ten seconds.',
      }
    return { ok: true }
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable)
      return { ok: false, why: `Whether Cluster API asks the gate could not be read: ${maskToken(error.message)}` }
    if (error instanceof ServiceError) return { ok: false, why: error.message }
    throw error
  }
}

/**
 * Whether the core manager surely asks nobody about MachineDeployments, now: its gates are off. It was started with them, and
 * remembers nothing of before. A registration that is gone is not enough: it may come back, and the memory is still there. Null: the
 * cluster could not be asked.
 */
export async function asksNobody(clusterId: string): Promise<boolean | null> {
  try {
    const { MachineDeployment } = await gatesOf(clusterId)
    return MachineDeployment.some(({ state, rolling }) => state === 'off' && !rolling)
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable || error instanceof ServiceError) return null
    throw error
  }
}

/** What was discovered may be minutes old, or hours where no worker runs: whoever upgrades may have reset the gates. */
async function gatesOf(clusterId: string): Promise<KindGates> {
  const row = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { discovery: true } })
  const resources = (row?.discovery as unknown as Capabilities | null)?.resources ?? {}
  return (await discoverGates(await kubeClientFor(clusterId), { resources })).gates.ofKind
}
