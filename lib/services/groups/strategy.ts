import type { Group } from '@/lib/db/generated/client'
import type { IntOrPercent, RolloutStrategy } from '@/lib/domain/rollout'

/** How a MachineDeployment rolls, as its row has it; what it does not say is as the API server has it by default. */
export const strategyOfRow = ({
  strategy,
  maxSurge,
  maxUnavailable,
}: Pick<Group, 'strategy' | 'maxSurge' | 'maxUnavailable'>): RolloutStrategy =>
  strategy === 'OnDelete'
    ? { type: 'OnDelete' }
    : { type: 'RollingUpdate', maxSurge: count(maxSurge ?? '1'), maxUnavailable: count(maxUnavailable ?? '0') }

const count = (text: string): IntOrPercent => (/^\d+$/.test(text) ? Number(text) : text)
