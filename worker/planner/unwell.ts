import { unwellWords, type PlaneSaid } from '@/lib/domain/control-plane'
import type { MachineNow, Progress } from './progress'

type Unwell = Pick<Progress, 'unwell' | 'unwellSince'>

/** What is not well of a control plane machine, and since when it was seen so. Of one that goes it stays: by that all of it fails. */
export function unwellOf({ node, plane, deleting }: MachineNow, before: Unwell | undefined, now: Date): Unwell {
  const was = { unwell: before?.unwell ?? null, unwellSince: before?.unwellSince ?? null }
  if (deleting) return was
  const unwell = unwellWords({ joined: node !== null, said: plane as PlaneSaid | null })
  return { unwell, unwellSince: unwell === null ? null : (was.unwellSince ?? now) }
}
