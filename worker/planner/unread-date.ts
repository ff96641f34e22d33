import { STOPPED } from '@/lib/domain/latch/names'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import type { KubeError, KubeObject } from '@/lib/kubernetes/types'
import { rolloutAfter } from '@/lib/providers/cluster-api/changes'
import type { PlanContext } from './common'
import { isNear, isTooLateToRead } from './dates'
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
