import { db } from '@/lib/db/client'
import { explain } from '@/lib/domain/errors'
import { changeDto, NEWEST_DECISION, type ChangeDto } from './change-row'
import { blockedAmong, type Blocking } from './held-scaling'
import { UNDER_WAY } from './states'

/** Entries of lib/domain/errors by which new machines wait for their control plane. */
const WAITS_FOR_PLANE = new Set(['preflight-control-plane', 'preflight-version-differs'])
export const waitsForPlane = (trouble: string): boolean => WAITS_FOR_PLANE.has(trouble)

type Going = Pick<
  ChangeDto,
  'id' | 'groupKind' | 'state' | 'stuckReason' | 'settling' | 'decision' | 'outlook' | 'outcome'
>

/**
 * Of those under way that get no new machines because Drydock holds their control plane, its change, by their ids: while they need new
 * ones, or are stuck on it.
 */
export async function heldPlanes(changes: readonly Going[]): Promise<Record<string, Blocking>> {
  const ids = changes.flatMap((one) =>
    one.groupKind === 'MachineDeployment' && (one.state === 'stuck' ? isStuckOnPlane(one) : needsMore(one))
      ? [one.id]
      : [],
  )
  return Object.fromEntries(await blockedAmong(ids))
}

/** The same by their ids alone. */
export async function heldPlanesAmong(ids: readonly string[]): Promise<Record<string, Blocking>> {
  const blocked = [...(await blockedAmong(ids)).keys()]
  if (blocked.length === 0) return {}
  const rows = await db().change.findMany({
    where: { id: { in: blocked }, state: { in: UNDER_WAY } },
    include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
  })
  return heldPlanes(rows.map(changeDto))
}

/** Let go, and not all of the new machines that it needs are there: as it was foretold, with what came before a hold. */
function needsMore({ state, settling, decision, outlook, outcome }: Going): boolean {
  if (!UNDER_WAY.includes(state) || settling) return false
  const { created } = decision?.mode === 'replace' || !outlook.inPlace ? outlook.replace : outlook.inPlace
  return created > 0 && (outcome?.created ?? 0) - (outcome?.madeUp ?? 0) < created + (outlook.before?.created ?? 0)
}

const isStuckOnPlane = ({ stuckReason }: Pick<ChangeDto, 'stuckReason'>): boolean =>
  stuckReason !== null && isOfPlane(stuckReason)

function isOfPlane(message: string): boolean {
  const known = explain({
    ...{ api: 'cluster.x-k8s.io', infrastructure: null, condition: null, reason: null },
    message,
  })
  return known !== null && waitsForPlane(known.entry.id)
}
