import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { ImageBefore } from '@/lib/domain/boot-images/managed/outcome'
import { managedShows, stepsAnew, type ManagedWish } from '@/lib/domain/boot-images/managed/plan'
import { stanzaShows } from '@/lib/domain/skew/patch'
import { SETTLE_MS } from '@/lib/domain/skew/settle'
import type { StoredManagers } from '@/lib/domain/skew/stored'
import type { Managers } from '@/lib/domain/skew/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readSkewState } from '@/lib/providers/openshift/readers'
import { foretold } from '../../boot-images/managed-follows'
import { managedCluster, stateOf } from '../../boot-images/managed-now'
import { managedToConfirm, outgrown } from '../../skew/to-confirm'
import type { Foretold } from '../foretold'
import type { ActionKind, PlannedStep, Seen } from '../kind'
import { showsSince } from '../shown-since'
import { stepsOf } from '../row-steps'
import { unsureStep } from '../way-back'
import { skewKind, verdictOf } from './skew'

/** Of a row: what was asked for, which image each set had then, and what was confirmed. */
export type StoredManagedWish = ManagedWish & { before: ImageBefore[]; confirmed?: string | null }

export const managedWishOf = (row: Pick<OpenShiftAction, 'wish'>): StoredManagedWish =>
  row.wish as unknown as StoredManagedWish

/** Which machine sets the operator keeps current. On the same object as decisions on skew, so that one waits for the other. */
export const managedKind: ActionKind = {
  ...skewKind,
  kind: 'managed',
  audit: 'managed',
  goesOn: true,
  words: { ...skewKind.words, unknownField: 'this release of OpenShift does not know a part of it' },
  stands: (object) => {
    const { spec, managers } = readSkewState(object, true)
    return [...(spec === null ? [] : [skewKind.stands(object)]), `machine sets ${inWords(managers)}`].join(', ')
  },
  ready,
  still,
  anew,
  foretells,
  // Two processes write the whole status, and the slower one puts back for moments what the other changed.
  settleMs: SETTLE_MS,
  seen,
}

/** The operator has taken up what is configured, and does not record by itself any more: the API server goes by its status. */
function ready(object: KubeObject): boolean {
  const { mode, generation, observedGeneration } = readSkewState(object, true)
  return mode !== 'Automatic' && observedGeneration >= generation
}

/** What becomes of the limit is in the first write: by the second, whatever it closes is closed. */
async function still(row: OpenShiftAction): Promise<string | null> {
  if (row.step > 0) return null
  const card = await db().openShiftCluster.findUnique({ where: { clusterId: row.clusterId } })
  const wish = managedWishOf(row)
  return card && outgrown(managedToConfirm(card, wish), wish)
}

async function anew(row: OpenShiftAction, object: KubeObject): Promise<PlannedStep[]> {
  const card = await managedCluster(row.clusterId)
  return stepsAnew(stepsOf(row), managedWishOf(row), stateOf(object, card), unsureStep(row), card.managing.none)
}

async function foretells(row: OpenShiftAction, object: KubeObject): Promise<Foretold> {
  return foretold(managedWishOf(row), object, await managedCluster(row.clusterId))
}

function inWords(managers: Managers): string {
  if (managers === undefined) return 'as the platform has it'
  const mode = managers.find((m) => m.resource === 'machinesets')?.selection.mode
  return managers.length === 0 ? 'None' : (mode ?? 'as the platform has it')
}

/** Shown when the operator has taken it up; what its passes make of the sets stands on the cluster's page. */
async function seen(row: OpenShiftAction): Promise<Seen | null> {
  const card = await db().openShiftCluster.findUnique({ where: { clusterId: row.clusterId } })
  if (!card || !showsSince(card, row) || card.observedGeneration < card.generation) return null
  const wish = managedWishOf(row)
  const { effective, words } = card.managed as unknown as StoredManagers
  if (!managedShows(effective ?? undefined, wish)) return null
  if (wish.skew && !stanzaShows(card.specSkew, wish.skew)) return null
  const { mode, recordedOcp, recordedRhcos } = card
  return { answer: card.sentence, details: { managed: words, mode, recordedOcp, recordedRhcos, ...verdictOf(card) } }
}
