import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { whatFollows } from '@/lib/domain/skew/follows'
import type { SkewRequest } from '@/lib/domain/skew/patch'
import { storedFloor, type StoredEvidence } from '@/lib/domain/skew/stored'
import type { Managers, SkewSpec } from '@/lib/domain/skew/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readSkewState } from '@/lib/providers/openshift/readers'

interface Back {
  bootImageSkewEnforcement?: SkewSpec | null
  managedBootImages?: { machineManagers?: Managers } | null
}

/** What a cluster makes of a way back that says anything of its boot image skew, the verdict first; nothing where too little is known of it. */
export async function backFollows(clusterId: string, now: KubeObject, body: JsonObject): Promise<string[]> {
  const { bootImageSkewEnforcement: stanza, managedBootImages } = (body.spec ?? {}) as Back
  const card = stanza !== undefined && (await db().openShiftCluster.findUnique({ where: { clusterId } }))
  if (!card) return []
  const evidence = card.evidence as unknown as Partial<StoredEvidence>
  if (!evidence.platform || !evidence.sets) return []
  const read = readSkewState(now, card.skewSupported)
  const state = managedBootImages === undefined ? read : { ...read, managers: managedBootImages?.machineManagers }
  const known = { ...(evidence as StoredEvidence), state, floor: storedFloor(card), release: card.version }
  return whatFollows(requestFor(stanza), known).sentences
}

function requestFor(stanza: SkewSpec | null): SkewRequest {
  if (stanza === null) return { action: 'automatic' }
  const { rhcosVersion, ocpVersion } = stanza.manual ?? {}
  if (stanza.mode !== 'Manual') return { action: 'opt-out' }
  return rhcosVersion
    ? { action: 'acknowledge', versionKind: 'RHCOSVersion', version: rhcosVersion }
    : { action: 'acknowledge', versionKind: 'OCPVersion', version: ocpVersion ?? '' }
}
