import { db } from '@/lib/db/client'
import { explain } from '@/lib/domain/errors'
import { planesBefore } from '../upgrades/plane-before'
import { changeDto, NEWEST_DECISION, WAITING, type ChangeDto } from './change-row'
import { blockedAmong, type Blocking } from './held-scaling'
import { UNDER_WAY } from './states'

/** Entries of lib/domain/errors by which new machines wait for their control plane. */
const WAITS_FOR_PLANE = new Set(['preflight-control-plane', 'preflight-version-differs'])
export const waitsForPlane = (trouble: string): boolean => WAITS_FOR_PLANE.has(trouble)

/**
 * Of those that get no new machines because Drydock holds their control plane, its change, by their ids: under way, while they need new
 * ones, or are stuck on it; waiting, where they will need some. And of those that get their version only after a control plane that waits for people.
 */
export async function heldPlanes(changes: readonly ChangeDto[]): Promise<Record<string, Blocking>> {
  const ids = changes.flatMap((one) => (one.groupKind === 'MachineDeployment' && asksMore(one) ? [one.id] : []))
  const [blocked, before] = await Promise.all([blockedAmong(ids, 'let go'), planesBefore(changes)])
  return { ...Object.fromEntries(blocked), ...before }
}

/** The same by their ids alone. */
export async function heldPlanesAmong(ids: readonly string[]): Promise<Record<string, Blocking>> {
  const blocked = [...(await blockedAmong(ids, 'let go')).keys()]
  if (blocked.length === 0) return {}
  const rows = await db().change.findMany({
    where: { id: { in: blocked }, state: { in: UNDER_WAY } },
    include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
  })
  return heldPlanes(rows.map(changeDto))
}

function asksMore(change: ChangeDto): boolean {
  const { state, outlook } = change
  if (state === 'stuck') return isStuckOnPlane(change)
  if (WAITING.includes(state)) return outlook.replace.created > 0 || (outlook.inPlace?.created ?? 0) > 0
  return needsMore(change)
}

/** Let go, and not all of the new machines that it needs are there: as it was foretold, with what came before a hold. */
function needsMore({ state, settling, decision, outlook, outcome }: ChangeDto): boolean {
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
