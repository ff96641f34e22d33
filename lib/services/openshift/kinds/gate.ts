import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { ACKNOWLEDGED } from '@/lib/domain/upgradeable/gates'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { ADMIN_ACKS, CONFIG_MAPS, readConfigData } from '@/lib/providers/openshift/gates'
import { ServiceError } from '../../errors'
import { CONFIG_MAP_WORDS, readGate } from '../../upgradeable/read-gate'
import type { ActionKind, Seen } from '../kind'

/** As a row's target: each gate its own, so that decisions on two of them do not take each other's place. */
export const ackTarget = (gate: string): string => `${ADMIN_ACKS.namespace}/configmaps/${ADMIN_ACKS.name}/${gate}`

/** Of a row, which gate was decided on, and how. */
interface GateWish {
  gate: string
  acknowledged: boolean
  /** What was acknowledged: the gate's words as they were read. */
  text?: string
}

export const gateWishOf = (row: Pick<OpenShiftAction, 'wish'>): GateWish => row.wish as unknown as GateWish

/** An administrator's acknowledgement of a gate, and taking it back. */
export const gateKind: ActionKind = {
  kind: 'gate',
  audit: 'admin-gate',
  topic: 'gates',
  permission: 'skew:act',
  objectKind: 'ConfigMap',
  target: () => ({
    resource: CONFIG_MAPS,
    ...ADMIN_ACKS,
    words: `ConfigMap ${ADMIN_ACKS.namespace}/${ADMIN_ACKS.name}`,
  }),
  words: CONFIG_MAP_WORDS,
  stands,
  still,
  seen,
}

function stands(object: KubeObject): string {
  const names = Object.entries(readConfigData(object, true) ?? {}).flatMap(([name, ack]) =>
    ack === ACKNOWLEDGED ? [name] : [],
  )
  return names.length > 0 ? `acknowledged: ${names.sort().join(', ')}` : 'nothing is acknowledged'
}

/** What is acknowledged is a text: one that nobody saw is not. Taking back needs none. */
async function still(row: OpenShiftAction, client: KubeClient): Promise<string | null> {
  const { gate, acknowledged, text } = gateWishOf(row)
  if (!acknowledged) return null
  try {
    if ((await readGate(client, gate)) === text) return null
    return `The gate ${gate} says something else by now. Nothing was acknowledged: read it anew, then decide again.`
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'not-found' || error.code === 'invalid')) return error.message
    throw error
  }
}

/** The watch shows the acknowledgement, and the Cluster Version Operator no longer asks for it, or asks again. */
async function seen(row: OpenShiftAction): Promise<Seen | null> {
  const { gate, acknowledged } = gateWishOf(row)
  const { clusterId } = row
  const [stored, blocker, updates] = await Promise.all([
    db().adminGate.findUnique({ where: { clusterId_name: { clusterId, name: gate } } }),
    db().upgradeBlocker.findUnique({ where: { clusterId_key: { clusterId, key: `gate/${gate}` } } }),
    db().clusterUpdates.findUnique({ where: { clusterId } }),
  ])
  if (!updates || updates.acksRead !== 'read' || !reaches(updates.acksVersion, row.storedVersion)) return null
  // Whether it is asked for is not known.
  if (updates.unheardWhy !== null || updates.gatesRead === 'unreadable') return null
  if ((stored?.ack === ACKNOWLEDGED) !== acknowledged) return null
  if (acknowledged ? blocker : stored?.state === 'waiting' && blocker?.said !== 'both') return null
  return { answer: updates.sentence, details: { gate, state: updates.state, blockers: updates.blockers } }
}

/** Of one object a greater resourceVersion is a newer one (Kubernetes 1.35, KEP-5504). What an older Drydock stored is not known. */
const reaches = (version: string | null, stored: string | null): boolean =>
  stored === null || (version !== null && BigInt(version) >= BigInt(stored))
