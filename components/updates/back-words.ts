import type { ChangeDto } from '@/lib/services/changes/change-row'

const WHY: Record<string, string> = {
  KubeadmControlPlane: 'What a control plane was before is kept nowhere: to go back, write its former state.',
  MachineConfigPool:
    'A pool takes up what it is rendered from: to go back, write that as it was (its MachineConfigs, and the like).',
}

/** Why Drydock cannot write a group as it was before, and what to do instead; null: it can. */
export function noWayBackWords({ groupKind }: Pick<ChangeDto, 'groupKind'>): string | null {
  const why = WHY[groupKind]
  return why ? `${why} That is a change of its own, and held.` : null
}
