import { db } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { discoverGates } from '@/lib/kubernetes/discovery/gates'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { readGate } from './look'
import { maskToken } from './refusal'

export type GateAnswers = { ok: true } | { ok: false; why: string }

/**
 * Whether the managers will ask this Drydock about every group, asked of the API server right now. Whatever keeps that
 * from being known is a no. Writes nothing.
 */
export async function gateAnswers(clusterId: string): Promise<GateAnswers> {
  try {
    const row = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { discovery: true } })
    const resources = (row?.discovery as unknown as Capabilities | null)?.resources ?? {}
    // What was discovered may be minutes old, or hours where no worker runs: whoever upgrades may have reset the gates.
    const { gates } = await discoverGates(await kubeClientFor(clusterId), { resources })
    const states = [gates.inPlaceUpdates, gates.runtimeSdk]
    const off = states.find(({ state }) => state === 'off')
    if (off) return { ok: false, why: `In-place updates are off in this cluster: ${off.how}` }
    const unknown = states.find(({ state }) => state !== 'on')
    if (unknown) return { ok: false, why: `It is not known whether in-place updates are on: ${unknown.how}` }
    const status = await readGate(clusterId)
    return status.state === 'ok' ? { ok: true } : { ok: false, why: status.sentence }
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable)
      return { ok: false, why: `Whether Cluster API asks the gate could not be read: ${maskToken(error.message)}` }
    if (error instanceof ServiceError) return { ok: false, why: error.message }
    throw error
  }
}
