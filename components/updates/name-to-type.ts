import type { DecisionMode } from '@/lib/services/changes/change-row'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { deletedIn } from './gone'

type Named = Pick<UpdateDetail, 'groupKind' | 'groupName' | 'outlook' | 'plane'>

/** The name that is typed before a decision on a control plane is tried again, by what is known now, as the server asks for it. */
export function nameToType(change: Named, mode: DecisionMode): string | null {
  const { groupKind, groupName, outlook, plane } = change
  if (mode === 'reject' || groupKind !== 'KubeadmControlPlane') return null
  const way = mode === 'in-place' && outlook.inPlace === null ? 'replace' : mode
  const risks = plane?.risks[mode] ?? []
  return mode === 'replace' || deletedIn(change, way) > 0 || risks.length > 0 ? groupName : null
}
