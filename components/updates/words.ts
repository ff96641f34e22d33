import type { ChipTone } from '@/components/ui'
import type { Outlook } from '@/lib/domain/changes/types'
import type { ChangeDto } from '@/lib/services/changes/change-row'

/** State of a change in words, as a chip says it. */
export function stateOf(change: Pick<ChangeDto, 'state' | 'decision' | 'heldBy'>): { words: string; tone: ChipTone } {
  switch (change.state) {
    case 'waiting':
      if (change.decision?.state === 'failed') return { words: 'The cluster refused the decision', tone: 'bad' }
      return { words: 'Waiting for 1 approval', tone: 'needs' }
    case 'rejected':
      return {
        words: change.decision?.actorName ? `Rejected by ${change.decision.actorName}` : 'Rejected',
        tone: 'plain',
      }
    case 'approved':
      return { words: 'Approved, about to start', tone: 'plain' }
    case 'running':
      return { words: 'Under way', tone: 'plain' }
    case 'stuck':
      return { words: 'Stuck', tone: 'bad' }
    case 'done':
      return { words: 'Done', tone: 'good' }
    case 'superseded':
      return { words: 'Superseded by a newer change', tone: 'plain' }
    case 'reverted':
      return { words: 'Reverted before it was approved', tone: 'plain' }
  }
}

/** Why a change waits, or how it fared, in few words. */
export function whyOf(change: ChangeDto): string {
  if (change.state === 'waiting') {
    if (change.decision?.state === 'failed') return change.decision.error ?? 'Its last decision was not accepted.'
    return change.heldBy === 'none' ? 'Nothing holds it: this group is not governed' : 'Held until somebody approves it'
  }
  if (change.state === 'rejected') return change.decision?.reason ? `“${change.decision.reason}”` : 'Stays held'
  if (change.state === 'stuck') return change.stuckReason ?? 'No machine has moved for a while'
  if (change.outcome) {
    const { updatedInPlace, created, deleted, failed } = change.outcome
    const parts = [
      updatedInPlace && `${updatedInPlace} updated in place`,
      created && `${created} created`,
      deleted && `${deleted} deleted`,
      failed && `${failed} failed`,
    ].filter(Boolean)
    if (parts.length > 0) return parts.join(', ')
  }
  return change.decision && change.decision.mode !== 'reject'
    ? `${change.decision.actorName} approved it ${change.decision.mode === 'in-place' ? 'in place' : 'replacing'}`
    : ''
}

/** Machines that an approval would touch: all but those that stay as they are. */
export function touched(outcome: Outlook['replace'] | null): number {
  if (!outcome) return 0
  return Object.entries(outcome.counts).reduce(
    (sum, [verdict, n]) => (verdict === 'up-to-date' ? sum : sum + (n ?? 0)),
    0,
  )
}

export const KIND_WORDS: Record<string, string> = {
  KubeadmControlPlane: 'control plane',
  MachineDeployment: 'deployment',
  MachinePool: 'pool',
  MachineSet: 'machine set',
}
