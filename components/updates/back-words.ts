import type { ChangeDto } from '@/lib/services/changes/change-row'

const WHY: Record<string, string> = {
  KubeadmControlPlane: 'What a control plane was before is kept nowhere: to go back, write its former state.',
  MachineConfigPool:
    'A pool takes up what it is rendered from: to go back, write that as it was (its MachineConfigs, and the like).',
}

const BY_RULE =
  'What its machines are to be is the same as before: there is nothing to go back to. What replaces them is a date or a rule of the group (rollout): to end that for good, write it as it was.'

/** Why Drydock cannot write a group as it was before, and what to do instead; null: it can. */
export function noWayBackWords({ groupKind, byRule }: Pick<ChangeDto, 'groupKind' | 'byRule'>): string | null {
  const why = WHY[groupKind]
  if (byRule) return BY_RULE
  return why ? `${why} That is a change of its own, and held.` : null
}
