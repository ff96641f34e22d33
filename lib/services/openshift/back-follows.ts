import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { whatFollows } from '@/lib/domain/skew/follows'
import type { SkewRequest } from '@/lib/domain/skew/patch'
import { storedFloor, type StoredEvidence } from '@/lib/domain/skew/stored'
import type { Managers, SkewSpec } from '@/lib/domain/skew/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readSkewState } from '@/lib/providers/openshift/readers'
import { mayBeOld } from './may-be-old'

interface Back {
  bootImageSkewEnforcement?: SkewSpec | null
  managedBootImages?: { machineManagers?: Managers } | null
}

export interface BackFollows {
  /** What the cluster makes of it, the verdict first. */
  follows: string[]
  warnings: string[]
}
const NOTHING: BackFollows = { follows: [], warnings: [] }

/** What follows from a way back that says anything of boot image skew; nothing where too little is known of the cluster. */
export async function backFollows(clusterId: string, now: KubeObject, body: JsonObject): Promise<BackFollows> {
  const { bootImageSkewEnforcement: stanza, managedBootImages } = (body.spec ?? {}) as Back
  const card = stanza !== undefined && (await db().openShiftCluster.findUnique({ where: { clusterId } }))
  if (!card) return NOTHING
  const evidence = card.evidence as unknown as Partial<StoredEvidence>
  if (!evidence.platform || !evidence.sets) return NOTHING
  const read = readSkewState(now, card.skewSupported)
  const state = managedBootImages === undefined ? read : { ...read, managers: managedBootImages?.machineManagers }
  const known = { ...(evidence as StoredEvidence), state, floor: storedFloor(card), release: card.version }
  return { follows: whatFollows(requestFor(stanza), known).sentences, warnings: mayBeOld(card) }
}

function requestFor(stanza: SkewSpec | null): SkewRequest {
  if (stanza === null) return { action: 'automatic' }
  const { rhcosVersion, ocpVersion } = stanza.manual ?? {}
  if (stanza.mode !== 'Manual') return { action: 'opt-out' }
  return rhcosVersion
    ? { action: 'acknowledge', versionKind: 'RHCOSVersion', version: rhcosVersion }
    : { action: 'acknowledge', versionKind: 'OCPVersion', version: ocpVersion ?? '' }
}
