import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { ACKNOWLEDGED } from '@/lib/domain/upgradeable/gates'
import type { KubeObject } from '@/lib/kubernetes/types'
import { ADMIN_ACKS, CONFIG_MAPS, readConfigData } from '@/lib/providers/openshift/gates'
import type { ActionKind, Seen } from '../kind'

/** As a row's target: each gate its own, so that decisions on two of them do not take each other's place. */
export const ackTarget = (gate: string): string => `${ADMIN_ACKS.namespace}/configmaps/${ADMIN_ACKS.name}/${gate}`

/** Of a row, which gate was decided on, and how. */
interface GateWish {
  gate: string
  acknowledged: boolean
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
  words: {
    missing: 'The Cluster Version Operator makes it again by itself; wait until it has.',
    unknownField: 'the ConfigMap does not keep what is written to it',
  },
  stands,
  seen,
}

function stands(object: KubeObject): string {
  const names = Object.entries(readConfigData(object, true) ?? {}).flatMap(([name, ack]) =>
    ack === ACKNOWLEDGED ? [name] : [],
  )
  return names.length > 0 ? `acknowledged: ${names.sort().join(', ')}` : 'nothing is acknowledged'
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
  if (!updates || updates.acksRead !== 'read') return null
  if ((stored?.ack === ACKNOWLEDGED) !== acknowledged) return null
  if (acknowledged ? blocker : stored?.state === 'waiting' && blocker?.said !== 'both') return null
  return { answer: updates.sentence, details: { gate, state: updates.state, blockers: updates.blockers } }
}
