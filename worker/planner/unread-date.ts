import { db } from '@/lib/db/client'
import { STOPPED } from '@/lib/domain/latch/names'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { rolloutAfter } from '@/lib/providers/cluster-api/changes'
import { isHeld } from '@/lib/services/changes/hold-of'
import { OPEN } from '@/lib/services/changes/states'
import type { PlanContext } from './common'
import { isAhead, isClose, isNear, isTooLateToRead } from './dates'
import { putOnHold } from './hold'
import { isLetGoWith } from './let-go-with'

/**
 * Machines go by a date that was let go, and what they would be made as cannot be read: nobody can say by whose word, nor whether that was
 * edited since. What is governed is held for as long; what may be read in a moment is asked for again, as long as time is left.
 */
export async function holdsUnreadDate(
  { view, source }: PlanContext,
  group: KubeObject,
  error: KubeError,
): Promise<void> {
  if (!isNear(group) || (isPassing(error) && !isTooLateToRead(group))) return
  if (!(await isLetGoWith(view.clusterId, group, rolloutDigest(group) ?? '', true))) return
  const date = rolloutAfter(group)!
  if (!(await anyOlder(source, group, date))) return
  await putOnHold(view, group, `${STOPPED}what moves at its date (${date}) cannot be compared: ${error.message}`)
}

/**
 * What a date moves could not be looked at, for the database failed or took too long: what is governed is held while there is time, for
 * a hold takes fewer words with the database than a change. Where a change of it was written, that goes, or is held, as it was decided.
 */
export async function holdsUnplanned({ view, source }: PlanContext, group: KubeObject, error: unknown): Promise<void> {
  if (error instanceof KubeError || isHeld(group) || !isAhead(group) || !isClose(group)) return
  const known = { groupId: group.metadata.uid, digest: rolloutDigest(group) ?? '', state: { in: OPEN } }
  if ((await db().change.count({ where: known })) > 0) return
  const date = rolloutAfter(group)!
  if (!(await anyOlder(source, group, date))) return
  // Not with the error: what a database says is for the log.
  await putOnHold(view, group, `${STOPPED}what moves at its date (${date}) could not be looked at in time`)
}

const isPassing = ({ code }: KubeError): boolean => code === 429 || code >= 500

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
