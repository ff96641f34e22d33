import { db } from '@/lib/db/client'
import type { OpenShiftAction, OpenShiftCluster } from '@/lib/db/generated/client'
import { stanzaShows, type SkewRequest } from '@/lib/domain/skew/patch'
import type { StoredManagers } from '@/lib/domain/skew/stored'
import { spoken } from '@/lib/domain/skew/verdict'
import type { KubeObject } from '@/lib/kubernetes/types'
import { MACHINE_CONFIGURATION, readSkewState } from '@/lib/providers/openshift/readers'
import { outgrown, toConfirm } from '../../skew/to-confirm'
import { requestOf } from '../../skew/action-row'
import type { ActionKind, Seen } from '../kind'
import { showsSince } from '../shown-since'

/** As a row's target. */
export const CLUSTER_CONFIGURATION = 'machineconfigurations/cluster'

/** Acknowledgement, opt-out and return to automatic. */
export const skewKind: ActionKind = {
  kind: 'skew',
  audit: 'skew',
  topic: 'boot-images',
  permission: 'skew:act',
  objectKind: 'MachineConfiguration',
  target: () => ({ resource: MACHINE_CONFIGURATION, name: 'cluster', words: 'MachineConfiguration/cluster' }),
  words: {
    missing: 'The Machine Config Operator makes it; wait until it runs.',
    unknownField: 'this release of OpenShift does not know boot image skew',
    takenUp: 'the operator was seen to take it up',
  },
  stands,
  still,
  seen,
}

function stands(object: KubeObject): string {
  const { spec } = readSkewState(object, true)
  if (spec === null) return 'nothing about the age of boot images'
  return spec.mode === 'Manual' ? `Manual, ${spoken(spec.manual ?? {})}` : String(spec.mode)
}

interface SkewWish {
  manageAll?: boolean
  /** Absent: it was recorded before this was kept, and whatever is to be confirmed is confirmed anew. */
  confirmed?: string | null
}

/** What is to be confirmed by then, somebody has confirmed. */
async function still(row: OpenShiftAction): Promise<string | null> {
  const card = await db().openShiftCluster.findUnique({ where: { clusterId: row.clusterId } })
  const wish = row.wish as SkewWish
  return card && outgrown(toConfirm(card, requestOf(row), wish.manageAll), wish)
}

/** Right after the write the operator's word of before stands beside it: what is not known yet is no verdict for the record. */
export const verdictOf = ({ verdict }: Pick<OpenShiftCluster, 'verdict'>) => (verdict === 'unknown' ? {} : { verdict })

async function seen(row: OpenShiftAction): Promise<Seen | null> {
  const card = await db().openShiftCluster.findUnique({ where: { clusterId: row.clusterId } })
  if (!card || !showsSince(card, row)) return null
  if (!shows(card, requestOf(row)) || !manages(card, row)) return null
  const { mode, recordedOcp, recordedRhcos } = card
  return { answer: card.sentence, details: { mode, recordedOcp, recordedRhcos, ...verdictOf(card) } }
}

/** Where all machine sets were to be managed as well. */
function manages(card: OpenShiftCluster, { wish }: OpenShiftAction): boolean {
  if ((wish as SkewWish).manageAll !== true) return true
  const { effective } = card.managed as unknown as Partial<StoredManagers>
  return effective?.some((m) => m.resource === 'machinesets' && m.selection.mode === 'All') ?? false
}

function shows(card: OpenShiftCluster, request: SkewRequest): boolean {
  if (!stanzaShows(card.specSkew, request) || card.observedGeneration < card.generation) return false
  if (request.action === 'opt-out') return card.mode === 'None'
  if (request.action === 'automatic') return card.mode !== null
  const recorded = request.versionKind === 'RHCOSVersion' ? card.recordedRhcos : card.recordedOcp
  return card.mode === 'Manual' && recorded === request.version
}
