import { unwellWords, type PlaneSaid } from '@/lib/domain/control-plane'
import type { Verdict } from '@/lib/domain/verdict'
import type { MachineNow, Progress } from './progress'

/**
 * What is not well of an old control plane machine that has not begun: Cluster API deletes such a one when its turn comes, and asks
 * nobody. Going, it is what was the matter before; its manager may write that only after it has deleted it.
 */
export function unwellOf(
  { plane, deleting, node, upToDate }: MachineNow,
  before: Progress | undefined,
  way: Verdict | undefined,
): string | null {
  const known = before?.unwell ?? null
  if (!plane || before?.startedAt) return known
  const foretold = before?.predicted ?? way
  const isOld = foretold ? foretold.startsWith('in-place') : upToDate === false
  if (!isOld || (!deleting && node === null)) return null
  return (deleting && known) || unwellWords(plane as unknown as PlaneSaid, deleting)
}

/** It goes, or is gone, as its manager deletes what is ill: nothing had begun there, nothing keeps that manager, and no check found it. */
export function wentIll(
  before: Progress | undefined,
  unwell: string | null,
  { replacing, paused }: { replacing: boolean; paused: boolean },
): boolean {
  if (before?.wentBy === 'ill') return true
  return unwell !== null && !replacing && !paused && !before?.startedAt && !before?.illAt && before?.wentBy !== 'before'
}
