import { db } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { readGate } from './look'
import { maskToken } from './refusal'

export type GateAnswers = { ok: true } | { ok: false; why: string }

/**
 * Whether the managers will ask this Drydock about every group, asked of the API server right now. Whatever keeps that
 * from being known is a no. Writes nothing.
 */
export async function gateAnswers(clusterId: string): Promise<GateAnswers> {
  const row = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { discovery: true } })
  const gates = (row?.discovery as unknown as Capabilities | null)?.gates
  if (gates?.inPlaceUpdates.state === 'off' || gates?.runtimeSdk.state === 'off')
    return { ok: false, why: 'In-place updates are off in this cluster: its managers replace machines unasked.' }
  if (gates?.inPlaceUpdates.state !== 'on' || gates.runtimeSdk.state !== 'on')
    return { ok: false, why: 'It is not known whether in-place updates are on in this cluster.' }
  try {
    const { status } = await readGate(clusterId)
    return status.state === 'ok' ? { ok: true } : { ok: false, why: status.sentence }
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable)
      return { ok: false, why: `The registration of the gate could not be read: ${maskToken(error.message)}` }
    if (error instanceof ServiceError) return { ok: false, why: error.message }
    throw error
  }
}
