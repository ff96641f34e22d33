import type { UpdaterDto } from '@/lib/services/updaters/list-updaters'

const KINDS: Record<string, string> = { MachineDeployment: 'worker groups', KubeadmControlPlane: 'control planes' }

/** "control planes in namespace fleet", for which groups an updater is asked. */
export function groupsSentence(groups: UpdaterDto['groups']): string {
  if (!groups) return 'every group'
  if (groups === 'unreadable') return 'a selection of groups that cannot be read'
  const listed = (names: readonly string[]) =>
    names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '')
  const what = groups.kinds ? listed(groups.kinds.map((kind) => KINDS[kind] ?? kind)) : 'groups'
  const where = [
    groups.namespaces && `in namespace${groups.namespaces.length > 1 ? 's' : ''} ${listed(groups.namespaces)}`,
    groups.workloadClusters &&
      `of cluster${groups.workloadClusters.length > 1 ? 's' : ''} ${listed(groups.workloadClusters)}`,
  ]
  return [what, ...where].filter(Boolean).join(' ')
}

/** "groups in namespace fleet of every cluster" */
export const forWords = ({ clusterId, groups }: Pick<UpdaterDto, 'clusterId' | 'groups'>): string =>
  `${groups ? `${groupsSentence(groups)} of ` : ''}${clusterId ? 'this cluster' : 'every cluster'}`

/** Names as somebody types them: with commas, spaces or line by line. */
export const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)
