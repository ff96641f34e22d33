import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { putsOff } from '@/lib/domain/boot-images/by-release'
import { selectorProblem } from '@/lib/domain/boot-images/enrol'
import { managedOutcome, passSince, type ManagedOutcome } from '@/lib/domain/boot-images/managed/outcome'
import { rowsOf, type SelectorRow } from '@/lib/domain/boot-images/managed/selector'
import type { StoredEvidence, StoredManagers } from '@/lib/domain/skew/stored'
import { parseInput, requirePermission, type Ctx } from '../context'
import { actionDto, type ActionDto } from '../openshift/action-row'
import { managedKind, managedWishOf, type StoredManagedWish } from '../openshift/kinds/managed'
import { skewKind } from '../openshift/kinds/skew'
import { callsOf } from '../openshift/row-steps'
import { whatStands } from '../openshift/what-stands'
import { whereCluster } from '../skew/where-cluster'
import { CardInput } from '../skew/schemas'
import { lostOf, type Lost } from '../openshift/lost'
import { managesPlanes, managingNow, setsNow } from './managed-now'

/** Which machine sets of a cluster its operator keeps current, and what was decided about it. */
export interface Managed {
  /** What the operator goes by; Partial with the lines of its selector, and why it refuses that whole. */
  sets: { mode: 'All' | 'None' } | { mode: 'Partial'; rows: SelectorRow[]; problem: string | null }
  /** The ControlPlaneMachineSet. */
  planes: 'All' | 'None'
  words: string
  /** The operator records by itself: whoever narrows it says first what is to be recorded. */
  recordsItself: boolean
  /** MachineConfiguration carries an acknowledgement or an opt-out. */
  configured: boolean
  /** Labels of the machine sets, to choose from. */
  labels: Record<string, string[]>
  may: { planes: boolean; skew: boolean }
  /** All are managed where nothing is said. */
  byDefault: boolean
  /** The operator says so; else it is what MachineConfiguration names, and nothing tells whether it acts on that but the sets. */
  says: boolean
  /** The newest decision, also where a return to automatic had all managed. */
  action: ActionDto | null
  /** That was not stored whole, so that what stands there is not by it, or in part only: how it ended. Null: it was, or is under way. */
  ended: string | null
  /** Somebody wrote over it since it was taken up; null: nobody did. */
  lost: Lost | null
  /** What has changed since that; null: there was none, or it is not taken up. */
  outcome: ManagedOutcome | null
}

/** Null: the operator does not manage boot images there, or the cluster has not been read yet. */
export async function getManaged(ctx: Ctx, input: unknown): Promise<Managed | null> {
  requirePermission(ctx, 'fleet:read')
  const { cluster } = parseInput(CardInput, input)
  const card = await db().openShiftCluster.findFirst({
    where: { cluster: whereCluster(cluster) },
    include: { cluster: { select: { discovery: true } } },
  })
  if (!card) return null
  const { clusterId } = card
  const { platform, pass = null, history } = card.evidence as unknown as Partial<StoredEvidence>
  const { effective, words = '' } = card.managed as unknown as Partial<StoredManagers>
  if (!platform || !effective) return null
  const { refused, byDefault, says } = managingNow(card.cluster.discovery, card, platform)
  if (refused || card.availability === 'hosted') return null
  const [sets, action] = await Promise.all([
    setsNow(clusterId),
    db().openShiftAction.findFirst({
      // Of one that was refused whole, and decided anew, nothing is there to tell.
      where: { clusterId, OR: [{ kind: managedKind.kind }, RETURNED], NOT: { state: 'superseded', step: 0 } },
      orderBy: { recordedAt: 'desc' },
    }),
  ])
  const selection = effective.find((m) => m.resource === 'machinesets')?.selection
  const planes = effective.find((m) => m.resource === 'controlplanemachinesets')?.selection.mode
  const before = action && (managedWishOf(action) as Partial<StoredManagedWish>).before
  const selector = selection?.partial?.machineResourceSelector ?? {}
  return {
    sets:
      selection?.mode === 'Partial'
        ? { mode: 'Partial', rows: rowsOf(selector), problem: selectorProblem(selector) ?? null }
        : { mode: selection?.mode === 'All' ? 'All' : 'None' },
    planes: planes === 'All' ? 'All' : 'None',
    words,
    recordsItself: card.mode === 'Automatic',
    configured: card.specSkew !== null,
    labels: labelsOf(sets.filter(({ kind }) => kind === 'MachineSet').map(({ labels }) => labels)),
    may: { planes: managesPlanes(card.cluster.discovery, platform) === true, skew: card.skewSupported },
    ...{ byDefault, says },
    action: action && actionDto(action),
    ended: action && endedWords(action),
    lost: lostOf(action?.choiceLostAt, action?.choiceLostBy),
    outcome:
      before && !action.choiceLostAt && (action.state === 'accepted' || action.state === 'seen')
        ? managedOutcome(before, sets, passSince(pass, storedAt(action), putsOff(history, card.version)))
        : null,
  }
}

/** Of a decision that came to no end of its own. */
function endedWords(action: OpenShiftAction): string | null {
  if (action.state === 'cancelled') return action.error ?? 'Cancelled.'
  if (action.state !== 'superseded') return null
  return `${whatStands(action)}; it was decided anew since.`
}

/**
 * When the cluster took its last write: by its own clock where it told, for passes are told by that. Where the answer to that was lost,
 * it was found stored later, and when an earlier step was stored says nothing of it.
 */
function storedAt(action: OpenShiftAction): string | null {
  const ofLast = callsOf(action).filter(({ step = 0 }) => step === action.step)
  const { storedAt: told, at } = ofLast.findLast(({ code }) => code !== undefined && code < 300) ?? {}
  return told ?? at ?? action.acceptedAt?.toISOString() ?? null
}

/** All managed in the patch of a return to automatic: until that is taken up its steps stand with the limit. */
const RETURNED = { kind: skewKind.kind, state: 'seen', wish: { path: ['manageAll'], equals: true } }

function labelsOf(all: readonly Record<string, string>[]): Record<string, string[]> {
  const values = new Map<string, Set<string>>()
  for (const labels of all)
    for (const [key, value] of Object.entries(labels)) values.set(key, (values.get(key) ?? new Set()).add(value))
  return Object.fromEntries([...values].sort().map(([key, found]) => [key, [...found].sort()]))
}
