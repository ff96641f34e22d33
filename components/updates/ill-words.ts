import type { ChangeDto } from '@/lib/services/changes/change-row'
import type { MayHaveHull } from './outcome-words'

/** Of a control plane: what is ill Cluster API may delete first, and asks nobody. */
export function illWords(
  { groupKind, hull }: Partial<Pick<ChangeDto, 'groupKind'>> & MayHaveHull,
  and = '',
  of = '',
): string {
  const n = hull?.ill ?? 0
  if (groupKind !== 'KubeadmControlPlane' || n === 0) return ''
  return `,${and} ${n === 1 ? `a machine${of} is` : `${n} machines${of} are`} not Ready`
}
