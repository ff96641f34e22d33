import { db } from '@/lib/db/client'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { NOT_NOW, STOPPED } from '@/lib/domain/latch/names'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { rolloutAfter } from '@/lib/providers/cluster-api/changes'
import { outlookIn } from '@/lib/services/changes/change-row'
import { isHeld } from '@/lib/services/changes/hold-of'
import { OPEN } from '@/lib/services/changes/states'
import type { PlanContext, Row } from './common'
import { isAhead, isClose, isNear, isTooLateToRead } from './dates'
import { putOnHold } from './hold'
import { isLetGoWith } from './let-go-with'
import { holdUntilKnown } from './times'

/**
 * Machines go by a date that was let go, and what they would be made as cannot be read: nobody can say by whose word, nor whether that was
 * edited since. What is governed is held for as long, and goes by its approval where a change of it stands; what may be read in a moment is
 * asked for again, as long as time is left. True: it is held, or was to be.
 */
export async function holdsUnreadDate(
  { view, source }: PlanContext,
  group: KubeObject,
  open: Row | null,
  error: KubeError | KubeUnreachable,
  isLetGo = false,
): Promise<boolean> {
  if (!isNear(group) || mayStillBeRead(group, error)) return false
  const digest = rolloutDigest(group) ?? ''
  const date = rolloutAfter(group)!
  const why = `what moves at its date (${date}) cannot be compared: ${error.message}`
  if (open?.digest === digest) return isDated(open) && holdUntilKnown(view, open, `${NOT_NOW}${why}`)
  if (!isLetGo && !(await isLetGoWith(view.clusterId, group, digest, true))) return false
  if (!(await anyOlder(source, group, date))) return false
  return (await putOnHold(view, group, `${STOPPED}${why}`)) !== false
}

/**
 * What a date moves could not be looked at, for the database failed or took too long: what is governed is held while there is time, for
 * a hold takes fewer words with the database than a change. Where a change of it was written, that goes, or is held, as it was decided.
 */
export async function holdsUnplanned({ view, source }: PlanContext, group: KubeObject, error: unknown): Promise<void> {
  if (error instanceof KubeError || error instanceof KubeUnreachable) return
  if (isHeld(group) || !isAhead(group) || !isClose(group)) return
  const known = { groupId: group.metadata.uid, digest: rolloutDigest(group) ?? '', state: { in: OPEN } }
  if ((await db().change.count({ where: known })) > 0) return
  const date = rolloutAfter(group)!
  if (!(await anyOlder(source, group, date))) return
  // Not with the error: what a database says is for the log.
  await putOnHold(view, group, `${STOPPED}what moves at its date (${date}) could not be looked at in time`)
}

/** Approved, and it has nothing to begin with before its date. */
const isDated = (open: Row): boolean => open.state === 'approved' && outlookIn(open).notBefore !== undefined

/** One that hangs takes half a minute each time. */
const mayStillBeRead = (group: KubeObject, error: KubeError | KubeUnreachable): boolean =>
  error instanceof KubeUnreachable
    ? !isClose(group)
    : (error.code === 429 || error.code >= 500) && !isTooLateToRead(group)

/** What is not known is. */
async function anyOlder(source: PlanContext['source'], group: KubeObject, date: string): Promise<boolean> {
  const isOlder = ({ metadata }: KubeObject) => Date.parse(metadata.creationTimestamp ?? '') < Date.parse(date)
  try {
    if (group.kind === 'KubeadmControlPlane') return (await source.machines(group)).some(isOlder)
    return (await source.machineSets(group)).some((set) => isOlder(set) && hasMachines(set))
  } catch {
    return true
  }
}

const hasMachines = ({ spec, status }: KubeObject): boolean =>
  Number(spec?.replicas ?? 0) + Number(status?.replicas ?? 0) > 0
