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
  const happened = happenedWords(change)
  if (happened) return happened
  return change.decision && change.decision.mode !== 'reject'
    ? `${change.decision.actorName} approved it ${change.decision.mode === 'in-place' ? 'in place' : 'replacing'}`
    : ''
}

/** "2 updated in place, 1 created": what is known to have happened; empty while nothing is. */
function happenedWords({ outcome }: ChangeDto): string {
  if (!outcome) return ''
  const { updatedInPlace, created, deleted, failed } = outcome
  return [
    updatedInPlace && `${updatedInPlace} updated in place`,
    created && `${created} created`,
    deleted && `${deleted} deleted`,
    failed && `${failed} failed`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The page's one sentence: before, what would happen; afterwards, what did. */
export function headlineOf(change: ChangeDto): string {
  const { outlook, decision, state, groupName } = change
  if (state === 'stuck') return `Stuck: ${change.stuckReason ?? 'no machine has moved for a while'}`
  if (state === 'done') return `Done: ${happenedWords(change) || 'no machine had to change'}.`
  if (state === 'superseded') return `A newer change of ${groupName} took the place of this one.`
  if (state === 'reverted') return `${groupName} was changed back before anything moved.`
  const approved = decision && decision.mode !== 'reject' && decision.state !== 'failed' && decision.state !== 'voided'
  const chosen = approved && decision.mode === 'replace' ? outlook.replace : (outlook.inPlace ?? outlook.replace)
  return chosen.headline
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
